import type { RenderEvent } from '#contracts/events/render.ts';
import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Projection } from './projection.ts';

/**
 * How fast renders go lately. `workMs` is the usual time from the claim to the PDF, by kind of input; `gapMs` the usual time
 * between two PDFs while renders were waiting, which is what a place in the queue costs; null until renders have ever waited.
 */
export type PaceDocument = { workMs: Record<string, number>; gapMs: number | null; lastEndAt: string };

/** The one document of this model. */
export const paceId = 'pace';

/** Weight of the newest render in the running mean. */
const weight = 0.1;
const waitedMs = 50;
const longestGapMs = 60_000;

const mean = (before: number | null | undefined, value: number): number => Math.round((before === undefined || before === null ? value : before + weight * (value - before)) * 100) / 100;

type Completed = Extract<RenderEvent, { type: 'RenderCompleted' }>['data'];

const evolve = (event: RecordedEvent) => (document: PaceDocument | null): PaceDocument => {
  const { attempt, durations, input } = event.data as Completed;
  const workMs = Math.max(0, durations.totalMs - durations.queueMs);
  const sinceLast = document ? Date.parse(event.metadata.occurredAt) - Date.parse(document.lastEndAt) : 0;
  // A render that was tried again has waited for its own first attempt, not for others.
  const tellsOfQueue = document !== null && attempt === 1 && durations.queueMs > waitedMs && sinceLast >= 0 && sinceLast < longestGapMs;
  return {
    workMs: { ...document?.workMs, [input]: mean(document?.workMs[input], workMs) },
    gapMs: tellsOfQueue ? mean(document.gapMs, sinceLast) : (document?.gapMs ?? null),
    lastEndAt: event.metadata.occurredAt,
  };
};

export const pace: Projection<PaceDocument> = {
  model: readModels.pace,
  collection: { name: readModels.pace, indexes: [], together: true },
  on: { RenderCompleted: (event) => ({ id: paceId, evolve: evolve(event) }) },
};
