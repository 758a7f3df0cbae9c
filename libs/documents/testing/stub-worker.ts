import type { TaskRequest } from '../worker/worker.ts';

// A worker that never ends the task `analyse`, exits on `prepareTemplate`, and returns its process id for other tasks.
process.on('message', ({ task }: TaskRequest) => {
  if (task === 'analyse') for (;;);
  if (task === 'prepareTemplate') process.exit(1);
  process.send?.({ value: { html: String(process.pid) } });
});
process.send?.('ready');
