import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ApiError } from '#contracts/http/api-error.ts';
import { openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { defaultSlowAfterMs } from '#libs/concurrency/permits.ts';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { tooBusyError } from '#libs/concurrency/too-busy-error.ts';
import { TaskFailed } from './worker/task-failed.ts';
import { type TaskFailure, type TaskResult, isTaskError } from './worker/task-result.ts';
import { type WorkerExit, startWorker, type WorkerProcess } from './worker/process.ts';
import type { TaskRequest, Tasks } from './worker/worker.ts';

/**
 * `timeoutMs` is how long the task may run once it has a process that has started. `waitTimeoutMs` is how long it may wait
 * for a free one, by default the same. Tasks of different groups take turns. `onStart` is called when the task can run.
 */
export type TaskOptions = { timeoutMs: number; waitTimeoutMs?: number; group?: string; onStart?: () => void };

/**
 * Processes for callers' input, each with a memory limit, each task with a timeout. A process that exceeds either is
 * killed and replaced. They are processes, because a thread that runs out of memory ends its whole process.
 */
export type WorkerPool = {
  /**
   * @throws ApiError of the task, or for its timeout or memory limit; service_unavailable if it got no process in time;
   * TaskFailed for an error of the service; other errors if another attempt may succeed
   */
  run: <Name extends keyof Tasks>(
    task: Name,
    input: Tasks[Name]['input'],
    options: TaskOptions,
  ) => Promise<Tasks[Name]['output']>;
  load: () => WorkerPoolLoad;
  close: () => void;
};

/** The number of processes, of those with a task, and of waiting tasks. */
export type WorkerPoolLoad = { processes: number; running: number; waiting: number };

type PendingTask = { resolve: (result: TaskResult<unknown>) => void; reject: (error: unknown) => void };
type WorkerSlot = { worker: WorkerProcess; task: PendingTask | null };

export type WorkerPoolOptions = {
  /** The number of processes to keep, and of tasks to run at once while none is slow. */
  processes: number;
  /** The most processes while some tasks are slow. */
  maxProcesses?: number;
  /** Limit of the JavaScript heap of one process, in MiB. */
  memoryMb: number;
  /** Another worker program, with the protocol of `worker.ts`. */
  workerFile?: string;
};

/** On a busy machine a start takes many seconds. */
const startTimeoutMs = 60_000;

const isIdle = ({ task }: WorkerSlot): boolean => task === null;

const defaultWorkerFile = fileURLToPath(new URL('./worker/worker.ts', import.meta.url));

/**
 * More slow tasks at once would not end sooner. All processes together use at most half of the memory, but a few more
 * than `processes` are always allowed.
 */
const defaultMaxProcesses = (processes: number, memoryMb: number): number => {
  const megabytes = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 20;
  return Math.max(processes + 2, Math.min(2 * processes + 2, Math.floor(megabytes / 2 / memoryMb)));
};

/** Starts no process before the first task. */
export const openWorkerPool = ({
  processes,
  memoryMb,
  maxProcesses = defaultMaxProcesses(processes, memoryMb),
  workerFile = defaultWorkerFile,
}: WorkerPoolOptions): WorkerPool => {
  const queue = openFairQueue({
    maxQuick: processes,
    maxTotal: maxProcesses,
    slowAfterMs: defaultSlowAfterMs,
    maxPerGroup: Math.max(1, processes - 1),
  });
  const slots = new Set<WorkerSlot>();
  let closed = false;

  const remove = (slot: WorkerSlot): void => {
    slots.delete(slot);
    slot.worker.kill();
  };
  const release = (slot: WorkerSlot): PendingTask | null => {
    const { task } = slot;
    slot.task = null;
    return task;
  };
  const open = (): WorkerSlot => {
    const worker = startWorker(workerFile, memoryMb, {
      onResult: (result) => {
        const task = release(slot);
        const endsProcess = 'endsProcess' in result;
        if (endsProcess || [...slots].filter(isIdle).length > processes) remove(slot);
        replenish();
        task?.resolve(result);
      },
      onExit: (exit) => {
        slots.delete(slot);
        // A process that does not start is only replaced for a new task; otherwise it would be restarted in a loop.
        if (exit !== 'never started') replenish();
        release(slot)?.reject(workerExitError(exit, memoryMb));
      },
    });
    const slot: WorkerSlot = { worker, task: null };
    slots.add(slot);
    return slot;
  };
  /** Keeps one idle process in advance once a task has needed one; most small documents need none. */
  const replenish = (): void => {
    if (!closed && slots.size < processes && ![...slots].some(isIdle)) open();
  };

  const runTask = async (request: TaskRequest, { timeoutMs, onStart }: TaskOptions): Promise<TaskResult<unknown>> => {
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult<unknown>>();
    const slot = [...slots].find(isIdle) ?? open();
    slot.task = { resolve, reject };
    replenish();
    const removeFor = (error: Error): Error => {
      remove(slot);
      replenish();
      return error;
    };
    await runWithTimeout(startTimeoutMs, () => Promise.race([slot.worker.ready, promise]), {
      createError: () => removeFor(tooBusyError('No process started to convert the document', startTimeoutMs)),
    });
    onStart?.();
    slot.worker.send(request);
    return runWithTimeout(timeoutMs, () => promise, { createError: () => removeFor(taskTimeoutError(timeoutMs)) });
  };

  return {
    run: async (task, input, options) => {
      const { group = '', timeoutMs, waitTimeoutMs = timeoutMs } = options;
      const wait = {
        timeoutMs: waitTimeoutMs,
        createError: () => tooBusyError('No process was free to convert the document', waitTimeoutMs),
      };
      const result = await queue.add(group, () => runTask({ task, input }, options), wait);
      if (isTaskError(result)) throw ApiError.from(result.error, result.failure?.message);
      if ('failure' in result) throw failureError(task, result.failure);
      return result.value as Tasks[typeof task]['output'];
    },
    load: () => ({ processes: slots.size, running: queue.running(), waiting: queue.waiting() }),
    close: () => {
      closed = true;
      const closeError = new Error('the pool is closed');
      queue.close(closeError);
      for (const slot of slots) {
        remove(slot);
        release(slot)?.reject(closeError);
      }
    },
  };
};

const taskTimeoutError = (timeoutMs: number): ApiError =>
  ApiError.of('processing_timeout', `The document could not be converted within ${timeoutMs / 1000} seconds.`, {
    timeout_seconds: timeoutMs / 1000,
  });

const failureError = (task: keyof Tasks, { message, isOfSystem }: TaskFailure): Error =>
  isOfSystem ? new Error(`the task ${task} failed: ${message}`) : new TaskFailed(`the task ${task} failed: ${message}`);

const workerExitError = (exit: WorkerExit, memoryMb: number): Error =>
  exit === 'out of memory'
    ? ApiError.of(
        'conversion_failed',
        'The document needs more memory to convert than is available. Split it into smaller ones.',
        { details: { reason: 'out of memory', limit_mb: memoryMb } },
      )
    : new Error(exit === 'crashed' ? 'a conversion process crashed' : 'a conversion process did not start');
