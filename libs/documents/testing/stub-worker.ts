import type { TaskRequest } from '../worker/worker.ts';

// A worker that never ends a task called `analyse`, dies of one called `prepareTemplate`, and answers others with its process id.
process.on('message', ({ task }: TaskRequest) => {
  if (task === 'analyse') for (;;);
  if (task === 'prepareTemplate') process.exit(1);
  process.send?.({ value: { html: String(process.pid) } });
});
process.send?.('ready');
