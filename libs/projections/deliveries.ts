import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { WebhookTarget } from '#contracts/events/webhook-target.ts';
import { readModels } from '#contracts/names.ts';
import { attemptErrorMessage, isSuccess } from '#libs/domain/delivery.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Effect, idOf, type Projection, updateDocument } from './projection.ts';

export type DeliveryStatus = 'pending' | 'sent' | 'delivered' | 'failed' | 'timeout';

/**
 * A webhook delivery. `attempts` counts the attempts of all rounds. The document exists from the end of the render on, so
 * that a delivery that was lost before its first event is found.
 */
export type DeliveryDocument = {
  id: string;
  accountId: string;
  /** Null until `DeliveryRequested`, as `host` and `method`. */
  url: string | null;
  /** Host and port of the URL. */
  host: string | null;
  method: 'POST' | 'PUT' | null;
  status: DeliveryStatus;
  attempts: number;
  lastAttemptAt: string | null;
  lastError: string | null;
  /** The status of the last response; null if the last attempt had none. */
  lastResponseStatus: number | null;
  /** When the next attempt starts; null if it starts at once, or there is none. */
  nextAttemptAt: string | null;
  deliveredAt: string | null;
  failedAt: string | null;
  requestedAt: string;
  /** Counts from 1; each redelivery adds one. */
  round: number;
  /** Whether the URL or headers of the latest round were sealed. */
  isSealed: boolean;
  /** The time since which a sealed box can be erased; null if there is none. */
  erasableSince: string | null;
};

const pendingDelivery = (id: string, accountId: string, requestedAt: string): DeliveryDocument => ({
  id,
  accountId,
  url: null,
  host: null,
  method: null,
  status: 'pending',
  attempts: 0,
  lastAttemptAt: null,
  lastError: null,
  lastResponseStatus: null,
  nextAttemptAt: null,
  deliveredAt: null,
  failedAt: null,
  requestedAt,
  round: 1,
  isSealed: false,
  erasableSince: null,
});

const targetFields = ({
  url,
  method,
  sealed,
}: WebhookTarget): Pick<DeliveryDocument, 'url' | 'host' | 'method' | 'isSealed'> => ({
  url,
  host: URL.parse(url)?.host ?? null,
  method,
  isSealed: sealed !== null,
});

/** Creates the document at the end of a render with a webhook. */
const renderEnded = (
  event: RecordedEvent<EventOf<'RenderCompleted' | 'RenderFailed'>>,
): Effect<DeliveryDocument> | null => {
  if (event.data.responseMode !== 'webhook') return null;
  const id = idOf(event);
  return {
    id,
    evolve: (document) => document ?? pendingDelivery(id, event.metadata.accountId!, event.metadata.occurredAt),
  };
};

const withErasableSince = (event: RecordedEvent, isSealed: boolean): Pick<DeliveryDocument, 'erasableSince'> => ({
  erasableSince: isSealed ? event.metadata.occurredAt : null,
});

export const deliveries: Projection<DeliveryDocument> = {
  model: readModels.deliveries,
  collection: {
    name: readModels.deliveries,
    indexes: [
      // Pages of an account's deliveries, newest first.
      ['accountId', 'id'],
      ['accountId', 'status', 'id'],
      ['accountId', 'host', 'id'],
      // Those that failed, to send them again. The others have no `failedAt`.
      ['accountId', 'isSealed', 'failedAt'],
      ['accountId', 'url', 'isSealed', 'failedAt'],
      ['status', 'id'],
      ['erasableSince'],
    ],
  },
  handlers: {
    RenderCompleted: renderEnded,
    RenderFailed: renderEnded,
    DeliveryRequested: (event) => {
      const { accountId } = event.data;
      const document = {
        ...pendingDelivery(idOf(event), accountId, event.metadata.occurredAt),
        ...targetFields(event.data),
      };
      return { id: document.id, evolve: () => document };
    },
    WebhookAttemptStarted: (event) =>
      updateDocument(event, () => ({ status: 'sent', lastAttemptAt: event.metadata.occurredAt, nextAttemptAt: null })),
    WebhookAttempted: (event) => {
      const { outcome, nextAttemptAt } = event.data;
      return updateDocument(event, ({ attempts }) => ({
        attempts: attempts + 1,
        status: outcome.kind === 'timeout' ? 'timeout' : 'pending',
        lastError: isSuccess(outcome) ? null : attemptErrorMessage(outcome),
        lastResponseStatus: outcome.kind === 'responded' ? outcome.status : null,
        nextAttemptAt,
      }));
    },
    WebhookDelivered: (event) =>
      updateDocument(event, ({ isSealed }) => ({
        status: 'delivered',
        deliveredAt: event.metadata.occurredAt,
        ...withErasableSince(event, isSealed),
      })),
    WebhookFailed: (event) =>
      updateDocument(event, ({ isSealed }) => ({
        status: 'failed',
        failedAt: event.metadata.occurredAt,
        ...withErasableSince(event, isSealed),
      })),
    RedeliveryRequested: (event) => {
      const { target, round, startsAt } = event.data;
      return updateDocument(event, () => ({
        status: 'pending',
        deliveredAt: null,
        failedAt: null,
        nextAttemptAt: startsAt,
        requestedAt: event.metadata.occurredAt,
        round,
        ...(target ? targetFields(target) : {}),
      }));
    },
    WebhookTargetErased: (event) => updateDocument(event, () => ({ erasableSince: null })),
  },
};
