import { LRUCache } from 'lru-cache';
import type { RenderSource } from '#contracts/events/render.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import {
  type WorkDurationsDocument,
  allAccountsDocumentId,
  waitPerQueuedRenderMs,
  expectedWorkMs,
} from '#libs/projections/work-durations.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** A render that is asked for: by which account (bare id), and whether somebody waits for it. */
export type EstimateRequest = { accountId: string; source: RenderSource; priority: 'urgent' | 'ordinary' };

/** How long a render will probably wait and take, in milliseconds, and how many renders of all accounts are waiting or under way. */
export type Estimate = {
  waitMs: number;
  workMs: number;
  pendingRenders: number;
  /** Says at which position of the log the job is that was asked for; null where it was refused. Until then it counts for those that come next. */
  confirmPosition?: (position: number | null) => void;
};

export type Estimator = {
  /** By a look at the queue that is at most `freshForMs` old. */
  estimate(asked: EstimateRequest, freshForMs?: number): Promise<Estimate>;
};

/** How many renders of an account wait: those that somebody waits for, and jobs. */
type WaitingCounts = { urgent: number; ordinary: number };

const defaultMaxAgeMs = 250;
/** Of a look that somebody is refused by. */
const maxAgeBeforeRejectionMs = 10;
/** As long as nothing was rendered lately. */
const defaultWorkMs = 500;
/** A job of which nothing was said for so long counts no more. */
const acceptanceTimeoutMs = 60_000;
/** The number of accounts that are remembered. */
const maxCachedAccounts = 1_000;

/** Of the renders that are taken up, one in so many is one that nobody waits for, as long as there are any. */
const ordinaryInterval = 4;

/** How many renders of the account are taken up before one that comes now. */
const rendersAhead = (priority: EstimateRequest['priority'], { urgent, ordinary }: WaitingCounts): number =>
  priority === 'ordinary'
    ? urgent + ordinary
    : urgent + Math.min(ordinary, Math.floor(urgent / (ordinaryInterval - 1)));

type CachedRead<T> = { at: number; value: Promise<T> };
type AccountWorkDurations = { own: WorkDurationsDocument | null; ofAll: WorkDurationsDocument | null };

const inputKindOf = (source: RenderSource): string => (source.mode === 'CONVERT' ? source.inputType : 'template');

/** Keeps what was seen for a while, by account. */
const cacheByAccount = <T>(now: () => number, look: (accountId: string) => Promise<T>) => {
  const looks = new LRUCache<string, CachedRead<T>>({ max: maxCachedAccounts });
  return (accountId: string, freshForMs: number): Promise<T> => {
    const known = looks.get(accountId);
    // The clock may be set back.
    if (known && Math.abs(now() - known.at) <= freshForMs) return known.value;
    const seen = look(accountId);
    seen.catch(() => looks.delete(accountId));
    looks.set(accountId, { at: now(), value: seen });
    return seen;
  };
};

/** A job that was asked for. `position` is Infinity until the log has it, and -1 where it was refused. */
type AcceptedJob = { at: number; position: number };

/** Counts in the read model of renders, and the jobs that were asked for here and that it does not show yet. */
const countsWithJobs = <T>(reads: ReadStore, now: () => number, count: (accountId: string) => Promise<T>) => {
  const jobs = new LRUCache<string, AcceptedJob[]>({ max: maxCachedAccounts });
  const isUnseen =
    (through: number) =>
    ({ at, position }: AcceptedJob): boolean =>
      position > through && (position !== Infinity || Math.abs(now() - at) < acceptanceTimeoutMs);
  const look = cacheByAccount(now, async (accountId) => {
    const through = await reads.checkpoint(readModels.renders);
    const counts = await count(accountId);
    jobs.set(accountId, (jobs.get(accountId) ?? []).filter(isUnseen(through)));
    return { counts, through };
  });
  return {
    look,
    /** Adds the job, if there is one. The answer tells how many jobs before it a look through a position does not show. */
    ask: (accountId: string, job: AcceptedJob | null): ((through: number) => number) => {
      const asked = jobs.get(accountId) ?? [];
      const before = asked.length;
      if (job) {
        asked.push(job);
        jobs.set(accountId, asked);
      }
      return (through) => asked.slice(0, before).filter(isUnseen(through)).length;
    },
  };
};

/**
 * A render waits behind those of its own account alone, for accounts take turns: how many of these wait, and what a place among them costs at present, is all that
 * counts. Where none of them waits, a place is free. The read model of renders is looked at a few times a second at most: counting a long queue for each request would cost more than it
 * tells. `busIsAway` tells that no render can begin: then nobody waits for one.
 */
export const createEstimator = (
  reads: ReadStore,
  busIsAway: () => boolean = () => false,
  now: () => number = Date.now,
): Estimator => {
  const count = (where: Record<string, string>): Promise<number> => reads.count(readModels.renders, where);
  const all = countsWithJobs(reads, now, async () => {
    const counts = await Promise.all(['QUEUED', 'PROCESSING'].map((status) => count({ status })));
    return counts[0]! + counts[1]!;
  });
  const ofAccount = countsWithJobs(reads, now, async (accountId): Promise<WaitingCounts> => {
    const [urgent, polled, called] = await Promise.all(
      ['wait', 'poll', 'webhook'].map((responseMode) => count({ accountId, status: 'QUEUED', responseMode })),
    );
    return { urgent: urgent!, ordinary: polled! + called! };
  });
  const lookAtPaces = cacheByAccount(now, async (accountId): Promise<AccountWorkDurations> => {
    const [own, ofAll] = await Promise.all(
      [accountId, allAccountsDocumentId].map(
        (id) => reads.get(readModels.workDurations, id) as Promise<WorkDurationsDocument | null>,
      ),
    );
    return { own: own!, ofAll: ofAll! };
  });

  return {
    estimate: async ({ accountId, source, priority }, freshForMs = defaultMaxAgeMs) => {
      if (priority === 'urgent' && busIsAway())
        throw ApiError.of(
          'service_unavailable',
          'No render can begin for the moment. Try again shortly, or ask for it asynchronously.',
          { retry_after: 2 },
        );
      const looking = Promise.all([
        ofAccount.look(accountId, freshForMs),
        all.look('', defaultMaxAgeMs),
        lookAtPaces(accountId, freshForMs),
      ]);
      const job: AcceptedJob | null = priority === 'ordinary' ? { at: now(), position: Infinity } : null;
      const settle = (position: number | null): void => void (job && (job.position = position ?? -1));
      const [unseenOfAccount, unseenOfAll] = [ofAccount.ask(accountId, job), all.ask('', job)];
      const [
        {
          counts: { urgent, ordinary },
          through,
        },
        { counts: pending, through: allThrough },
        { own, ofAll },
      ] = await looking.catch((error: unknown) => {
        settle(null);
        throw error;
      });
      const kind = inputKindOf(source);
      return {
        waitMs: Math.round(
          rendersAhead(priority, { urgent, ordinary: ordinary + unseenOfAccount(through) }) *
            waitPerQueuedRenderMs(own, now()),
        ),
        workMs: Math.round(expectedWorkMs(own, kind, now()) ?? expectedWorkMs(ofAll, kind, now()) ?? defaultWorkMs),
        pendingRenders: pending + unseenOfAll(allThrough),
        confirmPosition: settle,
      };
    },
  };
};

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/**
 * What a render that somebody waits for may expect. Nobody is refused by an old look.
 * @throws Problem service_unavailable where it would wait beyond its deadline
 */
export const requireShortWait = async (
  estimates: Estimator,
  asked: EstimateRequest,
  deadlineMs: number,
): Promise<Estimate> => {
  const first = await estimates.estimate(asked);
  if (first.waitMs <= deadlineMs) return first;
  const second = await estimates.estimate(asked, maxAgeBeforeRejectionMs);
  if (second.waitMs <= deadlineMs) return second;
  const retryAfter = inSeconds(second.waitMs - deadlineMs);
  throw ApiError.of(
    'service_unavailable',
    `Too many renders of the account are waiting: this one would not begin within ${deadlineMs / 1000} s. Try again in ${retryAfter} s, or ask for it asynchronously.`,
    { retry_after: retryAfter },
  );
};

/** @throws Problem service_unavailable where as many renders wait as the service takes on */
export const requireBacklogCapacity = (
  { pendingRenders, waitMs, confirmPosition }: Estimate,
  backlog: number,
): void => {
  if (pendingRenders < backlog) return;
  confirmPosition?.(null);
  const retryAfter = inSeconds((waitMs / pendingRenders) * (pendingRenders - backlog + 1));
  throw ApiError.of(
    'service_unavailable',
    `${pendingRenders} renders are waiting, as many as the service takes on. Try again in ${retryAfter} s.`,
    { retry_after: retryAfter },
  );
};
