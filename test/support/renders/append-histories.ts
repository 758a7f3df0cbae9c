import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { Actor, Metadata } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import { type EventStore, noStream } from '#libs/event-store/port.ts';
import { newId } from '#libs/ids/ulids.ts';

/** An ended render: `failure` is the error of one that failed. Times are ISO 8601. */
export type EndedRender = {
  accountId: string;
  at: string;
  keyId?: string | null;
  personId?: string;
  keyType?: 'live' | 'test';
  templateId?: string;
  templateTest?: boolean;
  totalMs?: number;
  pages?: number;
  bytes?: number;
  failure?: { name: 'template_render_error' | 'internal_error'; message: string };
  isRunning?: boolean;
};

const metadataOf = (accountId: string, occurredAt: string, actor: Actor): Metadata => ({
  occurredAt,
  actor,
  accountId,
  correlationId: 'tests',
  causationId: null,
  traceparent: null,
});

const append = async (
  store: EventStore,
  stream: string,
  events: readonly EventOf[],
  metadata: Metadata,
): Promise<number> => {
  const recorded = events.map((event) => ({ ...event, id: newId(), version: 1, metadata }));
  return (await store.append(stream, recorded, noStream)).position;
};

const blob = { sha256: 'ab'.repeat(32), size: 100 };

/** Appends a render to the event log without rendering it. Returns its bare id and the position of its last event. */
export const appendRender = async (
  store: EventStore,
  { accountId, at, keyId = null, personId, keyType = 'live', templateId, templateTest = false, ...end }: EndedRender,
): Promise<{ id: string; position: number }> => {
  const id = newId(new Date(at));
  const actor: Actor = keyId === null ? { kind: 'person', name: 'Ada', id: personId } : { kind: 'key', id: keyId };
  const { totalMs = 40, pages = 1, bytes = 1_000, failure, isRunning = false } = end;
  const requested: EventOf = {
    type: 'RenderRequested',
    data: {
      accountId,
      keyId,
      keyType,
      source:
        templateId === undefined
          ? { mode: 'CONVERT', inputType: 'html', input: blob }
          : { mode: 'RENDER', templateId, templateVersion: 1, content: blob, data: blob, settings: blob },
      options: {},
      headerFooter: { header: null, footer: null },
      limits: { processingMs: 30_000, scriptMs: 5_000, maxPages: null, maxImages: null, maxPdfBytes: null },
      templateTest,
      responseMode: { kind: 'wait' },
    },
  };
  const failed = (error: NonNullable<EndedRender['failure']>): EventOf => ({
    type: 'RenderFailed',
    data: {
      attempt: 1,
      error: { ...error, extra: {} },
      responseMode: 'wait',
      totalMs,
      quotaRefundDate: error.name === 'internal_error' ? at.slice(0, 10) : null,
    },
  });
  const completed: EventOf = {
    type: 'RenderCompleted',
    data: {
      attempt: 1,
      input: templateId === undefined ? 'html' : 'template',
      pdf: { ...blob, size: bytes },
      responseMode: 'wait',
      keptUntil: null,
      pages,
      durations: { queueMs: 0, prepareMs: 0, waitMs: 0, loadMs: 0, printMs: totalMs, totalMs },
      renderMode: 'static',
      renderModeReason: 'no script',
      engine: 'none',
      warnings: [],
    },
  };
  const events = [requested, ...(isRunning ? [] : [failure ? failed(failure) : completed])];
  return { id, position: await append(store, streams.render(id), events, metadataOf(accountId, at, actor)) };
};

/** Appends webhook deliveries with one attempt each; `status` is that of the response, null for a pending delivery. */
export const appendDelivery = async (
  store: EventStore,
  delivery: { accountId: string; at: string; endpoint: string; status: number | null; lastError?: string },
): Promise<number> => {
  const { accountId, at, endpoint, status, lastError = `The receiver responded with status ${status}.` } = delivery;
  const attempt = { round: 1, attempt: 1 };
  const target = { url: `https://${endpoint}`, urlIsMasked: false, method: 'POST' as const, headers: {}, sealed: null };
  const attempted = (responseStatus: number): EventOf[] => [
    { type: 'WebhookAttemptStarted', data: attempt },
    {
      type: 'WebhookAttempted',
      data: {
        ...attempt,
        request: { headers: {} },
        outcome: { kind: 'responded', status: responseStatus, headers: {}, responseBody: '' },
        endpoint,
        durationMs: 1,
        nextAttemptAt: null,
      },
    },
    responseStatus < 300
      ? { type: 'WebhookDelivered', data: attempt }
      : { type: 'WebhookFailed', data: { round: 1, attempts: 1, lastError } },
  ];
  const events: EventOf[] = [
    { type: 'DeliveryRequested', data: { accountId, ...target, payload: blob } },
    ...(status === null ? [] : attempted(status)),
  ];
  return append(
    store,
    streams.delivery(newId(new Date(at))),
    events,
    metadataOf(accountId, at, { kind: 'service', name: 'delivery' }),
  );
};
