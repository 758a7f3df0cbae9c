import { fileURLToPath } from 'node:url';
import { Problem } from '#contracts/http/problem.ts';
import { type Answer, isFault } from './worker/answer.ts';
import { type End, startWorker, type WorkerProcess } from './worker/process.ts';
import type { Order, Tasks } from './worker/worker.ts';

/**
 * Processes for work that is fed by callers: each with a memory limit, each task with a deadline. One that breaks either is ended and replaced.
 * They are processes, because a thread that runs out of memory while an array grows takes its whole process along.
 */
export type Pool = {
  /**
   * Throws the Problem that the task raised, or that ending it comes to. `timeoutMs` counts from the call, waiting included.
   * Tasks of one `group` never hold the last process, so that those of others are not held up by them.
   */
  run: <Name extends keyof Tasks>(task: Name, input: Tasks[Name]['input'], options: { timeoutMs: number; group?: string }) => Promise<Tasks[Name]['output']>;
  /** What it is doing now. */
  load: () => PoolLoad;
  close: () => void;
};

/** How many processes there are, how many of them work, and how many tasks wait for one. */
export type PoolLoad = { processes: number; running: number; waiting: number };

type Job = { order: Order; group: string; resolve: (answer: Answer<unknown>) => void; reject: (error: unknown) => void };
type Seat = { worker: WorkerProcess | undefined; job: Job | undefined };

const ownWorker = fileURLToPath(new URL('./worker/worker.ts', import.meta.url));

/** @param settings `memoryMb`: limit of the JavaScript heap of one process, in MiB; `workerFile`: another program to run, which speaks as `worker.ts` does */
export const openPool = ({ processes, memoryMb, workerFile = ownWorker }: { processes: number; memoryMb: number; workerFile?: string }): Pool => {
  const seats: Seat[] = Array.from({ length: processes }, () => ({ worker: undefined, job: undefined }));
  const waiting: Job[] = [];
  let closed = false;

  const fill = (seat: Seat): WorkerProcess => {
    const worker = startWorker(workerFile, memoryMb, {
      onAnswer: (answer) => release(seat)?.resolve(answer),
      onEnd: (end) => {
        seat.worker = undefined;
        // One that cannot even start is not tried again before there is work: it would fail in a loop.
        if (end !== 'never started') refill(seat);
        release(seat)?.reject(failureOf(end, memoryMb));
      },
    });
    seat.worker = worker;
    return worker;
  };
  const refill = (seat: Seat): void => {
    if (!closed) fill(seat);
  };
  const release = (seat: Seat): Job | undefined => {
    const { job } = seat;
    seat.job = undefined;
    queueMicrotask(assign);
    return job;
  };
  const mostOfOneGroup = Math.max(1, processes - 1);
  const mayBegin = ({ group }: Job): boolean => seats.filter(({ job }) => job?.group === group).length < mostOfOneGroup;
  const nextJob = (): Job | undefined => {
    const place = waiting.findIndex(mayBegin);
    return place < 0 ? undefined : waiting.splice(place, 1)[0];
  };
  const assign = (): void => {
    for (const seat of seats) {
      const job = seat.job ? undefined : nextJob();
      if (!job) continue;
      seat.job = job;
      (seat.worker ?? fill(seat)).send(job.order);
    }
  };
  const drop = (job: Job): void => {
    const place = waiting.indexOf(job);
    if (place >= 0) waiting.splice(place, 1);
    const seat = seats.find((taken) => taken.job === job);
    if (!seat) return;
    seat.worker?.kill();
    refill(seat);
    release(seat);
  };

  seats.forEach(refill);
  return {
    run: async (task, input, { timeoutMs, group = '' }) => {
      if (closed) throw new Error('the pool is closed');
      const { promise, resolve, reject } = Promise.withResolvers<Answer<unknown>>();
      const job: Job = { order: { task, input }, group, resolve, reject };
      const timer = setTimeout(() => {
        drop(job);
        reject(tooLate(timeoutMs));
      }, timeoutMs);
      waiting.push(job);
      assign();
      try {
        const answer = await promise;
        if (isFault(answer)) throw Problem.from(answer.fault);
        return answer.value as Tasks[typeof task]['output'];
      } finally {
        clearTimeout(timer);
      }
    },
    load: () => ({ processes, running: seats.filter(({ job }) => job).length, waiting: waiting.length }),
    close: () => {
      closed = true;
      const closing = new Error('the pool is closed');
      for (const job of waiting.splice(0)) job.reject(closing);
      for (const seat of seats) {
        seat.worker?.kill();
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
