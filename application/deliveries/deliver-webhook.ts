import { LRUCache } from 'lru-cache';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import type { WebhookTarget } from '#contracts/events/render.ts';
import { accountIdOf, readModels, renderIdOf, streams } from '#contracts/names.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/redelivery-delays.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { delivery, type DeliveryCommand, type DeliveryState, retryDelayMs } from '#libs/domain/delivery.ts';
import type { Egress, WebhookResult } from '#libs/egress/egress.ts';
import {
  type Aggregate,
  newAggregate,
  type Cause,
  causedBy,
  loadAggregate,
  type EventLog,
} from '#application/command-handling/aggregate.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createDownloadUrl } from '#libs/secrets/download-token.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { DecryptionError } from '#libs/secrets/encryption.ts';
import { webhookSecrets } from '#libs/secrets/webhook-secret.ts';
import { traceAttempt, countAttempts } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import { type PlaintextTarget, eraseTarget, openTarget } from './target.ts';
import { maskSecrets } from './mask-secrets.ts';
import { webhookPayload, signatureHeaders } from './payload.ts';

/** When this process makes attempts, by a clock that is never set: the recorded times are those of a clock that may be. */
type AttemptSchedule = {
  /** How many milliseconds an attempt is still to wait. `atFirstMs` is what it waits from the moment in which this process first asks. */
  remainingMs(attempt: string, atFirstMs: number): number;
};

/** One that is forgotten waits as if it were asked for the first time. */
const maxScheduledAttempts = 20_000;

/** `clock` tells milliseconds. */
export const createAttemptSchedule = (clock = (): number => performance.now()): AttemptSchedule => {
  const dueAt = new LRUCache<string, number>({ max: maxScheduledAttempts });
  return {
    remainingMs: (attempt, atFirstMs) => {
      const due = dueAt.get(attempt) ?? clock() + atFirstMs;
      if (atFirstMs > 0) dueAt.set(attempt, due);
      // Timers may be early by a part of a millisecond.
      return Math.max(0, Math.floor(due - clock()));
    },
  };
};

export type DeliveryDependencies = {
  eventLog: EventLog;
  blobs: BlobStore;
  reads: ReadStore;
  egress: Pick<Egress, 'sendWebhook'>;
  secrets: InstallationSecrets;
  attemptSchedule: AttemptSchedule;
  /** How callers reach the service. */
  baseUrl: string;
};

type DeliveryAggregate = Aggregate<DeliveryState, DeliveryCommand, DeliveryEvent>;
type DeliveryRequestedData = EventData['DeliveryRequested'];

export const attemptTimeoutMs = 10_000;
const maxRecordedCharacters = 1000;
// A character has four bytes of UTF-8 at most.
const maxResponseBytes = 4 * maxRecordedCharacters;

const done: MessageResult = { kind: 'done' };

const toAttemptOutcome = (outcome: WebhookResult, target: PlaintextTarget): AttemptOutcome =>
  outcome.kind === 'responded'
    ? {
        kind: 'responded',
        status: outcome.status,
        responseBody: maskSecrets(target, outcome.body.slice(0, maxRecordedCharacters)),
      }
    : { kind: outcome.kind, reason: outcome.reason };

/** Decides from the render's history what is to be delivered; null where no callback was asked for or the render has not ended. */
const requestDelivery = async (
  { eventLog, blobs, secrets, baseUrl }: DeliveryDependencies,
  id: string,
): Promise<{ requested: DeliveryRequestedData; aggregate: DeliveryAggregate; cause: Cause } | null> => {
  const history = await eventLog.store.read(streams.render(id));
  const reply = history.find((event) => event.type === 'RenderRequested')?.data.responseMode;
  const urlOf = (until: Date): string => createDownloadUrl(baseUrl, secrets.current, id, until);
  const payload = reply?.kind === 'webhook' ? webhookPayload(id, history, urlOf) : null;
  if (!payload || reply?.kind !== 'webhook') return null;
  const { url, urlIsMasked, method, headers, sealed } = reply;
  const requested: DeliveryRequestedData = {
    accountId: history[0]!.metadata.accountId!,
    url,
    urlIsMasked,
    method,
    headers,
    sealed,
    payload: await blobs.put(Buffer.from(JSON.stringify(payload))),
  };
  const cause = causedBy(
    history.findLast(({ type }) => type !== 'PdfErased')!,
    'delivery',
  );
  const aggregate = newAggregate(eventLog, delivery, streams.delivery(id));
  await aggregate.execute({ type: 'request', data: requested }, cause);
  return { requested, aggregate, cause };
};

const loadOrRequestDelivery = async (dependencies: DeliveryDependencies, id: string) => {
  const { history, aggregate } = await loadAggregate(dependencies.eventLog, delivery, streams.delivery(id));
  const first = history.find((event) => event.type === 'DeliveryRequested');
  return first
    ? { requested: first.data, aggregate, cause: causedBy(history.at(-1)!, 'delivery') }
    : requestDelivery(dependencies, id);
};

/** The caller's headers and our own. Names are in lower case: `User-Agent` and `user-agent` are one header, and would be sent twice. */
const requestHeaders = (own: Record<string, string>, signed: Record<string, string>): Record<string, string> => ({
  'user-agent': 'Colophon',
  ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])),
  'content-type': 'application/json',
  ...signed,
});

/** What an attempt is made from: read before it is announced, so that no attempt pays for what the service itself lacks. */
type AttemptInput = { body: Uint8Array; account: AccountDocument; target: PlaintextTarget };

/** A sentence that tells why there is none where trying again will not help. @throws BlobMissing until the blob store has lacked something for an hour, and where the account is not known yet */
const loadAttemptInput = async (
  dependencies: DeliveryDependencies,
  id: string,
  { payload, accountId }: DeliveryRequestedData,
  shown: WebhookTarget,
  delivery: number,
): Promise<AttemptInput | string> => {
  const { blobs, reads } = dependencies;
  try {
    const [body, account, target] = await Promise.all([
      blobs.get(payload.sha256),
      reads.get(readModels.accounts, accountId) as Promise<AccountDocument | null>,
      openTarget(dependencies, id, shown),
    ]);
    if (!account) throw new Error(`account ${accountId} is not in the read model yet`);
    return { body, account, target };
  } catch (error) {
    if (error instanceof DecryptionError)
      return `The address and headers of the callback cannot be read. ${error.message}`;
    if (error instanceof BlobNotFound && hasWaitedAnHour(delivery)) return 'The service has lost what it was to send.';
    throw error;
  }
};

type AttemptRequest = { id: string; input: AttemptInput; attempt: number; traceparent: string | null };
type AttemptResult = { outcome: AttemptOutcome; durationMs: number };

/** The address and headers in clear leave this file toward the receiver alone. */
const sendAttempt = async (
  { eventLog, egress, secrets }: DeliveryDependencies,
  { id, input: { body, account, target }, attempt, traceparent }: AttemptRequest,
): Promise<AttemptResult> => {
  const now = eventLog.now();
  const { url, method, headers } = target;
  const signed = signatureHeaders(`msg_${id}`, body, webhookSecrets(secrets, account, now), now);
  const outcome = await traceAttempt({ url, method, attempt, led: traceparent }, (traceparent) =>
    egress.sendWebhook({
      account: account.id,
      url,
      method,
      body,
      timeoutMs: attemptTimeoutMs,
      maxResponseBytes,
      headers: requestHeaders(headers, { ...signed, ...(traceparent === null ? {} : { traceparent }) }),
    }),
  );
  return { outcome: toAttemptOutcome(outcome, target), durationMs: Math.round(outcome.durationMs) };
};

const failedWithoutAttempt = (reason: string): AttemptResult => ({
  outcome: { kind: 'failed', reason },
  durationMs: 0,
});

/** How long the next attempt is still to wait, in milliseconds. */
const remainingDelayMs = (
  { attemptSchedule }: DeliveryDependencies,
  id: string,
  state: DeliveryState,
  now: Date,
): number => {
  if (state.status !== 'DUE' || state.nextAttemptAt === null) return 0;
  const recordedMs = Date.parse(state.nextAttemptAt) - now.getTime();
  return attemptSchedule.remainingMs(
    `${id} ${state.round} ${state.attempt}`,
    Math.min(recordedMs, retryDelayMs(state.attempt)),
  );
};

/**
 * Does what is due of one callback: one attempt at most. The log says which; a message that comes too early comes again when it is time. `delivery` counts how often the message was given out.
 * @throws where what is to be sent cannot be read: no attempt was announced then, and the message is to come again
 */
export const deliverWebhook = async (
  dependencies: DeliveryDependencies,
  id: string,
  delivery = 1,
  span?: Span,
): Promise<MessageResult> => {
  span?.setAttributes({ 'colophon.render.id': renderIdOf(id) });
  const found = await loadOrRequestDelivery(dependencies, id);
  if (!found) return done;
  const { requested, aggregate, cause } = found;
  span?.setAttributes({ 'colophon.account.id': accountIdOf(requested.accountId) });
  if (aggregate.state.status !== 'DUE' && aggregate.state.status !== 'ATTEMPTING') return done;
  const wait = remainingDelayMs(dependencies, id, aggregate.state, dependencies.eventLog.now());
  if (wait > 0) return { kind: 'retry', delayMs: wait };
  const material = await loadAttemptInput(dependencies, id, requested, aggregate.state.target, delivery);
  await aggregate.execute({ type: 'startAttempt' }, cause);
  // An attempt that was announced and never recorded was cut off by a crash: it is made again.
  const { state } = aggregate;
  if (state.status !== 'ATTEMPTING') return done;
  span?.setAttributes({ 'colophon.attempt': state.attempt });
  const { outcome, durationMs } =
    typeof material === 'string'
      ? failedWithoutAttempt(material)
      : await sendAttempt(dependencies, {
          id,
          input: material,
          attempt: state.attempt,
          traceparent: cause.traceparent,
        });
  const now = dependencies.eventLog.now();
  const { events } = await aggregate.execute({ type: 'recordAttempt', outcome, durationMs, now }, cause);
  countAttempts(events);
  await eraseTarget(dependencies.blobs, aggregate, cause);
  const next = remainingDelayMs(dependencies, id, aggregate.state, now);
  return next > 0 ? { kind: 'retry', delayMs: next } : done;
};
