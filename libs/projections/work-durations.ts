import type { EventOf } from '#contracts/events/event-schemas.ts';
import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Effect, additionalEffect, type Projection } from './projection.ts';

/** The moving average of the time from claim to PDF for an input type, in milliseconds, and the time of the last measurement (ISO 8601). */
export type WorkDuration = { averageMs: number; measuredAt: string };

/**
 * How fast an account's renders start at present. `starts` counts started renders. `waitedMs` is how long the account
 * waited for these starts: the part of the time between two starts in which the second render was in the queue. Both decay
 * with time. A render counts when it starts, whether it succeeds or fails.
 */
export type WorkDurationsDocument = {
  starts: number;
  waitedMs: number;
  lastStartAt: string | null;
  durationByInputType: Record<string, WorkDuration>;
};

/** The id of the document for the renders of all accounts. Other documents have the id of their account, without prefix. */
export const allAccountsDocumentId = 'all';

/** The weight of the newest render in the moving average. */
const newestWeight = 0.1;
const halfLifeMs = 10_000;
/** Older measurements are ignored. */
const maxMeasurementAgeMs = 10 * 60_000;
/** The wait per queued render before any measurement, in milliseconds. It is low, so that a guess rejects no request. */
const initialWaitMs = 50;

const emptyDocument: WorkDurationsDocument = { starts: 0, waitedMs: 0, lastStartAt: null, durationByInputType: {} };
/** A time in the future means that the clock was set back; it decays like one in the past. */
const decayFactor = (sinceMs: number): number => 2 ** (-Math.abs(sinceMs) / halfLifeMs);
const rounded = (value: number): number => Math.round(value * 100) / 100;

const renderStarted = (event: RecordedEvent<EventOf<'RenderStarted'>>): Effect<WorkDurationsDocument> | null => {
  const { attempt, queueMs } = event.data;
  const { accountId, occurredAt } = event.metadata;
  // A second attempt has waited for the first attempt of the same render, not for other renders.
  if (accountId === null || attempt > 1) return null;
  const startedAt = Date.parse(occurredAt);
  return {
    id: accountId,
    evolve: (document) => {
      const before = document ?? emptyDocument;
      const sinceLast = before.lastStartAt === null ? 0 : Math.max(0, startedAt - Date.parse(before.lastStartAt));
      const factor = decayFactor(sinceLast);
      return {
        ...before,
        starts: rounded(before.starts * factor + 1),
        waitedMs: rounded(before.waitedMs * factor + Math.min(sinceLast, Math.max(0, queueMs))),
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
    const averageMs = before.durationByInputType[input]?.averageMs ?? workMs;
    return {
      ...before,
      durationByInputType: {
        ...before.durationByInputType,
        [input]: {
          averageMs: rounded(averageMs + newestWeight * (workMs - averageMs)),
          measuredAt: event.metadata.occurredAt,
        },
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
    RenderCompleted: (event) => {
      const evolve = renderCompleted(event);
      const ofAllAccounts = additionalEffect<WorkDurationsDocument>(collection, allAccountsDocumentId, evolve);
      const { accountId } = event.metadata;
      return accountId === null ? null : { id: accountId, evolve, additionalEffects: () => [ofAllAccounts] };
    },
  },
};

/** How long an account currently waits per queued render, in milliseconds. `now` is in milliseconds since 1970. */
export const waitPerQueuedRenderMs = (document: WorkDurationsDocument | null, now: number): number => {
  const { starts, waitedMs, lastStartAt } = document ?? emptyDocument;
  const factor = lastStartAt === null ? 0 : decayFactor(now - Date.parse(lastStartAt));
  return (waitedMs * factor + initialWaitMs) / (starts * factor + 1);
};

/**
 * The average work time for an input type in milliseconds. Without a recent measurement of this type it is the average of
 * all types; null if there is none.
 */
export const expectedWorkMs = (
  document: WorkDurationsDocument | null,
  inputType: string,
  now: number,
): number | null => {
  const isRecent = ({ measuredAt }: WorkDuration): boolean =>
    Math.abs(now - Date.parse(measuredAt)) < maxMeasurementAgeMs;
  const durations = document?.durationByInputType ?? {};
  const ofType = durations[inputType];
  if (ofType && isRecent(ofType)) return ofType.averageMs;
  const recent = Object.values(durations).filter(isRecent);
  return recent.length === 0 ? null : recent.reduce((sum, { averageMs }) => sum + averageMs, 0) / recent.length;
};
