import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { AttemptOutcome } from '#contracts/events/delivery.ts';
import { idOfStream, readModels } from '#contracts/names.ts';
import { attemptErrorMessage } from '#libs/domain/delivery.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Effect, Projection } from './projection.ts';

export type DeliveryStatus = 'pending' | 'sent' | 'delivered' | 'failed' | 'timeout';

/**
 * A webhook delivery. `attempts` counts the attempts of all rounds. The document exists from the end of the render on, so
 * that a delivery that was lost before its first event is found.
 */
export type DeliveryDocument = {
  id: string;
  accountId: string;
  /** Null until `DeliveryRequested`. */
  url: string | null;
  status: DeliveryStatus;
  attempts: number;
  lastAttemptAt: string | null;
  lastError: string | null;
  failedAt: string | null;
  requestedAt: string;
  /** Counts from 1; each redelivery adds one. */
  round: number;
  /** Whether the URL or headers of the latest round were sealed. */
  isSealed: boolean;
  /** The time since which a sealed box can be erased; null if there is none. */
  erasableSince: string | null;
};

const idOf = (event: RecordedEvent): string => idOfStream(event.stream);

const updateDelivery = (
  event: RecordedEvent,
  fields: (document: DeliveryDocument) => Partial<DeliveryDocument>,
): Effect<DeliveryDocument> => ({
  id: idOf(event),
  evolve: (document) => document && { ...document, ...fields(document) },
});

const pendingDelivery = (id: string, accountId: string, url: string | null, requestedAt: string): DeliveryDocument => ({
  id,
  accountId,
  url,
  status: 'pending',
  attempts: 0,
  lastAttemptAt: null,
  lastError: null,
  failedAt: null,
  requestedAt,
  round: 1,
  isSealed: false,
  erasableSince: null,
});

/** Creates the document at the end of a render with a webhook. */
const renderEnded = (
  event: RecordedEvent<EventOf<'RenderCompleted' | 'RenderFailed'>>,
): Effect<DeliveryDocument> | null => {
  if (event.data.responseMode !== 'webhook') return null;
  const id = idOfStream(event.stream);
  return {
    id,
    evolve: (document) => document ?? pendingDelivery(id, event.metadata.accountId!, null, event.metadata.occurredAt),
  };
};

const withErasableSince = (event: RecordedEvent, isSealed: boolean): Pick<DeliveryDocument, 'erasableSince'> => ({
  erasableSince: isSealed ? event.metadata.occurredAt : null,
});

const isSuccess = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'responded' && outcome.status >= 200 && outcome.status < 300;

export const deliveries: Projection<DeliveryDocument> = {
  model: readModels.deliveries,
  collection: {
    name: readModels.deliveries,
    indexes: [['accountId', 'status', 'isSealed', 'failedAt'], ['status', 'id'], ['erasableSince']],
  },
  handlers: {
    RenderCompleted: renderEnded,
    RenderFailed: renderEnded,
    DeliveryRequested: (event) => {
      const { accountId, url, sealed } = event.data;
      const document = {
        ...pendingDelivery(idOf(event), accountId, url, event.metadata.occurredAt),
        isSealed: sealed !== null,
      };
      return { id: document.id, evolve: () => document };
    },
    WebhookAttemptStarted: (event) =>
      updateDelivery(event, () => ({ status: 'sent', lastAttemptAt: event.metadata.occurredAt })),
    WebhookAttempted: (event) => {
      const { outcome } = event.data;
      return updateDelivery(event, ({ attempts }) => ({
        attempts: attempts + 1,
        status: outcome.kind === 'timeout' ? 'timeout' : 'pending',
        lastError: isSuccess(outcome) ? null : attemptErrorMessage(outcome),
      }));
    },
    WebhookDelivered: (event) =>
      updateDelivery(event, ({ isSealed }) => ({ status: 'delivered', ...withErasableSince(event, isSealed) })),
    WebhookFailed: (event) =>
      updateDelivery(event, ({ isSealed }) => ({
        status: 'failed',
        failedAt: event.metadata.occurredAt,
        ...withErasableSince(event, isSealed),
      })),
    RedeliveryRequested: (event) => {
      const { target, round } = event.data;
      const changed = target ? { url: target.url, isSealed: target.sealed !== null } : {};
      return updateDelivery(event, () => ({
        status: 'pending',
        failedAt: null,
        requestedAt: event.metadata.occurredAt,
        round,
        ...changed,
      }));
    },
    WebhookTargetErased: (event) => updateDelivery(event, () => ({ erasableSince: null })),
  },
};
