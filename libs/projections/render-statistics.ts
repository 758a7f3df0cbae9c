import type { EventOf } from '#contracts/events/event-schemas.ts';
import { errors } from '#contracts/http/errors.ts';
import { apiKeyIdOf, personIdOf, templateIdOf } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Collection } from '#libs/read-store/port.ts';
import { type DurationHistogram, withDuration } from './duration-histogram.ts';
import { additionalEffect, type AdditionalEffect } from './projection.ts';

/** What renders are counted by. `total` counts all of them together; `key` is the API key or the person. */
export type StatisticsDimension = 'total' | 'key' | 'template' | 'inputType';

/** Counts of renders. `quotaUsed` are those that count toward the quota; `durations` those of renders that succeeded. */
export type RenderCounts = {
  renders: number;
  succeeded: number;
  failed: number;
  quotaUsed: number;
  pages: number;
  bytes: number;
  /** By the code of the error in the API. */
  errors: Readonly<Record<string, number>>;
  durations: DurationHistogram;
};

export type LastError = { error: string; message: string; at: string; renderId: string };

/**
 * The renders of an account that were accepted in one period: an hour (`YYYY-MM-DDTHH`, only in total), a day or a month
 * (not in total), in UTC. `value` is the id or name that they have in common; empty in total. Template tests are not
 * counted. `failedOn` is the day of a template's document with failures, to find these.
 */
export type RenderStatisticsDocument = RenderCounts & {
  id: string;
  accountId: string;
  period: string;
  value: string;
  lastError?: LastError;
  failedOn?: string;
};

export const renderStatistics: Collection = { name: 'renderStatistics', indexes: [['id'], ['accountId', 'failedOn']] };

/** The beginning of the ids of all documents of a dimension and period. The rest of an id is the `value`. */
export const statisticsIdPrefix = (accountId: string, dimension: StatisticsDimension, period: string): string =>
  `${accountId}/${dimension}/${period}/`;

/** The fields of a render that never change, by which it is counted. */
export type RenderDimensions = {
  id: string;
  accountId: string;
  keyId: string | null;
  personId?: string;
  source:
    | { mode: 'CONVERT'; inputType: string }
    | { mode: 'RENDER'; templateId: string }
    | { mode: 'COMPOSE'; renders: number };
  createdAt: string;
  templateTest: boolean;
};

export const noRenderCounts: RenderCounts = {
  renders: 0,
  succeeded: 0,
  failed: 0,
  quotaUsed: 0,
  pages: 0,
  bytes: 0,
  errors: {},
  durations: {},
};

const callerIdOf = ({ keyId, personId }: RenderDimensions): string | null => {
  if (keyId !== null) return apiKeyIdOf(keyId);
  return personId === undefined ? null : personIdOf(personId);
};

type Change = (counts: RenderCounts) => Partial<RenderCounts>;

/** Changes the counts of a render in the documents of all dimensions and periods. */
const changeCounts = (render: RenderDimensions, change: Change, lastError?: LastError): AdditionalEffect[] => {
  if (render.templateTest) return [];
  const { accountId, createdAt, source } = render;
  const [month, day, hour] = [createdAt.slice(0, 7), createdAt.slice(0, 10), createdAt.slice(0, 13)];
  const effect = (dimension: StatisticsDimension, period: string, value: string): AdditionalEffect => {
    const id = statisticsIdPrefix(accountId, dimension, period) + value;
    const isFailedTemplate = dimension === 'template' && lastError !== undefined;
    return additionalEffect<RenderStatisticsDocument>(renderStatistics, id, (document) => {
      const before = document ?? { id, accountId, period, value, ...noRenderCounts };
      const failure = isFailedTemplate ? { lastError, ...(period === day ? { failedOn: day } : {}) } : {};
      return { ...before, ...change(before), ...failure };
    });
  };
  const caller = callerIdOf(render);
  const [dimension, value]: [StatisticsDimension, string] =
    source.mode === 'RENDER'
      ? ['template', templateIdOf(source.templateId)]
      : ['inputType', source.mode === 'COMPOSE' ? 'composition' : source.inputType];
  return [
    effect('total', hour, ''),
    effect('total', day, ''),
    effect(dimension, day, value),
    effect(dimension, month, value),
    ...(caller === null ? [] : [effect('key', day, caller), effect('key', month, caller)]),
  ];
};

/** Counts an accepted render. */
export const countAcceptedRender = (render: RenderDimensions, quotaRenders: number): AdditionalEffect[] =>
  changeCounts(render, ({ renders, quotaUsed }) => ({ renders: renders + 1, quotaUsed: quotaUsed + quotaRenders }));

/** Counts a completed render. */
export const countCompletedRender = (
  render: RenderDimensions,
  { data }: RecordedEvent<EventOf<'RenderCompleted'>>,
): AdditionalEffect[] =>
  changeCounts(render, ({ succeeded, pages, bytes, durations }) => ({
    succeeded: succeeded + 1,
    pages: pages + data.pages,
    bytes: bytes + (data.pdf?.size ?? 0),
    durations: withDuration(durations, data.durations.totalMs),
  }));

const maxMessageLength = 300;

/** Counts a failed render. One that failed through the service does not count toward the quota any more. */
export const countFailedStatistics = (
  render: RenderDimensions,
  { data, metadata }: RecordedEvent<EventOf<'RenderFailed'>>,
): AdditionalEffect[] => {
  const { error } = errors[data.error.name];
  const message = data.error.message.slice(0, maxMessageLength);
  const lastError: LastError = { error, message, at: metadata.occurredAt, renderId: render.id };
  return changeCounts(
    render,
    (counts) => ({
      failed: counts.failed + 1,
      quotaUsed: counts.quotaUsed - (data.quotaRefundDate === null ? 0 : (data.quotaRefund ?? 1)),
      errors: { ...counts.errors, [error]: (counts.errors[error] ?? 0) + 1 },
    }),
    lastError,
  );
};
