import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { createPermits, type PermitLimits } from './permits.ts';

/** How long a work waits for its place at most, and the error that it fails with otherwise. */
export type WaitOptions = { timeoutMs: number; createError: () => Error };

/** Work waits here for a place. Groups take turns; the works of one group come in order. */
export type FairQueue = {
  /** Does the work as soon as its group has a place. Throws what the work throws, and `tooLate()` where no place came free in time. */
  add<T>(group: string, work: () => Promise<T>, patience?: WaitOptions): Promise<T>;
  running(): number;
  waiting(): number;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
  /** Fails what waits with this error, and whatever comes later. */
  close(error: Error): void;
};

type QueuedTask = { start: () => void; reject: (error: Error) => void };

export const openFairQueue = (limits: PermitLimits): FairQueue => {
  const places = createPermits(limits);
  /** What waits, by group; the group whose turn is next comes first. */
  const waiting = new Map<string, QueuedTask[]>();
  let idlers: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let closed: Error | null = null;

  const remove = (group: string, one: QueuedTask): void => {
    const left = (waiting.get(group) ?? []).filter((other) => other !== one);
    if (left.length > 0) waiting.set(group, left);
    else waiting.delete(group);
  };
  const nextGroup = (): string | undefined =>
    places.isAvailable() ? [...waiting.keys()].find((group) => places.canAcquire(group)) : undefined;

  const serve = (): void => {
    clearTimeout(timer);
    for (let group = nextGroup(); group !== undefined; group = nextGroup()) {
      const [first, ...others] = waiting.get(group)!;
      waiting.delete(group);
      if (others.length > 0) waiting.set(group, others);
      first!.start();
    }
    const changeInMs = waiting.size > 0 ? places.msUntilNextSlow() : null;
    if (changeInMs !== null) timer = setTimeout(serve, Math.ceil(changeInMs));
    if (waiting.size === 0 && places.running() === 0) for (const resolve of idlers.splice(0)) resolve();
  };

  const place = async (group: string, patience: WaitOptions | undefined): Promise<() => void> => {
    if (closed) throw closed;
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const one: QueuedTask = { start: () => resolve(places.acquire(group)), reject: reject };
    const works = waiting.get(group) ?? [];
    works.push(one);
    waiting.set(group, works);
    serve();
    if (!patience) return promise;
    const tooLate = (): Error => {
      remove(group, one);
      return patience.createError();
    };
    return runWithTimeout(Math.max(0, patience.timeoutMs), () => promise, { createError: tooLate });
  };

  return {
    add: async (group, work, patience) => {
      const leave = await place(group, patience);
      try {
        if (closed) throw closed;
        return await work();
      } finally {
        leave();
        serve();
      }
    },
    running: () => places.running(),
    waiting: () => [...waiting.values()].reduce((sum, works) => sum + works.length, 0),
    idle: () =>
      new Promise((resolve) => {
        idlers = [...idlers, resolve];
        serve();
      }),
    close: (error) => {
      closed = error;
      const all = [...waiting.values()].flat();
      waiting.clear();
      for (const one of all) one.reject(error);
    },
  };
};
