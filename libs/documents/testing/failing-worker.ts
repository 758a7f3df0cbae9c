import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { serveTasks } from '../worker/serve-tasks.ts';
import { runTask } from '../worker/task-result.ts';
import type { TaskRequest } from '../worker/worker.ts';

const value = { html: String(process.pid) };
const fail = (): never => {
  throw new TypeError('cannot read this');
};

// `prepare` returns the process id. The others throw: `analyse` itself, `readPageSizes` like a broken disk, and
// `parseHeaderFooter` in a callback. `prepareTemplate` throws after its result, while the next task runs.
serveTasks(({ task }: TaskRequest) =>
  runTask(
    async () => {
      if (task === 'analyse') fail();
      if (task === 'readPageSizes') throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' });
      if (task === 'parseHeaderFooter') await new Promise(() => setImmediate(fail));
      if (task === 'prepareTemplate') void once(process, 'message').then(fail);
      if (task === 'prepare') for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      return value;
    },
    { readsInput: task === 'prepare' },
  ),
);
