import { createHash } from 'node:crypto';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import { readModels } from '#contracts/names.ts';
import { attemptErrorMessage, isSuccess } from '#libs/domain/delivery.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Collection } from '#libs/read-store/port.ts';
import { additionalEffect, type AdditionalEffect, type Effect, type Projection } from './projection.ts';

/** Counts of webhook deliveries. A redelivery counts as another delivery. */
export type WebhookCounts = {
  requested: number;
  delivered: number;
  failed: number;
  attempts: number;
  failedAttempts: number;
};

/** The webhook events of an account on one day (`YYYY-MM-DD`, UTC), or since it was opened. */
export type WebhookStatisticsDocument = WebhookCounts & { accountId: string; period: string };

/** The period of the document for all days. */
export const allTime = 'all';
export const webhookStatisticsId = (accountId: string, period: string): string => `${accountId}/${period}`;

/** How an account's attempts at one webhook endpoint went: `endpoint` is host and path of the masked URL. */
export type WebhookEndpointDocument = {
  accountId: string;
  endpoint: string;
  consecutiveFailures: number;
  /** The time of the first of them; null if the last attempt succeeded. */
  failingSince: string | null;
  lastError: string | null;
  lastAttemptAt: string;
  isFailing: boolean;
};

export const webhookEndpoints: Collection = {
  name: 'webhookEndpoints',
  indexes: [['accountId', 'isFailing', 'lastAttemptAt']],
};

export const noWebhookCounts: WebhookCounts = { requested: 0, delivered: 0, failed: 0, attempts: 0, failedAttempts: 0 };

const collection: Collection = { name: readModels.webhookStatistics, indexes: [] };

type Increments = Partial<WebhookCounts>;

const countIn = (accountId: string, period: string, increments: Increments): AdditionalEffect =>
  additionalEffect<WebhookStatisticsDocument>(collection, webhookStatisticsId(accountId, period), (document) => {
    const counts = { ...(document ?? { accountId, period, ...noWebhookCounts }) };
    for (const [name, value] of Object.entries(increments)) counts[name as keyof WebhookCounts] += value;
    return counts;
  });

/** Counts an event on its day and for all time. */
const count = (
  { metadata: { accountId, occurredAt } }: RecordedEvent,
  increments: Increments,
  others: readonly AdditionalEffect[] = [],
): Effect<WebhookStatisticsDocument> | null => {
  if (accountId === null) return null;
  const { collection: _, ...ofDay } = countIn(accountId, occurredAt.slice(0, 10), increments);
  return {
    ...(ofDay as Effect<WebhookStatisticsDocument>),
    additionalEffects: () => [countIn(accountId, allTime, increments), ...others],
  };
};

const countAtEndpoint = ({ data, metadata }: RecordedEvent<EventOf<'WebhookAttempted'>>): AdditionalEffect[] => {
  const { endpoint, outcome } = data;
  const { accountId, occurredAt } = metadata;
  if (endpoint === undefined || accountId === null) return [];
  const id = `${accountId}/${createHash('sha256').update(endpoint).digest('hex').slice(0, 32)}`;
  const lastError = isSuccess(outcome) ? null : attemptErrorMessage(outcome);
  return [
    additionalEffect<WebhookEndpointDocument>(webhookEndpoints, id, (document) => ({
      accountId,
      endpoint,
      consecutiveFailures: lastError === null ? 0 : (document?.consecutiveFailures ?? 0) + 1,
      failingSince: lastError === null ? null : (document?.failingSince ?? occurredAt),
      lastError,
      lastAttemptAt: occurredAt,
      isFailing: lastError !== null,
    })),
  ];
};

export const webhookStatistics: Projection<WebhookStatisticsDocument> = {
  model: readModels.webhookStatistics,
  collection,
  additionalCollections: [webhookEndpoints],
  handlers: {
    DeliveryRequested: (event) => count(event, { requested: 1 }),
    RedeliveryRequested: (event) => count(event, { requested: 1 }),
    WebhookAttempted: (event) =>
      count(event, { attempts: 1, failedAttempts: Number(!isSuccess(event.data.outcome)) }, countAtEndpoint(event)),
    WebhookDelivered: (event) => count(event, { delivered: 1 }),
    WebhookFailed: (event) => count(event, { failed: 1 }),
  },
};
