import { LRUCache } from 'lru-cache';
import type { RenderSource } from '#contracts/events/render-request.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import { inputKindOf } from '#libs/domain/render-inputs.ts';
import {
  type WorkDurationsDocument,
  allAccountsDocumentId,
  waitPerQueuedRenderMs,
  expectedWorkMs,
} from '#libs/projections/work-durations.ts';
import type { RenderKind } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { ordinaryTaskInterval } from '#libs/concurrency/ordinary-task-interval.ts';

/** `accountId` is a bare id. `urgent`: a caller waits for the render. */
export type EstimateRequest = { accountId: string; source: RenderSource; priority: 'urgent' | 'ordinary' };

/** Estimated wait and work time of a render in milliseconds, and the number of pending renders of all accounts. */
export type Estimate = {
  waitMs: number;
  workMs: number;
  pendingRenders: number;
  /**
   * Must be called with the position of the accepted job, or null if it was rejected. Until then the job counts in
   * later estimates.
   */
  confirmPosition?: (position: number | null) => void;
};

export type Estimator = {
  /** Uses counts that are at most `maxAgeMs` old. */
  estimate(request: EstimateRequest, maxAgeMs?: number): Promise<Estimate>;
};

/** Queued renders of an account: with a waiting caller, and jobs. */
type WaitingCounts = { urgent: number; ordinary: number };

const defaultMaxAgeMs = 250;
const maxAgeBeforeRejectionMs = 10;
/** The estimate without recent renders. */
const defaultWorkMs = 500;
/** An accepted job without a position counts for this time. */
const acceptanceTimeoutMs = 60_000;
const maxCachedAccounts = 1_000;

/** The number of the account's renders that start before a new one. */
const rendersAhead = (priority: EstimateRequest['priority'], { urgent, ordinary }: WaitingCounts): number =>
  priority === 'ordinary'
    ? urgent + ordinary
    : urgent + Math.min(ordinary, Math.floor(urgent / (ordinaryTaskInterval - 1)));

type CachedRead<T> = { at: number; value: Promise<T> };
type AccountWorkDurations = { own: WorkDurationsDocument | null; ofAll: WorkDurationsDocument | null };

/** Caches reads by account. */
const cacheByAccount = <T>(now: () => number, read: (accountId: string) => Promise<T>) => {
  const cached = new LRUCache<string, CachedRead<T>>({ max: maxCachedAccounts });
  return (accountId: string, maxAgeMs: number): Promise<T> => {
    const known = cached.get(accountId);
    // Math.abs: the clock can be set back.
    if (known && Math.abs(now() - known.at) <= maxAgeMs) return known.value;
    const value = read(accountId);
    value.catch(() => cached.delete(accountId));
    cached.set(accountId, { at: now(), value });
    return value;
  };
};

/** `position` is Infinity until the job is in the event log, and 0 if it was rejected. */
type AcceptedJob = { at: number; position: number };
/** What the read model had at `checkpoint`, and the jobs that this process accepted and that it did not have. */
type Queue<T> = { counts: T; checkpoint: number; readNumber: number; missing: Set<AcceptedJob> };

/**
 * Reads the queue of an account from the read model of renders. The queue changes with each read and each job, so look
 * at its counts and its missing jobs together: a job moves from the missing jobs to the counts.
 */
const readsOfQueues = <T>(reads: ReadStore, now: () => number, count: (accountId: string) => Promise<T>) => {
  const queues = new LRUCache<string, Queue<T>>({ max: maxCachedAccounts });
  let lastReadNumber = 0;
  return cacheByAccount(now, async (accountId): Promise<Queue<T>> => {
    const readNumber = (lastReadNumber += 1);
    const checkpoint = await reads.checkpoint(readModels.renders);
    const counts = await count(accountId);
    const queue = queues.get(accountId) ?? { counts, checkpoint, readNumber, missing: new Set() };
    queues.set(accountId, queue);
    // A later read was faster.
    if (readNumber < queue.readNumber) return queue;
    Object.assign(queue, { counts, checkpoint, readNumber });
    for (const job of queue.missing) {
      const isLost = job.position === Infinity && Math.abs(now() - job.at) >= acceptanceTimeoutMs;
      if (job.position <= checkpoint || isLost) queue.missing.delete(job);
    }
    return queue;
  });
};

/** Adds a job, until the read model has it or it is rejected. */
const addJob = (queue: Queue<unknown>, at: number): ((position: number | null) => void) => {
  const job: AcceptedJob = { at, position: Infinity };
  queue.missing.add(job);
  return (position) => {
    job.position = position ?? 0;
    if (job.position <= queue.checkpoint) queue.missing.delete(job);
  };
};

/**
 * Accounts take turns, so a render waits only for renders of its own account: the estimate is their number times the
 * wait per queued render. The counts are cached, since counting a long queue for each request is expensive. If
 * `isBusUnavailable`, no render can start, and urgent renders are rejected.
 */
export const createEstimator = (
  reads: ReadStore,
  isBusUnavailable: () => boolean = () => false,
  now: () => number = Date.now,
): Estimator => {
  const count = (where: Record<string, string>): Promise<number> => reads.count(readModels.renders, where);
  const readAll = readsOfQueues(reads, now, async () => {
    const counts = await Promise.all(['QUEUED', 'PROCESSING'].map((status) => count({ status })));
    return counts[0]! + counts[1]!;
  });
  const readAccount = readsOfQueues(reads, now, async (accountId): Promise<WaitingCounts> => {
    const [urgent, ordinary] = await Promise.all(
      (['synchronous', 'asynchronous'] satisfies RenderKind[]).map((kind) =>
        count({ accountId, kind, status: 'QUEUED' }),
      ),
    );
    return { urgent: urgent!, ordinary: ordinary! };
  });
  const readWorkDurations = cacheByAccount(now, async (accountId): Promise<AccountWorkDurations> => {
    const [own, ofAll] = await Promise.all(
      [accountId, allAccountsDocumentId].map(
        (id) => reads.get(readModels.workDurations, id) as Promise<WorkDurationsDocument | null>,
      ),
    );
    return { own: own!, ofAll: ofAll! };
  });

  return {
    estimate: async ({ accountId, source, priority }, maxAgeMs = defaultMaxAgeMs) => {
      if (priority === 'urgent' && isBusUnavailable())
        throw ApiError.of(
          'service_unavailable',
          'No render can start now. Try again shortly, or send an asynchronous request.',
          { retry_after: 2 },
        );
      const [account, all, { own, ofAll }] = await Promise.all([
        readAccount(accountId, maxAgeMs),
        readAll('', defaultMaxAgeMs),
        readWorkDurations(accountId, maxAgeMs),
      ]);
      const { urgent, ordinary } = account.counts;
      const ahead = rendersAhead(priority, { urgent, ordinary: ordinary + account.missing.size });
      const pendingRenders = all.counts + all.missing.size;
      // In the same turn, so that the next request counts this job.
      const confirmations = priority === 'ordinary' ? [account, all].map((queue) => addJob(queue, now())) : [];
      const kind = inputKindOf(source);
      return {
        waitMs: Math.round(ahead * waitPerQueuedRenderMs(own, now())),
        workMs: Math.round(expectedWorkMs(own, kind, now()) ?? expectedWorkMs(ofAll, kind, now()) ?? defaultWorkMs),
        pendingRenders,
        confirmPosition: (position) => confirmations.forEach((confirm) => confirm(position)),
      };
    },
  };
};

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/**
 * The estimate of an urgent render. Rejects only after a second estimate with fresh counts.
 * @throws ApiError service_unavailable if the render would wait longer than its deadline
 */
export const requireShortWait = async (
  estimator: Estimator,
  request: EstimateRequest,
  deadlineMs: number,
): Promise<Estimate> => {
  const first = await estimator.estimate(request);
  if (first.waitMs <= deadlineMs) return first;
  const second = await estimator.estimate(request, maxAgeBeforeRejectionMs);
  if (second.waitMs <= deadlineMs) return second;
  const retryAfter = inSeconds(second.waitMs - deadlineMs);
  throw ApiError.of(
    'service_unavailable',
    `Too many renders of the account are queued: this one would not start within ${deadlineMs / 1000} s. ` +
      `Try again in ${retryAfter} s, or send an asynchronous request.`,
    { retry_after: retryAfter },
  );
};

/** @throws ApiError service_unavailable if the backlog is full */
export const requireBacklogCapacity = (
  { pendingRenders, waitMs, confirmPosition }: Estimate,
  maxBacklog: number,
): void => {
  if (pendingRenders < maxBacklog) return;
  confirmPosition?.(null);
  const retryAfter = inSeconds((waitMs / pendingRenders) * (pendingRenders - maxBacklog + 1));
  throw ApiError.of(
    'service_unavailable',
    `${pendingRenders} renders are pending, the maximum of the service. Try again in ${retryAfter} s.`,
    { retry_after: retryAfter },
  );
};
