import type { EventOf } from '#contracts/events/all.ts';
import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Effect, further, type Projection } from './projection.ts';

/** The usual time of a kind of input from the claim to the PDF, in milliseconds, and when it was last measured (ISO 8601). */
export type WorkTime = { ms: number; at: string };

/**
 * How fast an account's renders go at present. `starts` counts those that were begun and `waitedMs` how long the account waited for these starts while it had something to begin: the time
 * between two starts, as far as the second render waited in it. Both fade with time. A render counts as soon as it begins, whatever its end.
 */
export type PaceDocument = { starts: number; waitedMs: number; lastStartAt: string | null; workMs: Record<string, WorkTime> };

/** The document of an account has the account's bare id; this one has the times of all accounts' renders. */
export const paceOfAll = 'all';

/** Weight of the newest render in the running mean. */
const weight = 0.1;
const halfLifeMs = 10_000;
/** Times that were measured before say nothing of now. */
const recentMs = 10 * 60_000;
/** The cost of a place in the queue before any measurement, in milliseconds. It is low, so that a guess refuses no caller. */
const guessMs = 50;

const none: PaceDocument = { starts: 0, waitedMs: 0, lastStartAt: null, workMs: {} };
/** A time in the future is that of a clock that was set back since: it fades as one that is as long ago. */
const fading = (sinceMs: number): number => 2 ** (-Math.abs(sinceMs) / halfLifeMs);
const rounded = (value: number): number => Math.round(value * 100) / 100;

const begun = (event: RecordedEvent<EventOf<'RenderStarted'>>): Effect<PaceDocument> | null => {
  const { attempt, queueMs } = event.data;
  const { accountId, occurredAt } = event.metadata;
  // A render that is tried again has waited for its own first attempt, not for others.
  if (accountId === null || attempt > 1) return null;
  const startedAt = Date.parse(occurredAt);
  return {
    id: accountId,
    evolve: (document) => {
      const before = document ?? none;
      const sinceLast = before.lastStartAt === null ? 0 : Math.max(0, startedAt - Date.parse(before.lastStartAt));
      const kept = fading(sinceLast);
      return { ...before, starts: rounded(before.starts * kept + 1), waitedMs: rounded(before.waitedMs * kept + Math.min(sinceLast, Math.max(0, queueMs))), lastStartAt: occurredAt };
    },
  };
};

const completed = (event: RecordedEvent<EventOf<'RenderCompleted'>>) => {
  const { durations, input } = event.data;
  const workMs = Math.max(0, durations.totalMs - durations.queueMs);
  return (document: PaceDocument | null): PaceDocument => {
    const before = document ?? none;
    const usual = before.workMs[input]?.ms ?? workMs;
    return { ...before, workMs: { ...before.workMs, [input]: { ms: rounded(usual + weight * (workMs - usual)), at: event.metadata.occurredAt } } };
  };
};

const collection = { name: readModels.pace, indexes: [] };

export const pace: Projection<PaceDocument> = {
  model: readModels.pace,
  collection,
  on: {
    RenderStarted: begun,
    RenderCompleted: (event) => (event.metadata.accountId === null ? null : { id: event.metadata.accountId, evolve: completed(event) }),
  },
  beside: { RenderCompleted: (event) => further<PaceDocument>(collection, paceOfAll, completed(event)) },
};

/** What a place in an account's queue costs at present, in milliseconds. `now` is in milliseconds since 1970. */
export const placeMs = (document: PaceDocument | null, now: number): number => {
  const { starts, waitedMs, lastStartAt } = document ?? none;
  const kept = lastStartAt === null ? 0 : fading(now - Date.parse(lastStartAt));
  return (waitedMs * kept + guessMs) / (starts * kept + 1);
};

/** The usual time of a kind of input in milliseconds, or that of all kinds where this one was not measured lately; null where none was. */
export const workMsOf = (document: PaceDocument | null, kind: string, now: number): number | null => {
  const recent = Object.entries(document?.workMs ?? {}).filter(([, { at }]) => Math.abs(now - Date.parse(at)) < recentMs);
  const same = recent.find(([measured]) => measured === kind);
  if (same) return same[1].ms;
  return recent.length === 0 ? null : recent.reduce((sum, [, { ms }]) => sum + ms, 0) / recent.length;
};
