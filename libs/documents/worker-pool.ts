import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ApiError } from '#contracts/http/api-error.ts';
import { openFairQueue } from '#libs/scheduling/fair-queue.ts';
import { defaultSlowAfterMs } from '#libs/scheduling/permits.ts';
import { tooBusyError } from '#libs/scheduling/too-busy-error.ts';
import { type TaskResult, isTaskError } from './worker/task-result.ts';
import { type WorkerExit, startWorker, type WorkerProcess } from './worker/process.ts';
import type { TaskRequest, Tasks } from './worker/worker.ts';

/**
 * `timeoutMs`: how long the task may run, from the moment it has a process. `waitMs`: how long it may wait for one before; as long unless given.
 * `group` names whose work it is: groups take turns. `onBegin` is called when the task has its process.
 */
export type TaskOptions = { timeoutMs: number; waitTimeoutMs?: number; group?: string; onStart?: () => void };

/**
 * Processes for work that is fed by callers: each with a memory limit, each task with a deadline. One that breaks either is ended and replaced.
 * They are processes, because a thread that runs out of memory while an array grows takes its whole process along.
 */
export type WorkerPool = {
  /** Throws the Problem that the task raised, or that ending it comes to; service_unavailable where it had no process in time. */
  run: <Name extends keyof Tasks>(
    task: Name,
    input: Tasks[Name]['input'],
    terms: TaskOptions,
  ) => Promise<Tasks[Name]['output']>;
  /** What it is doing now. */
  load: () => WorkerPoolLoad;
  close: () => void;
};

/** How many processes there are, how many of them work, and how many tasks wait for one. */
export type WorkerPoolLoad = { processes: number; running: number; waiting: number };

type PendingTask = { resolve: (answer: TaskResult<unknown>) => void; reject: (error: unknown) => void };
type WorkerSlot = { worker: WorkerProcess; task: PendingTask | null; hasLowPriority: boolean };

export type WorkerPoolOptions = {
  /** How many processes are kept once that many tasks have run at once, and how many tasks run at once while none takes long. */
  processes: number;
  /** How many there are at most, while some tasks take long. */
  maxProcesses?: number;
  /** Limit of the JavaScript heap of one process, in MiB. */
  memoryMb: number;
  /** Another program to run, which speaks as `worker.ts` does. */
  workerFile?: string;
};

/** How long a task works before it leaves the processor to others. Its process is replaced afterwards, so few should come to that. */
const lowerPriorityAfterMs = 2_000;

const isIdle = ({ task }: WorkerSlot): boolean => task === null;

const defaultWorkerFile = fileURLToPath(new URL('./worker/worker.ts', import.meta.url));

/** Of slow tasks, which keep the processors busy, more at once would end none of them sooner. All together never need more than half of the memory, but there are some more than are kept. */
const defaultMaxProcesses = (processes: number, memoryMb: number): number => {
  const megabytes = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 20;
  return Math.max(processes + 2, Math.min(2 * processes + 2, Math.floor(megabytes / 2 / memoryMb)));
};

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
  const seats = new Set<WorkerSlot>();
  let closed = false;

  const remove = (seat: WorkerSlot): void => {
    seats.delete(seat);
    seat.worker.kill();
  };
  const release = (seat: WorkerSlot): PendingTask | null => {
    const { task } = seat;
    seat.task = null;
    return task;
  };
  const open = (): WorkerSlot => {
    const worker = startWorker(workerFile, memoryMb, {
      onResult: (answer) => {
        const job = release(seat);
        if (seat.hasLowPriority || [...seats].filter(isIdle).length > processes) remove(seat);
        replenish();
        job?.resolve(answer);
      },
      onExit: (end) => {
        seats.delete(seat);
        // One that cannot even start is not tried again before there is work: it would fail in a loop.
        if (end !== 'never started') replenish();
        release(seat)?.reject(workerExitError(end, memoryMb));
      },
    });
    const seat: WorkerSlot = { worker, task: null, hasLowPriority: false };
    seats.add(seat);
    return seat;
  };
  /** One process more than work is started ahead of time: most small documents need none. */
  const replenish = (): void => {
    if (!closed && seats.size < processes && ![...seats].some(isIdle)) open();
  };

  const carryOut = async (order: TaskRequest, { timeoutMs, onStart }: TaskOptions): Promise<TaskResult<unknown>> => {
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult<unknown>>();
    const seat = [...seats].find(isIdle) ?? open();
    seat.task = { resolve, reject };
    replenish();
    onStart?.();
    seat.worker.send(order);
    // Documents that take long must not make all others take long: those are begun and ended in between.
    let slow: NodeJS.Timeout | undefined;
    const giveWay = (): void => {
      seat.hasLowPriority = true;
      seat.worker.lowerPriority();
    };
    void seat.worker.ready.then(() => {
      if (seat.task?.resolve === resolve) slow = setTimeout(giveWay, lowerPriorityAfterMs);
    });
    const timer = setTimeout(() => {
      remove(seat);
      replenish();
      reject(taskTimeoutError(timeoutMs));
    }, timeoutMs);
    try {
      return await promise;
    } finally {
      clearTimeout(slow);
      clearTimeout(timer);
    }
  };

  replenish();
  return {
    run: async (task, input, terms) => {
      const { group = '', timeoutMs, waitTimeoutMs = timeoutMs } = terms;
      const patience = {
        timeoutMs: waitTimeoutMs,
        createError: () => tooBusyError('No process was free to convert the document', waitTimeoutMs),
      };
      const answer = await queue.add(group, () => carryOut({ task, input }, terms), patience);
      if (isTaskError(answer)) throw ApiError.from(answer.error);
      return answer.value as Tasks[typeof task]['output'];
    },
    load: () => ({ processes: seats.size, running: queue.running(), waiting: queue.waiting() }),
    close: () => {
      closed = true;
      const closing = new Error('the pool is closed');
      queue.close(closing);
      for (const seat of seats) {
        remove(seat);
        release(seat)?.reject(closing);
      }
    },
  };
};

const taskTimeoutError = (timeoutMs: number): ApiError =>
  ApiError.of('processing_timeout', `The document could not be converted within ${timeoutMs / 1000} seconds.`, {
    timeout_seconds: timeoutMs / 1000,
  });

const workerExitError = (end: WorkerExit, memoryMb: number): Error =>
  end === 'out of memory'
    ? ApiError.of(
        'conversion_failed',
        'The document needs more memory to convert than there is for one. Split it into smaller ones.',
        { details: { reason: 'out of memory', limit_mb: memoryMb } },
      )
    : new Error(end === 'crashed' ? 'a conversion process crashed' : 'a conversion process did not start');
