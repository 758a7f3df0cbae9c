import { AsyncLocalStorage } from 'node:async_hooks';
import { failureOf, type TaskResult } from './task-result.ts';

/** `ready` is the first message of a process; then there is one result for each task. */
export type WorkerMessage = 'ready' | TaskResult<unknown>;

const sendMessage = (message: WorkerMessage): void => {
  process.send?.(message);
};

/**
 * Runs the tasks that the pool sends, one at a time; `run` gets the requests. An error outside of the promise of a task
 * ends the task that it comes from. It does not end the process if that task has its result already: the process may run
 * the next one.
 */
export const serveTasks = (run: (request: never) => Promise<TaskResult<unknown>>): void => {
  const running = new AsyncLocalStorage<{ end: (result: TaskResult<unknown>) => void }>();
  process.on('message', (request) => {
    let hasEnded = false;
    const end = (result: TaskResult<unknown>): void => {
      if (!hasEnded) sendMessage(result);
      hasEnded = true;
    };
    running.run({ end }, () => void run(request as never).then(end));
  });
  process.on('uncaughtException', (error) => {
    const task = running.getStore();
    if (!task) throw error;
    task.end({ failure: failureOf(error), endsProcess: true });
  });
  // Such a signal is for the service, which waits for running tasks. This process ends when the service disconnects or
  // kills it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('SIGHUP', () => {});
  sendMessage('ready');
};
