import type { TaskRequest } from '../worker/worker.ts';

// A worker that takes three seconds to start, drops tasks until then, and returns at once for every later one.
let hasStarted = false;
process.on('message', (_: TaskRequest) => hasStarted && process.send?.({ value: { html: 'done' } }));
setTimeout(() => {
  hasStarted = true;
  process.send?.('ready');
}, 3_000);
