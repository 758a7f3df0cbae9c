import { totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Problem } from '#contracts/http/problem.ts';
import { openFairQueue } from '#libs/scheduling/fair-queue.ts';
import { usualSlowAfterMs } from '#libs/scheduling/places.ts';
import { tooBusy } from '#libs/scheduling/too-busy.ts';
import { type Answer, isFault } from './worker/answer.ts';
import { type End, startWorker, type WorkerProcess } from './worker/process.ts';
import type { Order, Tasks } from './worker/worker.ts';

/**
 * `timeoutMs`: how long the task may run, from the moment it has a process. `waitMs`: how long it may wait for one before; as long unless given.
 * `group` names whose work it is: groups take turns. `onBegin` is called when the task has its process.
 */
export type TaskTerms = { timeoutMs: number; waitMs?: number; group?: string; onBegin?: () => void };

/**
 * Processes for work that is fed by callers: each with a memory limit, each task with a deadline. One that breaks either is ended and replaced.
 * They are processes, because a thread that runs out of memory while an array grows takes its whole process along.
 */
export type Pool = {
  /** Throws the Problem that the task raised, or that ending it comes to; service_unavailable where it had no process in time. */
  run: <Name extends keyof Tasks>(task: Name, input: Tasks[Name]['input'], terms: TaskTerms) => Promise<Tasks[Name]['output']>;
  /** What it is doing now. */
  load: () => PoolLoad;
  close: () => void;
};

/** How many processes there are, how many of them work, and how many tasks wait for one. */
export type PoolLoad = { processes: number; running: number; waiting: number };

type Job = { resolve: (answer: Answer<unknown>) => void; reject: (error: unknown) => void };
type Seat = { worker: WorkerProcess; job: Job | null; hasGivenWay: boolean };

export type PoolSettings = {
  /** How many processes are kept once that many tasks have run at once, and how many tasks run at once while none takes long. */
  processes: number;
  /** How many there are at most, while some tasks take long. */
  most?: number;
  /** Limit of the JavaScript heap of one process, in MiB. */
  memoryMb: number;
  /** Another program to run, which speaks as `worker.ts` does. */
  workerFile?: string;
};

/** How long a task works before it leaves the processor to others. Its process is replaced afterwards, so few should come to that. */
const giveWayAfterMs = 2_000;

const isIdle = ({ job }: Seat): boolean => job === null;

const ownWorker = fileURLToPath(new URL('./worker/worker.ts', import.meta.url));

/** Of slow tasks, which keep the processors busy, more at once would end none of them sooner. All together never need more than half of the memory, but there are some more than are kept. */
const usualMost = (processes: number, memoryMb: number): number => {
  const megabytes = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 20;
  return Math.max(processes + 2, Math.min(2 * processes + 2, Math.floor(megabytes / 2 / memoryMb)));
};

export const openPool = ({ processes, memoryMb, most = usualMost(processes, memoryMb), workerFile = ownWorker }: PoolSettings): Pool => {
  const queue = openFairQueue({ quick: processes, most, slowAfterMs: usualSlowAfterMs, perGroup: Math.max(1, processes - 1) });
  const seats = new Set<Seat>();
  let closed = false;

  const remove = (seat: Seat): void => {
    seats.delete(seat);
    seat.worker.kill();
  };
  const release = (seat: Seat): Job | null => {
    const { job } = seat;
    seat.job = null;
    return job;
  };
  const open = (): Seat => {
    const worker = startWorker(workerFile, memoryMb, {
      onAnswer: (answer) => {
        const job = release(seat);
        if (seat.hasGivenWay || [...seats].filter(isIdle).length > processes) remove(seat);
        replenish();
        job?.resolve(answer);
      },
      onEnd: (end) => {
        seats.delete(seat);
        // One that cannot even start is not tried again before there is work: it would fail in a loop.
        if (end !== 'never started') replenish();
        release(seat)?.reject(failureOf(end, memoryMb));
      },
    });
    const seat: Seat = { worker, job: null, hasGivenWay: false };
    seats.add(seat);
    return seat;
  };
  /** One process more than work is started ahead of time: most small documents need none. */
  const replenish = (): void => {
    if (!closed && seats.size < processes && ![...seats].some(isIdle)) open();
  };

  const carryOut = async (order: Order, { timeoutMs, onBegin }: TaskTerms): Promise<Answer<unknown>> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer<unknown>>();
    const seat = [...seats].find(isIdle) ?? open();
    seat.job = { resolve, reject };
    replenish();
    onBegin?.();
    seat.worker.send(order);
    // Documents that take long must not make all others take long: those are begun and ended in between.
    let slow: NodeJS.Timeout | undefined;
    const giveWay = (): void => {
      seat.hasGivenWay = true;
      seat.worker.giveWay();
    };
    void seat.worker.ready.then(() => {
      if (seat.job?.resolve === resolve) slow = setTimeout(giveWay, giveWayAfterMs);
    });
    const timer = setTimeout(() => {
      remove(seat);
      replenish();
      reject(tooLate(timeoutMs));
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
      const { group = '', timeoutMs, waitMs = timeoutMs } = terms;
      const patience = { waitMs, tooLate: () => tooBusy('No process was free to convert the document', waitMs) };
      const answer = await queue.add(group, () => carryOut({ task, input }, terms), patience);
      if (isFault(answer)) throw Problem.from(answer.fault);
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

const tooLate = (timeoutMs: number): Problem =>
  Problem.of('processing_timeout', `The document could not be converted within ${timeoutMs / 1000} seconds.`, { timeout_seconds: timeoutMs / 1000 });

const failureOf = (end: End, memoryMb: number): Error =>
  end === 'out of memory'
    ? Problem.of('conversion_failed', 'The document needs more memory to convert than there is for one. Split it into smaller ones.', { details: { reason: 'out of memory', limit_mb: memoryMb } })
    : new Error(end === 'crashed' ? 'a conversion process crashed' : 'a conversion process did not start');
