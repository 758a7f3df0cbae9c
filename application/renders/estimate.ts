import { LRUCache } from 'lru-cache';
import type { RenderSource } from '#contracts/events/render.ts';
import { Problem } from '#contracts/http/problem.ts';
import { readModels } from '#contracts/names.ts';
import { type PaceDocument, paceOfAll, placeMs, workMsOf } from '#libs/projections/pace.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** A render that is asked for: by which account (bare id), and whether somebody waits for it. */
export type Asked = { accountId: string; source: RenderSource; reply: 'wait' | 'later' };

/** How long a render will probably wait and take, in milliseconds, and how many renders of all accounts are waiting or under way. */
export type Estimate = {
  waitMs: number;
  workMs: number;
  pending: number;
  /** Says at which position of the log the job is that was asked for; null where it was refused. Until then it counts for those that come next. */
  settle?: (position: number | null) => void;
};

export type Estimates = {
  /** By a look at the queue that is at most `freshForMs` old. */
  of(asked: Asked, freshForMs?: number): Promise<Estimate>;
};

/** How many renders of an account wait: those that somebody waits for, and jobs. */
type Waiting = { urgent: number; ordinary: number };

const usuallyFreshForMs = 250;
/** Of a look that somebody is refused by. */
const refusalFreshForMs = 10;
/** As long as nothing was rendered lately. */
const firstGuessMs = 500;
/** A job of which nothing was said for so long counts no more. */
const longestAcceptanceMs = 60_000;
/** The number of accounts that are remembered. */
const mostAccounts = 1_000;

/** Of the renders that are taken up, one in so many is one that nobody waits for, as long as there are any. */
const ordinaryShare = 4;

/** How many renders of the account are taken up before one that comes now. */
const aheadOf = (reply: Asked['reply'], { urgent, ordinary }: Waiting): number =>
  reply === 'later' ? urgent + ordinary : urgent + Math.min(ordinary, Math.floor(urgent / (ordinaryShare - 1)));

type Look<T> = { at: number; seen: Promise<T> };
type Paces = { own: PaceDocument | null; ofAll: PaceDocument | null };

const kindOf = (source: RenderSource): string => (source.mode === 'CONVERT' ? source.inputType : 'template');

/** Keeps what was seen for a while, by account. */
const remembered = <T>(now: () => number, look: (accountId: string) => Promise<T>) => {
  const looks = new LRUCache<string, Look<T>>({ max: mostAccounts });
  return (accountId: string, freshForMs: number): Promise<T> => {
    const known = looks.get(accountId);
    // The clock may be set back.
    if (known && Math.abs(now() - known.at) <= freshForMs) return known.seen;
    const seen = look(accountId);
    seen.catch(() => looks.delete(accountId));
    looks.set(accountId, { at: now(), seen });
    return seen;
  };
};

/** A job that was asked for. `position` is Infinity until the log has it, and -1 where it was refused. */
type Job = { at: number; position: number };

/** Counts in the read model of renders, and the jobs that were asked for here and that it does not show yet. */
const countsWithJobs = <T>(reads: ReadStore, now: () => number, count: (accountId: string) => Promise<T>) => {
  const jobs = new LRUCache<string, Job[]>({ max: mostAccounts });
  const isUnseen = (through: number) => ({ at, position }: Job): boolean =>
    position > through && (position !== Infinity || Math.abs(now() - at) < longestAcceptanceMs);
  const look = remembered(now, async (accountId) => {
    const through = await reads.checkpoint(readModels.renders);
    const counts = await count(accountId);
    jobs.set(accountId, (jobs.get(accountId) ?? []).filter(isUnseen(through)));
    return { counts, through };
  });
  return {
    look,
    /** Adds the job, if there is one. The answer tells how many jobs before it a look through a position does not show. */
    ask: (accountId: string, job: Job | null): ((through: number) => number) => {
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
export const createEstimates = (reads: ReadStore, busIsAway: () => boolean = () => false, now: () => number = Date.now): Estimates => {
  const count = (where: Record<string, string>): Promise<number> => reads.count(readModels.renders, where);
  const all = countsWithJobs(reads, now, async () => {
    const counts = await Promise.all(['QUEUED', 'PROCESSING'].map((status) => count({ status })));
    return counts[0]! + counts[1]!;
  });
  const ofAccount = countsWithJobs(reads, now, async (accountId): Promise<Waiting> => {
    const [urgent, polled, called] = await Promise.all(['wait', 'poll', 'webhook'].map((reply) => count({ accountId, status: 'QUEUED', reply })));
    return { urgent: urgent!, ordinary: polled! + called! };
  });
  const lookAtPaces = remembered(now, async (accountId): Promise<Paces> => {
    const [own, ofAll] = await Promise.all([accountId, paceOfAll].map((id) => reads.get(readModels.pace, id) as Promise<PaceDocument | null>));
    return { own: own!, ofAll: ofAll! };
  });

  return {
    of: async ({ accountId, source, reply }, freshForMs = usuallyFreshForMs) => {
      if (reply === 'wait' && busIsAway()) throw Problem.of('service_unavailable', 'No render can begin for the moment. Try again shortly, or ask for it asynchronously.', { retry_after: 2 });
      const looking = Promise.all([
        ofAccount.look(accountId, freshForMs), all.look('', usuallyFreshForMs), lookAtPaces(accountId, freshForMs),
      ]);
      const job: Job | null = reply === 'later' ? { at: now(), position: Infinity } : null;
      const settle = (position: number | null): void => void (job && (job.position = position ?? -1));
      const [unseenOfAccount, unseenOfAll] = [ofAccount.ask(accountId, job), all.ask('', job)];
      const [{ counts: { urgent, ordinary }, through }, { counts: pending, through: allThrough }, { own, ofAll }] = await looking.catch((error: unknown) => {
        settle(null);
        throw error;
      });
      const kind = kindOf(source);
      return {
        waitMs: Math.round(aheadOf(reply, { urgent, ordinary: ordinary + unseenOfAccount(through) }) * placeMs(own, now())),
        workMs: Math.round(workMsOf(own, kind, now()) ?? workMsOf(ofAll, kind, now()) ?? firstGuessMs),
        pending: pending + unseenOfAll(allThrough),
        settle,
      };
    },
  };
};

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/**
 * What a render that somebody waits for may expect. Nobody is refused by an old look.
 * @throws Problem service_unavailable where it would wait beyond its deadline
 */
export const requireShortWait = async (estimates: Estimates, asked: Asked, deadlineMs: number): Promise<Estimate> => {
  const first = await estimates.of(asked);
  if (first.waitMs <= deadlineMs) return first;
  const second = await estimates.of(asked, refusalFreshForMs);
  if (second.waitMs <= deadlineMs) return second;
  const retryAfter = inSeconds(second.waitMs - deadlineMs);
  throw Problem.of('service_unavailable', `Too many renders of the account are waiting: this one would not begin within ${deadlineMs / 1000} s. Try again in ${retryAfter} s, or ask for it asynchronously.`, { retry_after: retryAfter });
};

/** @throws Problem service_unavailable where as many renders wait as the service takes on */
export const requireBacklogRoom = ({ pending, waitMs, settle }: Estimate, backlog: number): void => {
  if (pending < backlog) return;
  settle?.(null);
  const retryAfter = inSeconds((waitMs / pending) * (pending - backlog + 1));
  throw Problem.of('service_unavailable', `${pending} renders are waiting, as many as the service takes on. Try again in ${retryAfter} s.`, { retry_after: retryAfter });
};
