import type { TaskRequest } from '../worker/worker.ts';

// A worker that takes three seconds to start, and returns at once for every task.
process.on('message', (_: TaskRequest) => process.send?.({ value: { html: 'done' } }));
setTimeout(() => process.send?.('ready'), 3_000);
