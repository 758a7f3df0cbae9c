import { createChangeSignal } from './change-signal.ts';
import { createPermits, type PermitLimits } from './permits.ts';
import { runWithTimeout } from './timeout.ts';

/** How long a task may wait for its permit, in milliseconds, and the error it fails with after that time. */
export type WaitOptions = { timeoutMs: number; createError: () => Error };

/** A queue of tasks that wait for a permit. Groups take turns. The tasks of one group start in order. */
export type FairQueue = {
  /** Runs the task as soon as its group has a permit. @throws what the task throws, and `createError()` after the timeout */
  add<T>(group: string, task: () => Promise<T>, options?: WaitOptions): Promise<T>;
  running(): number;
  waiting(): number;
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>;
  /** Rejects waiting and later tasks with this error. */
  close(error: Error): void;
};

type QueuedTask = { start: () => void; reject: (error: Error) => void };

/** Shares the permits between the groups as `createPermits` does. */
export const openFairQueue = (limits: PermitLimits): FairQueue => {
  const permits = createPermits(limits);
  /** Waiting tasks by group. The group that is first in turn comes first. */
  const waiting = new Map<string, QueuedTask[]>();
  const idleSignal = createChangeSignal();
  let timer: NodeJS.Timeout | undefined;
  let closed: Error | null = null;

  const remove = (group: string, task: QueuedTask): void => {
    const others = (waiting.get(group) ?? []).filter((other) => other !== task);
    if (others.length > 0) waiting.set(group, others);
    else waiting.delete(group);
  };
  const isIdle = (): boolean => waiting.size === 0 && permits.running() === 0;
  const nextGroup = (): string | undefined =>
    permits.isAvailable() ? [...waiting.keys()].find((group) => permits.canAcquire(group)) : undefined;

  const startTasks = (): void => {
    clearTimeout(timer);
    for (let group = nextGroup(); group !== undefined; group = nextGroup()) {
      const [first, ...others] = waiting.get(group)!;
      waiting.delete(group);
      if (others.length > 0) waiting.set(group, others);
      first!.start();
    }
    const retryInMs = waiting.size > 0 ? permits.msUntilNextSlow() : null;
    if (retryInMs !== null) timer = setTimeout(startTasks, Math.ceil(retryInMs));
    if (isIdle()) idleSignal.notify();
  };

  const acquirePermit = async (group: string, options: WaitOptions | undefined): Promise<() => void> => {
    if (closed) throw closed;
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const task: QueuedTask = { start: () => resolve(permits.acquire(group)), reject };
    const tasks = waiting.get(group) ?? [];
    tasks.push(task);
    waiting.set(group, tasks);
    startTasks();
    if (!options) return promise;
    const createError = (): Error => {
      remove(group, task);
      return options.createError();
    };
    return runWithTimeout(Math.max(0, options.timeoutMs), () => promise, { createError });
  };

  return {
    add: async (group, task, options) => {
      const release = await acquirePermit(group, options);
      try {
        if (closed) throw closed;
        return await task();
      } finally {
        release();
        startTasks();
      }
    },
    running: () => permits.running(),
    waiting: () => [...waiting.values()].reduce((sum, tasks) => sum + tasks.length, 0),
    idle: async () => {
      if (!isIdle()) await idleSignal.waitForChange();
    },
    close: (error) => {
      closed = error;
      const tasks = [...waiting.values()].flat();
      waiting.clear();
      for (const task of tasks) task.reject(error);
    },
  };
};

/**
 * Runs work with the same key one after the other within this process, to avoid conflicts. Between processes the
 * expected revision decides.
 */
export const createKeyedLock = () => {
  const queue = openFairQueue({ maxQuick: Infinity, maxTotal: Infinity, slowAfterMs: Infinity, maxPerGroup: 1 });
  return <T>(key: string, work: () => Promise<T>): Promise<T> => queue.add(key, work);
};
