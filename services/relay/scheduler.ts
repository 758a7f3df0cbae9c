/** Work that is asked for: `key` names it for as long as it is open, `account` is a bare id. */
export type ScheduledTask = { key: string; account: string; urgent: boolean };

export type SchedulerLimits = {
  /** How many outstanding tasks an account may have. */
  maxOutstandingPerAccount: number;
  /** How many outstanding tasks all accounts may have together; an account without any may always have one. */
  maxOutstanding: number;
  /** How many published tasks may wait for their start. */
  maxUnstarted: number;
};

/**
 * Decides which work is published next. Pure: times are milliseconds on the caller's clock.
 * A task waits, is outstanding from its publication to its end, and is known until then.
 */
export type Scheduler<T extends ScheduledTask> = {
  /** No second task where one with the key is known. */
  add(task: T): void;
  /** The next task to publish, outstanding from now on; null where none may be published. */
  take(now: number): T | null;
  /** A worker has begun it. */
  start(key: string, now: number): void;
  /** It comes again later by itself: it is not outstanding until it is started again. */
  pause(key: string, now: number): void;
  end(key: string): void;
  /** Tasks that were published, and of which nothing was heard for so long: to be published again. They count as heard of. */
  takeStalled(now: number, forMs: number): T[];
  /** How many tasks wait, and how many are outstanding. */
  counts(): { waiting: number; outstanding: number };
};

/** One published task in so many is an ordinary one, where there are any that may be published, however many urgent ones wait. */
export const ordinaryTaskInterval = 4;

/**
 * A published task that no worker has begun for so many milliseconds is left out of all counts until one does: its
 * worker lacks something, or the message is lost. Where as much is begun as may be outstanding, no worker has a free
 * place, and it may wait for one much longer.
 */
export const unstartedTimeoutMs = { belowLimit: 5_000, atLimit: 60_000 };

/**
 * The tasks of an account in their order. The next one to publish is the first from `next` on that still waits: to take
 * the first entry of a large Map again and again would pass over all that were removed from it.
 */
type AccountTasks<T> = { tasks: T[]; nextIndex: number; waitingCount: number };
/** Accounts in turn: the account that comes first is next. */
type AccountTurns<T> = Map<string, AccountTasks<T>>;
type PublishedTask<T> = { task: T; lastActivityAt: number; isOutstanding: boolean };

/** So many tasks that wait no more are kept at the beginning of an account's tasks, at most as many as wait. */
const maxPassedTasks = 1_000;

/** `limits` may change while it runs. */
export const createScheduler = <T extends ScheduledTask>(limits: () => SchedulerLimits): Scheduler<T> => {
  const lines: Record<'urgent' | 'ordinary', AccountTurns<T>> = { urgent: new Map(), ordinary: new Map() };
  const waiting = new Map<string, T>();
  const published = new Map<string, PublishedTask<T>>();
  /** Published and not begun, by when they were published, the oldest first. */
  const unstarted = new Map<string, number>();
  const outstanding = new Map<string, number>();
  let all = 0;
  let taken = 0;

  const lineOf = ({ urgent }: T): AccountTurns<T> => lines[urgent ? 'urgent' : 'ordinary'];

  const leaveLine = (task: T): void => {
    const line = lineOf(task);
    const own = line.get(task.account);
    waiting.delete(task.key);
    if (own && (own.waitingCount -= 1) === 0) line.delete(task.account);
  };

  const firstOf = (own: AccountTasks<T>): T => {
    let task = own.tasks[own.nextIndex]!;
    while (waiting.get(task.key) !== task) task = own.tasks[(own.nextIndex += 1)]!;
    if (own.nextIndex > maxPassedTasks && own.nextIndex * 2 > own.tasks.length) {
      own.tasks = own.tasks.slice(own.nextIndex);
      own.nextIndex = 0;
    }
    return task;
  };

  const count = (one: PublishedTask<T>, counts: boolean): void => {
    if (one.isOutstanding === counts) return;
    one.isOutstanding = counts;
    const by = counts ? 1 : -1;
    const { account } = one.task;
    const own = (outstanding.get(account) ?? 0) + by;
    if (own > 0) outstanding.set(account, own);
    else outstanding.delete(account);
    all += by;
  };

  /** An account may have as many as half of what the others leave free: whoever comes later finds room (dynamic thresholds, Choudhury and Hahne 1998). */
  const isFull = (account: string, { maxOutstandingPerAccount, maxOutstanding: most }: SchedulerLimits): boolean => {
    const own = outstanding.get(account) ?? 0;
    return own > 0 && (own >= maxOutstandingPerAccount || own * 2 >= most - all);
  };

  const nextIn = (line: AccountTurns<T>, now: SchedulerLimits): T | null => {
    for (const [account, own] of line) {
      if (isFull(account, now)) continue;
      // Whoever was served goes behind all others.
      line.delete(account);
      line.set(account, own);
      return firstOf(own);
    }
    return null;
  };

  const forgetStale = (now: number): void => {
    const forMs =
      all - unstarted.size < limits().maxOutstanding ? unstartedTimeoutMs.belowLimit : unstartedTimeoutMs.atLimit;
    for (const [key, since] of unstarted) {
      if (now - since < forMs) return;
      unstarted.delete(key);
      count(published.get(key)!, false);
    }
  };

  const heard = (key: string, now: number, counts: boolean): void => {
    const one = published.get(key);
    if (!one) return;
    unstarted.delete(key);
    one.lastActivityAt = now;
    count(one, counts);
  };

  const publish = (task: T, now: number): PublishedTask<T> => {
    leaveLine(task);
    const one: PublishedTask<T> = { task, lastActivityAt: now, isOutstanding: false };
    published.set(task.key, one);
    count(one, true);
    return one;
  };

  return {
    add: (task) => {
      if (waiting.has(task.key) || published.has(task.key)) return;
      const line = lineOf(task);
      const own = line.get(task.account) ?? { tasks: [], nextIndex: 0, waitingCount: 0 };
      own.tasks.push(task);
      own.waitingCount += 1;
      line.set(task.account, own);
      waiting.set(task.key, task);
    },
    take: (now) => {
      forgetStale(now);
      const current = limits();
      if (unstarted.size >= current.maxUnstarted) return null;
      const [first, second] =
        taken % ordinaryTaskInterval === ordinaryTaskInterval - 1
          ? [lines.ordinary, lines.urgent]
          : [lines.urgent, lines.ordinary];
      const task = nextIn(first, current) ?? nextIn(second, current);
      if (!task) return null;
      taken += 1;
      publish(task, now);
      unstarted.set(task.key, now);
      return task;
    },
    start: (key, now) => {
      const task = waiting.get(key);
      if (task) publish(task, now);
      heard(key, now, true);
    },
    pause: (key, now) => heard(key, now, false),
    end: (key) => {
      const task = waiting.get(key);
      if (task) leaveLine(task);
      heard(key, 0, false);
      published.delete(key);
    },
    takeStalled: (now, forMs) => {
      const all = [...published.values()].filter(({ lastActivityAt }) => now - lastActivityAt >= forMs);
      for (const one of all) one.lastActivityAt = now;
      return all.map(({ task }) => task);
    },
    counts: () => ({ waiting: waiting.size, outstanding: all }),
  };
};
