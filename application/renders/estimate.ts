import { LRUCache } from 'lru-cache';
import type { RenderSource } from '#contracts/events/render.ts';
import { Problem } from '#contracts/http/problem.ts';
import { consumers, readModels, subjects } from '#contracts/names.ts';
import type { Bus, Consumer, Waiting } from '#libs/bus/port.ts';
import { type PaceDocument, paceOfAll, placeMs, workMsOf } from '#libs/projections/pace.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** A render that is asked for: by which account (bare id), and whether somebody waits for it. */
export type Asked = { accountId: string; source: RenderSource; reply: 'wait' | 'later' };

/** How long a render will probably wait and take, in milliseconds, and how many renders of all accounts are waiting or under way. */
export type Estimate = { waitMs: number; workMs: number; pending: number };

export type Estimates = {
  /** By a look at the queue that is at most `freshForMs` old. */
  of(asked: Asked, freshForMs?: number): Promise<Estimate>;
};

const renderer: Consumer = { name: consumers.renderer, subject: subjects.renderRequested, leaseMs: 0 };
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

/**
 * A render waits behind those of its own account alone, for accounts take turns: how many of these wait, and what a place among them costs at present, is all that
 * counts. Where none of them waits, a place is free. The queue is looked at a few times a second at most: counting a long one for each request would cost more than it tells.
 * Jobs that were asked for since the last look count as pending. A render that nobody waits for needs the log alone: while the bus is away it goes by what was seen last, and
 * nobody waits for another look.
 */
export const createEstimates = (bus: Bus, reads: ReadStore, now: () => number = Date.now): Estimates => {
  let jobsAsked = 0;
  let seen = { pending: 0, jobsAsked: 0 };
  const jobsAskedBy = new LRUCache<string, number>({ max: mostAccounts });
  const waitingSeen = new LRUCache<string, Waiting & { jobsAsked: number }>({ max: mostAccounts });
  let away = false;

  /** Answers with the failure where the bus cannot be asked. */
  const tried = async (act: () => Promise<void>): Promise<Error | null> => {
    const failure = await act().then(() => null, (error: Error) => error);
    away = failure !== null;
    return failure;
  };
  const lookAtAll = remembered(now, () => {
    const before = jobsAsked;
    return tried(async () => void (seen = { pending: await bus.pending(renderer), jobsAsked: before }));
  });
  const lookAtQueue = remembered(now, (accountId) => {
    const before = jobsAskedBy.get(accountId) ?? 0;
    return tried(async () => void waitingSeen.set(accountId, { ...(await bus.waiting(renderer, accountId)), jobsAsked: before }));
  });
  const lookAtPaces = remembered(now, async (accountId): Promise<Paces> => {
    const [own, ofAll] = await Promise.all([accountId, paceOfAll].map((id) => reads.get(readModels.pace, id) as Promise<PaceDocument | null>));
    return { own: own!, ofAll: ofAll! };
  });

  return {
    of: async ({ accountId, source, reply }, freshForMs = usuallyFreshForMs) => {
      const before = jobsAsked;
      const looking = Promise.all([lookAtQueue(accountId, freshForMs), lookAtAll('', usuallyFreshForMs)]);
      const ownBefore = jobsAskedBy.get(accountId) ?? 0;
      if (reply === 'later') {
        jobsAsked += 1;
        jobsAskedBy.set(accountId, ownBefore + 1);
      }
      const { own, ofAll } = await lookAtPaces(accountId, freshForMs);
      const [failure] = reply === 'later' && away ? [null] : await looking;
      if (failure && reply === 'wait') throw failure;
      const { urgent, ordinary, jobsAsked: ownSeen } = waitingSeen.get(accountId) ?? { urgent: 0, ordinary: 0, jobsAsked: 0 };
      const waiting = { urgent, ordinary: ordinary + Math.max(0, ownBefore - ownSeen) };
      const kind = kindOf(source);
      return {
        waitMs: Math.round(aheadOf(reply, waiting) * placeMs(own, now())),
        workMs: Math.round(workMsOf(own, kind, now()) ?? workMsOf(ofAll, kind, now()) ?? firstGuessMs),
        pending: seen.pending + Math.max(0, before - seen.jobsAsked),
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
export const requireBacklogRoom = ({ pending, waitMs }: Estimate, backlog: number): void => {
  if (pending < backlog) return;
  const retryAfter = inSeconds((waitMs / pending) * (pending - backlog + 1));
  throw Problem.of('service_unavailable', `${pending} renders are waiting, as many as the service takes on. Try again in ${retryAfter} s.`, { retry_after: retryAfter });
};
