import { createCountsByKey } from '#libs/concurrency/counts-by-key.ts';
import { ordinaryTaskInterval } from '#libs/concurrency/ordinary-task-interval.ts';

/**
 * `key` identifies the task until it has ended. `account` is an id without a prefix. `hasStartEvent` tells whether the
 * event log has the start of the task. A task without one counts as started when it is published.
 */
export type ScheduledTask = { key: string; account: string; urgent: boolean; hasStartEvent: boolean };

export type SchedulerLimits = {
  /** How many outstanding tasks an account may have. */
  maxOutstandingPerAccount: number;
  /** How many outstanding tasks all accounts may have together. An account without any may always have one. */
  maxOutstanding: number;
  /** How many published tasks may wait for their start. */
  maxUnstarted: number;
  /** How long an overtaken task is counted, in milliseconds, if its worker may start it late. */
  overtakenTimeoutMs?: number;
};

/**
 * Decides which task is published next. Pure: times are milliseconds on the caller's clock. A task waits until it is
 * published, and is outstanding from then until it ends.
 */
export type Scheduler<T extends ScheduledTask> = {
  /** Does nothing when a task with the key waits or is outstanding. */
  add(task: T): void;
  /** The next task to publish, which is outstanding from now on; null when none may be published. */
  take(now: number): T | null;
  /** A worker has started the task. */
  start(key: string, now: number): void;
  /** The bus will deliver the task again at `until` by itself. It stays outstanding: its worker will need a permit again. */
  pause(key: string, until: number): void;
  end(key: string): void;
  /**
   * Published tasks without any activity for `forMs` milliseconds, to be published again. This counts as activity. The
   * delay of a paused task does not count.
   */
  takeStalled(now: number, forMs: number): T[];
};

/**
 * In milliseconds. A published task is overtaken when a worker starts a task that was published later. An overtaken task
 * that no worker has started for this time is not counted until one starts it: its worker has a problem, or its message
 * is lost. Without a worker no task is overtaken, so that accounts keep to their limits. At the limit of outstanding tasks
 * no worker has a free permit, so a task may wait much longer.
 */
export const overtakenTimeoutMs = { belowLimit: 5_000, atLimit: 60_000 };

/**
 * The tasks of an account in their order. The next one to publish is the first from `nextIndex` on that still waits. A
 * Map would be slow: finding its first entry passes over all entries that were removed.
 */
type AccountTasks<T> = { tasks: T[]; nextIndex: number; waitingCount: number };
/** The accounts in the order of their turns. */
type AccountTurns<T> = Map<string, AccountTasks<T>>;
/** `idleSince` is the time of the last activity, or the end of the delay of a paused task. */
type PublishedTask<T> = { task: T; idleSince: number; isOutstanding: boolean };

/** Passed tasks are removed from an account's tasks when there are more of them than this, and more than waiting ones. */
const maxPassedTasks = 1_000;

/** `limits` is called at each decision, so the limits may change. */
export const createScheduler = <T extends ScheduledTask>(limits: () => SchedulerLimits): Scheduler<T> => {
  const turns: Record<'urgent' | 'ordinary', AccountTurns<T>> = { urgent: new Map(), ordinary: new Map() };
  const waiting = new Map<string, T>();
  const published = new Map<string, PublishedTask<T>>();
  /** Published tasks that no worker has started, without overtaken ones, the oldest first. */
  const unstarted = new Set<string>();
  /** With the time at which they were overtaken, the earliest first. */
  const overtaken = new Map<string, number>();
  const outstanding = createCountsByKey();
  let takenCount = 0;

  const turnsFor = ({ urgent }: T): AccountTurns<T> => turns[urgent ? 'urgent' : 'ordinary'];

  const removeWaiting = (task: T): void => {
    const accounts = turnsFor(task);
    const accountTasks = accounts.get(task.account);
    waiting.delete(task.key);
    if (accountTasks && (accountTasks.waitingCount -= 1) === 0) accounts.delete(task.account);
  };

  const firstWaiting = (accountTasks: AccountTasks<T>): T => {
    let task = accountTasks.tasks[accountTasks.nextIndex]!;
    while (waiting.get(task.key) !== task) task = accountTasks.tasks[(accountTasks.nextIndex += 1)]!;
    if (accountTasks.nextIndex > maxPassedTasks && accountTasks.nextIndex * 2 > accountTasks.tasks.length) {
      accountTasks.tasks = accountTasks.tasks.slice(accountTasks.nextIndex);
      accountTasks.nextIndex = 0;
    }
    return task;
  };

  const setOutstanding = (publishedTask: PublishedTask<T>, isOutstanding: boolean): void => {
    if (publishedTask.isOutstanding === isOutstanding) return;
    publishedTask.isOutstanding = isOutstanding;
    outstanding.change(publishedTask.task.account, isOutstanding ? 1 : -1);
  };

  /**
   * An account may have half as many outstanding tasks as are still free, so that a later account finds room (dynamic
   * thresholds, Choudhury and Hahne 1998).
   */
  const isFull = (account: string, { maxOutstandingPerAccount, maxOutstanding }: SchedulerLimits): boolean => {
    const count = outstanding.of(account);
    return count > 0 && (count >= maxOutstandingPerAccount || count * 2 >= maxOutstanding - outstanding.total());
  };

  const nextTask = (accounts: AccountTurns<T>, currentLimits: SchedulerLimits): T | null => {
    for (const [account, accountTasks] of accounts) {
      if (isFull(account, currentLimits)) continue;
      // To the end: the account has had its turn.
      accounts.delete(account);
      accounts.set(account, accountTasks);
      return firstWaiting(accountTasks);
    }
    return null;
  };

  const unstartedCount = (): number => unstarted.size + overtaken.size;

  /** The bus delivers messages in their order, so workers have taken or lost those of earlier tasks. */
  const overtakeEarlierThan = (key: string, now: number): void => {
    if (!unstarted.has(key)) return;
    for (const earlier of unstarted) {
      if (earlier === key) return;
      unstarted.delete(earlier);
      overtaken.set(earlier, now);
    }
  };

  const dropOvertaken = (now: number): void => {
    const startedCount = outstanding.total() - unstartedCount();
    const { maxOutstanding, overtakenTimeoutMs: ownTimeoutMs } = limits();
    const timeoutMs =
      ownTimeoutMs ?? (startedCount < maxOutstanding ? overtakenTimeoutMs.belowLimit : overtakenTimeoutMs.atLimit);
    for (const [key, overtakenAt] of overtaken) {
      if (now - overtakenAt < timeoutMs) return;
      overtaken.delete(key);
      setOutstanding(published.get(key)!, false);
    }
  };

  const recordActivity = (key: string, at: number, isOutstanding: boolean): void => {
    const publishedTask = published.get(key);
    if (!publishedTask) return;
    unstarted.delete(key);
    overtaken.delete(key);
    publishedTask.idleSince = at;
    setOutstanding(publishedTask, isOutstanding);
  };

  const markPublished = (task: T, now: number): void => {
    removeWaiting(task);
    const publishedTask: PublishedTask<T> = { task, idleSince: now, isOutstanding: false };
    published.set(task.key, publishedTask);
    setOutstanding(publishedTask, true);
  };

  /** An earlier relay, or another one, has published the task. */
  const markWaitingPublished = (key: string, now: number): void => {
    const task = waiting.get(key);
    if (task) markPublished(task, now);
  };

  return {
    add: (task) => {
      if (waiting.has(task.key) || published.has(task.key)) return;
      const accounts = turnsFor(task);
      const accountTasks = accounts.get(task.account) ?? { tasks: [], nextIndex: 0, waitingCount: 0 };
      accountTasks.tasks.push(task);
      accountTasks.waitingCount += 1;
      accounts.set(task.account, accountTasks);
      waiting.set(task.key, task);
    },
    take: (now) => {
      dropOvertaken(now);
      const currentLimits = limits();
      if (unstartedCount() >= currentLimits.maxUnstarted) return null;
      const [first, second] =
        takenCount % ordinaryTaskInterval === ordinaryTaskInterval - 1
          ? [turns.ordinary, turns.urgent]
          : [turns.urgent, turns.ordinary];
      const task = nextTask(first, currentLimits) ?? nextTask(second, currentLimits);
      if (!task) return null;
      takenCount += 1;
      markPublished(task, now);
      if (task.hasStartEvent) unstarted.add(task.key);
      return task;
    },
    start: (key, now) => {
      markWaitingPublished(key, now);
      overtakeEarlierThan(key, now);
      recordActivity(key, now, true);
    },
    pause: (key, until) => {
      markWaitingPublished(key, until);
      recordActivity(key, until, true);
    },
    end: (key) => {
      const task = waiting.get(key);
      if (task) removeWaiting(task);
      recordActivity(key, 0, false);
      published.delete(key);
    },
    takeStalled: (now, forMs) => {
      const stalled = [...published.values()].filter(({ idleSince }) => now - idleSince >= forMs);
      for (const publishedTask of stalled) publishedTask.idleSince = now;
      return stalled.map(({ task }) => task);
    },
  };
};
