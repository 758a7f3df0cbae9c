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
  /** Takes the job back that was asked for: it was refused, and must not count for those that come next. */
  withdraw?: () => void;
};

export type Estimates = {
  /** By a look at the queue that is at most `freshForMs` old. */
  of(asked: Asked, freshForMs?: number): Promise<Estimate>;
};

/** How many renders of an account wait: those that somebody waits for, and jobs. */
type Waiting = { urgent: number; ordinary: number };

/** The read model shows a job so late at most, as a rule. */
const projectedAfterMs = 250;
const usuallyFreshForMs = 250;
/** Of a look that somebody is refused by. */
const refusalFreshForMs = 10;
/** As long as nothing was rendered lately. */
const firstGuessMs = 500;
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

/** Counts in the read model of renders, together with the jobs that were asked for and that it perhaps does not show yet. */
const countsWithJobs = <T>(now: () => number, count: (accountId: string) => Promise<T>) => {
  const jobs = new LRUCache<string, { at: number }[]>({ max: mostAccounts });
  const look = remembered(now, async (accountId) => {
    const at = now();
    jobs.set(accountId, (jobs.get(accountId) ?? []).filter((asked) => asked.at >= at - projectedAfterMs && asked.at <= at));
    return count(accountId);
  });
  return {
    look,
    jobs: (accountId: string): number => jobs.get(accountId)?.length ?? 0,
    /** The answer takes it back. */
    ask: (accountId: string): (() => void) => {
      const job = { at: now() };
      jobs.get(accountId)?.push(job);
      return () => void jobs.set(accountId, (jobs.get(accountId) ?? []).filter((other) => other !== job));
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
  const all = countsWithJobs(now, async () => {
    const counts = await Promise.all(['QUEUED', 'PROCESSING'].map((status) => count({ status })));
    return counts[0]! + counts[1]!;
  });
  const ofAccount = countsWithJobs(now, async (accountId): Promise<Waiting> => {
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
      const looking = Promise.all([ofAccount.look(accountId, freshForMs), all.look('', usuallyFreshForMs), lookAtPaces(accountId, freshForMs)]);
      const [jobsOfAccount, jobsOfAll] = [ofAccount.jobs(accountId), all.jobs('')];
      const asked = reply === 'later' ? [ofAccount.ask(accountId), all.ask('')] : [];
      const [{ urgent, ordinary }, pending, { own, ofAll }] = await looking;
      const kind = kindOf(source);
      return {
        waitMs: Math.round(aheadOf(reply, { urgent, ordinary: ordinary + jobsOfAccount }) * placeMs(own, now())),
        workMs: Math.round(workMsOf(own, kind, now()) ?? workMsOf(ofAll, kind, now()) ?? firstGuessMs),
        pending: pending + jobsOfAll,
        withdraw: () => asked.forEach((takeBack) => takeBack()),
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
export const requireBacklogRoom = ({ pending, waitMs, withdraw }: Estimate, backlog: number): void => {
  if (pending < backlog) return;
  withdraw?.();
  const retryAfter = inSeconds((waitMs / pending) * (pending - backlog + 1));
  throw Problem.of('service_unavailable', `${pending} renders are waiting, as many as the service takes on. Try again in ${retryAfter} s.`, { retry_after: retryAfter });
};
