import type { RenderSource } from '#contracts/events/render.ts';
import { Problem } from '#contracts/http/problem.ts';
import { consumers, readModels, subjects } from '#contracts/names.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';
import { type PaceDocument, paceId } from '#libs/projections/pace.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** How long a render will probably wait and take, in milliseconds, and how many renders are waiting or under way. */
export type Estimate = { waitMs: number; workMs: number; pending: number };

export type Estimates = {
  /** For a render that somebody waits for, or for one that nobody does. */
  of(source: RenderSource, reply: 'wait' | 'later'): Promise<Estimate>;
};

const renderer: Consumer = { name: consumers.renderer, subject: subjects.renderRequested, leaseMs: 0 };
const freshForMs = 250;
/** Before anything was ever rendered. */
const firstGuessMs = 500;
/** Before renders have ever waited for each other: low, for nobody is to be turned away by a guess. */
const firstGapMs = 100;

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of the renders that are taken up, one in so many is one that nobody waits for, as long as there are any. */
const ordinaryShare = 4;

/** How many renders are taken up before one that comes now. */
const aheadOf = (reply: 'wait' | 'later', { all, urgent }: { all: number; urgent: number }): number =>
  reply === 'later' ? all : urgent + Math.min(all - urgent, Math.floor(urgent / (ordinaryShare - 1)));

type Count = { all: number; urgent: number };
/** How many were waiting when the queue was looked at, and how many had been asked about by then. */
type Sight = { waiting: Count; asked: Count };
type Look = { pace: PaceDocument | null; failure: Error | null };

const none: Count = { all: 0, urgent: 0 };

/**
 * Looks at the queue a few times a second at most: counting a long one for each request would cost more than it tells. What was asked about since the
 * last look counts as waiting. A render that nobody waits for needs the log alone: while the bus is away it goes by what was seen last, and nobody waits for
 * another look. Whoever waits for a render that nobody could begin is told of the failure.
 */
export const createEstimates = (bus: Bus, reads: ReadStore, now: () => number = Date.now): Estimates => {
  const asked = { ...none };
  let seen: Sight = { waiting: none, asked: none };
  let looked: { at: number; look: Promise<Look> } | null = null;
  let ended: Look | null = null;

  const count = async (): Promise<null> => {
    const before = { ...asked };
    const [all, urgent] = await Promise.all([bus.pending(renderer), bus.pending(renderer, 'urgent')]);
    seen = { waiting: { all, urgent }, asked: before };
    return null;
  };
  const look = async (): Promise<Look> => {
    const [pace, failure] = await Promise.all([reads.get(readModels.pace, paceId) as Promise<PaceDocument | null>, count().catch((error: Error) => error)]);
    return (ended = { pace, failure });
  };
  const latest = async (reply: 'wait' | 'later'): Promise<Look> => {
    if (!looked || now() - looked.at > freshForMs) {
      looked = { at: now(), look: look() };
      looked.look.catch(() => undefined);
    }
    return reply === 'later' && ended?.failure ? ended : looked.look;
  };

  return {
    of: async (source, reply) => {
      const looking = latest(reply);
      const before = { ...asked };
      asked.all += 1;
      if (reply === 'wait') asked.urgent += 1;
      const { pace, failure } = await looking;
      if (failure && reply === 'wait') throw failure;
      const since = (kind: keyof Count): number => Math.max(0, before[kind] - seen.asked[kind]);
      const waiting = { all: seen.waiting.all + since('all'), urgent: seen.waiting.urgent + since('urgent') };
      const kind = source.mode === 'CONVERT' ? source.inputType : 'template';
      const workMs = pace ? (pace.workMs[kind] ?? average(Object.values(pace.workMs))) : firstGuessMs;
      return { waitMs: Math.round(aheadOf(reply, waiting) * (pace?.gapMs ?? firstGapMs)), workMs: Math.round(workMs), pending: waiting.all };
    },
  };
};

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** @throws Problem service_unavailable where a render that somebody waits for would wait beyond its deadline */
export const requireShortWait = ({ waitMs }: Estimate, deadlineMs: number): void => {
  if (waitMs <= deadlineMs) return;
  const retryAfter = inSeconds(waitMs - deadlineMs);
  throw Problem.of('service_unavailable', `So many renders are waiting that this one would not begin within ${deadlineMs / 1000} s. Try again in ${retryAfter} s, or ask for it asynchronously.`, { retry_after: retryAfter });
};

/** @throws Problem service_unavailable where as many renders wait as the service takes on */
export const requireBacklogRoom = ({ pending, waitMs }: Estimate, backlog: number): void => {
  if (pending < backlog) return;
  const retryAfter = inSeconds((waitMs / pending) * (pending - backlog + 1));
  throw Problem.of('service_unavailable', `${pending} renders are waiting, as many as the service takes on. Try again in ${retryAfter} s.`, { retry_after: retryAfter });
};
