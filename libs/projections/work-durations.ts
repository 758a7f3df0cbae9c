import type { EventOf } from '#contracts/events/event-schemas.ts';
import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Effect, additionalEffect, type Projection } from './projection.ts';

/** The usual time of a kind of input from the claim to the PDF, in milliseconds, and when it was last measured (ISO 8601). */
export type WorkDuration = { averageMs: number; measuredAt: string };

/**
 * How fast an account's renders go at present. `starts` counts those that were begun and `waitedMs` how long the account waited for these starts while it had something to begin: the time
 * between two starts, as far as the second render waited in it. Both fade with time. A render counts as soon as it begins, whatever its end.
 */
export type WorkDurationsDocument = {
  starts: number;
  waitedMs: number;
  lastStartAt: string | null;
  durationByInputType: Record<string, WorkDuration>;
};

/** The document of an account has the account's bare id; this one has the times of all accounts' renders. */
export const allAccountsDocumentId = 'all';

/** Weight of the newest render in the running mean. */
const newestWeight = 0.1;
const halfLifeMs = 10_000;
/** Times that were measured before say nothing of now. */
const maxMeasurementAgeMs = 10 * 60_000;
/** The cost of a place in the queue before any measurement, in milliseconds. It is low, so that a guess refuses no caller. */
const initialWaitMs = 50;

const emptyDocument: WorkDurationsDocument = { starts: 0, waitedMs: 0, lastStartAt: null, durationByInputType: {} };
/** A time in the future is that of a clock that was set back since: it fades as one that is as long ago. */
const decayFactor = (sinceMs: number): number => 2 ** (-Math.abs(sinceMs) / halfLifeMs);
const rounded = (value: number): number => Math.round(value * 100) / 100;

const renderStarted = (event: RecordedEvent<EventOf<'RenderStarted'>>): Effect<WorkDurationsDocument> | null => {
  const { attempt, queueMs } = event.data;
  const { accountId, occurredAt } = event.metadata;
  // A render that is tried again has waited for its own first attempt, not for others.
  if (accountId === null || attempt > 1) return null;
  const startedAt = Date.parse(occurredAt);
  return {
    id: accountId,
    evolve: (document) => {
      const before = document ?? emptyDocument;
      const sinceLast = before.lastStartAt === null ? 0 : Math.max(0, startedAt - Date.parse(before.lastStartAt));
      const kept = decayFactor(sinceLast);
      return {
        ...before,
        starts: rounded(before.starts * kept + 1),
        waitedMs: rounded(before.waitedMs * kept + Math.min(sinceLast, Math.max(0, queueMs))),
        lastStartAt: occurredAt,
      };
    },
  };
};

const renderCompleted = (event: RecordedEvent<EventOf<'RenderCompleted'>>) => {
  const { durations, input } = event.data;
  const workMs = Math.max(0, durations.totalMs - durations.queueMs);
  return (document: WorkDurationsDocument | null): WorkDurationsDocument => {
    const before = document ?? emptyDocument;
    const usual = before.durationByInputType[input]?.averageMs ?? workMs;
    return {
      ...before,
      durationByInputType: {
        ...before.durationByInputType,
        [input]: { averageMs: rounded(usual + newestWeight * (workMs - usual)), measuredAt: event.metadata.occurredAt },
      },
    };
  };
};

const collection = { name: readModels.workDurations, indexes: [] };

export const workDurations: Projection<WorkDurationsDocument> = {
  model: readModels.workDurations,
  collection,
  handlers: {
    RenderStarted: renderStarted,
    RenderCompleted: (event) =>
      event.metadata.accountId === null ? null : { id: event.metadata.accountId, evolve: renderCompleted(event) },
  },
  additionalHandlers: {
    RenderCompleted: (event) =>
      additionalEffect<WorkDurationsDocument>(collection, allAccountsDocumentId, renderCompleted(event)),
  },
};

/** What a place in an account's queue costs at present, in milliseconds. `now` is in milliseconds since 1970. */
export const waitPerQueuedRenderMs = (document: WorkDurationsDocument | null, now: number): number => {
  const { starts, waitedMs, lastStartAt } = document ?? emptyDocument;
  const kept = lastStartAt === null ? 0 : decayFactor(now - Date.parse(lastStartAt));
  return (waitedMs * kept + initialWaitMs) / (starts * kept + 1);
};

/** The usual time of a kind of input in milliseconds, or that of all kinds where this one was not measured lately; null where none was. */
export const expectedWorkMs = (document: WorkDurationsDocument | null, kind: string, now: number): number | null => {
  const recent = Object.entries(document?.durationByInputType ?? {}).filter(
    ([, { measuredAt }]) => Math.abs(now - Date.parse(measuredAt)) < maxMeasurementAgeMs,
  );
  const same = recent.find(([measured]) => measured === kind);
  if (same) return same[1].averageMs;
  return recent.length === 0 ? null : recent.reduce((sum, [, { averageMs }]) => sum + averageMs, 0) / recent.length;
};
