import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import { idOfStream, readModels } from '#contracts/names.ts';
import { errorOf } from '#libs/domain/delivery.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Effect, Projection } from './projection.ts';

export type DeliveryStatus = 'pending' | 'sent' | 'delivered' | 'failed' | 'timeout';

/** A callback as queries see it; `attempts` counts over all rounds. It is there from the end of its render on, so that one that was forgotten before its first event is found. */
export type DeliveryDocument = {
  id: string;
  accountId: string;
  /** Null until the callback's own story begins. */
  url: string | null;
  status: DeliveryStatus;
  attempts: number;
  lastAttemptAt: string | null;
  lastError: string | null;
  failedAt: string | null;
  requestedAt: string;
};

type Data<T extends DeliveryEvent['type']> = Extract<DeliveryEvent, { type: T }>['data'];

const idOf = (event: RecordedEvent): string => idOfStream(event.stream);

const change = (event: RecordedEvent, fields: (document: DeliveryDocument) => Partial<DeliveryDocument>): Effect<DeliveryDocument> => ({
  id: idOf(event),
  evolve: (document) => document && { ...document, ...fields(document) },
});

const pending = (id: string, accountId: string, url: string | null, requestedAt: string): DeliveryDocument => ({
  id, accountId, url, status: 'pending', attempts: 0, lastAttemptAt: null, lastError: null, failedAt: null, requestedAt,
});

/** The end of a render that somebody wants to be told of. */
const ended = (event: RecordedEvent): Effect<DeliveryDocument> | null => {
  if ((event.data as { reply: string }).reply !== 'webhook') return null;
  const id = idOfStream(event.stream);
  return { id, evolve: (document) => document ?? pending(id, event.metadata.accountId!, null, event.metadata.occurredAt) };
};

const isGood = (outcome: AttemptOutcome): boolean => outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

export const deliveries: Projection<DeliveryDocument> = {
  model: readModels.deliveries,
  collection: { name: readModels.deliveries, indexes: [['accountId', 'status', 'failedAt'], ['status', 'requestedAt']] },
  on: {
    RenderCompleted: ended,
    RenderFailed: ended,
    DeliveryRequested: (event) => {
      const { accountId, url } = event.data as Data<'DeliveryRequested'>;
      const document = pending(idOf(event), accountId, url, event.metadata.occurredAt);
      return { id: document.id, evolve: () => document };
    },
    WebhookSent: (event) => change(event, () => ({ status: 'sent', lastAttemptAt: event.metadata.occurredAt })),
    WebhookAttempted: (event) => {
      const { outcome } = event.data as Data<'WebhookAttempted'>;
      return change(event, ({ attempts }) => ({
        attempts: attempts + 1,
        status: outcome.kind === 'timeout' ? 'timeout' : 'pending',
        lastError: isGood(outcome) ? null : errorOf(outcome),
      }));
    },
    WebhookDelivered: (event) => change(event, () => ({ status: 'delivered' })),
    WebhookFailed: (event) => change(event, () => ({ status: 'failed', failedAt: event.metadata.occurredAt })),
    RedeliveryRequested: (event) => change(event, () => ({ status: 'pending', failedAt: null, requestedAt: event.metadata.occurredAt })),
  },
};
