import type { EventData } from '#contracts/events/event-schemas.ts';
import type { AttemptOutcome, AttemptRequest, DeliveryEvent } from '#contracts/events/delivery.ts';
import type { WebhookTarget } from '#contracts/events/webhook-target.ts';
import { accountIdOf, readModels, renderIdOf, streams } from '#contracts/names.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/redelivery-delays.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { delivery, type DeliveryCommand, type DeliveryState, startsOf } from '#libs/domain/delivery.ts';
import type { FairQueue } from '#libs/concurrency/fair-queue.ts';
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
import { signingSecrets } from '#libs/secrets/webhook-secret.ts';
import { type AttemptSchedule, attemptTimeoutMs, maxStartMs, remainingDelayMs } from './attempt-schedule.ts';
import { traceAttempt, countAttempts } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import { type PlaintextTarget, eraseTarget, openTarget } from './target.ts';
import { createSecretMask } from './mask-secrets.ts';
import { webhookPayload } from './payload.ts';
import { recordedRequestHeaders, recordedResponseHeaders, signaturesIn } from './recorded-headers.ts';
import { signatureHeaders } from './signature-headers.ts';

export type DeliveryDependencies = {
  eventLog: EventLog;
  blobs: BlobStore;
  reads: ReadStore;
  egress: Pick<Egress, 'sendWebhook'>;
  secrets: InstallationSecrets;
  attemptSchedule: AttemptSchedule;
  /**
   * Runs an attempt when its account has a free connection to the receiver, by the group. An attempt that waits has not
   * started: its time counts from when it is sent.
   */
  connections: Pick<FairQueue, 'add'>;
  /** The URL of the service for callers. */
  baseUrl: string;
};

type DeliveryAggregate = Aggregate<DeliveryState, DeliveryCommand, DeliveryEvent>;
type DeliveryRequestedData = EventData['DeliveryRequested'];
/** `startedAt` is the time of the last start of an attempt. */
type LoadedDelivery = {
  requested: DeliveryRequestedData;
  aggregate: DeliveryAggregate;
  cause: Cause;
  startedAt: string | null;
};

/** How much of the body of a response is recorded. */
export const maxResponseBytes = 2048;

const done: MessageResult = { kind: 'done' };

/** The outcome to record. Secrets of the target, and signatures, that the receiver repeats are masked. */
export const toAttemptOutcome = (
  outcome: WebhookResult,
  target: PlaintextTarget,
  sentHeaders: Record<string, string>,
): AttemptOutcome => {
  if (outcome.kind !== 'responded') return { kind: outcome.kind, reason: outcome.reason };
  const maskText = createSecretMask({ ...target, headers: { ...target.headers, ...signaturesIn(sentHeaders) } });
  return {
    kind: 'responded',
    status: outcome.status,
    headers: recordedResponseHeaders(outcome.headers, maskText),
    responseBody: maskText(outcome.body),
  };
};

/** Creates the delivery of an ended render; null if the render has no webhook or has not ended. */
const requestDelivery = async (
  { eventLog, blobs, secrets, baseUrl }: DeliveryDependencies,
  id: string,
): Promise<LoadedDelivery | null> => {
  const history = await eventLog.store.read(streams.render(id));
  const responseMode = history.find((event) => event.type === 'RenderRequested')?.data.responseMode;
  const urlOf = (until: Date): string => createDownloadUrl(baseUrl, secrets.current, id, until);
  const payload = responseMode?.kind === 'webhook' ? webhookPayload(id, history, urlOf) : null;
  if (!payload || responseMode?.kind !== 'webhook') return null;
  const { url, urlIsMasked, method, headers, sealed } = responseMode;
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
  return { requested, aggregate, cause, startedAt: null };
};

const loadOrRequestDelivery = async (
  dependencies: DeliveryDependencies,
  id: string,
): Promise<LoadedDelivery | null> => {
  const { history, aggregate } = await loadAggregate(dependencies.eventLog, delivery, streams.delivery(id));
  const first = history.find((event) => event.type === 'DeliveryRequested');
  if (!first) return requestDelivery(dependencies, id);
  const started = history.findLast(({ type }) => type === 'WebhookAttemptStarted');
  return {
    requested: first.data,
    aggregate,
    cause: causedBy(history.at(-1)!, 'delivery'),
    startedAt: started?.metadata.occurredAt ?? null,
  };
};

/**
 * The headers of the caller and of the service. Names are in lower case; otherwise `User-Agent` and `user-agent` would
 * both be sent.
 */
export const requestHeaders = (
  callerHeaders: Record<string, string>,
  signatures: Record<string, string>,
): Record<string, string> => ({
  'user-agent': 'Colophon',
  ...Object.fromEntries(Object.entries(callerHeaders).map(([name, value]) => [name.toLowerCase(), value])),
  'content-type': 'application/json',
  ...signatures,
});

/** The input of an attempt. It is read before WebhookAttemptStarted, so that missing input does not cost an attempt. */
type AttemptInput = { body: Uint8Array; account: AccountDocument; target: PlaintextTarget };

/**
 * Returns an error message if a retry cannot help. @throws BlobNotFound for the first hour; Error if the account is not
 * in the read model yet
 */
const loadAttemptInput = async (
  dependencies: DeliveryDependencies,
  id: string,
  { payload, accountId }: DeliveryRequestedData,
  maskedTarget: WebhookTarget,
  deliveryCount: number,
): Promise<AttemptInput | string> => {
  const { blobs, reads } = dependencies;
  try {
    const [body, account, target] = await Promise.all([
      blobs.get(payload.sha256),
      reads.get(readModels.accounts, accountId) as Promise<AccountDocument | null>,
      openTarget(dependencies, id, maskedTarget),
    ]);
    if (!account) throw new Error(`account ${accountId} is not in the read model yet`);
    return { body, account, target };
  } catch (error) {
    if (error instanceof DecryptionError)
      return `The URL and headers of the callback cannot be decrypted. ${error.message}`;
    if (error instanceof BlobNotFound && hasWaitedAnHour(deliveryCount))
      return 'The service has lost the content of the callback.';
    throw error;
  }
};

type AttemptToSend = { id: string; input: AttemptInput; attempt: number; traceparent: string | null };
type AttemptResult = { request: AttemptRequest | null; outcome: AttemptOutcome; durationMs: number };

const sendAttempt = async (
  { eventLog, egress, secrets }: DeliveryDependencies,
  { id, input: { body, account, target }, attempt, traceparent }: AttemptToSend,
): Promise<AttemptResult> => {
  const now = eventLog.now();
  const { url, method, headers } = target;
  const signed = signatureHeaders(`msg_${id}`, body, signingSecrets(secrets, account, now), now);
  let sentHeaders: Record<string, string> = {};
  const result = await traceAttempt({ url, method, attempt, parent: traceparent }, (traceparent) => {
    sentHeaders = requestHeaders(headers, { ...signed, ...(traceparent === null ? {} : { traceparent }) });
    return egress.sendWebhook({
      account: account.id,
      url,
      method,
      body,
      timeoutMs: attemptTimeoutMs,
      maxResponseBytes,
      headers: sentHeaders,
    });
  });
  return {
    request: { headers: recordedRequestHeaders(sentHeaders, headers) },
    outcome: toAttemptOutcome(result, target, sentHeaders),
    durationMs: Math.round(result.durationMs),
  };
};

const failedWithoutAttempt = (reason: string): AttemptResult => ({
  request: null,
  outcome: { kind: 'failed', reason },
  durationMs: 0,
});

/** The result of a message if another worker, which got it too, has started or recorded the attempt. */
const resultAfterOther = ({ status }: DeliveryState): MessageResult =>
  status === 'ENDED' ? done : { kind: 'retry', delayMs: attemptTimeoutMs };

/** Starts an attempt, sends it and records its outcome, unless another worker has started it. */
const makeAttempt = async (
  dependencies: DeliveryDependencies,
  id: string,
  { aggregate, cause }: LoadedDelivery,
  input: AttemptInput | string,
): Promise<MessageResult> => {
  const { state } = aggregate;
  if (state.status !== 'DUE' && state.status !== 'ATTEMPTING') return done;
  const { round, attempt } = state;
  const before = startsOf(state);
  const started = await aggregate.execute({ type: 'startAttempt', round, attempt, starts: before }, cause);
  if (started.at === null) return resultAfterOther(aggregate.state);
  const last = { id, startedAt: started.at };
  const afterStart = dependencies.eventLog.now();
  if (afterStart.getTime() - Date.parse(started.at) > maxStartMs)
    return {
      kind: 'retry',
      delayMs: remainingDelayMs(dependencies.attemptSchedule, last, aggregate.state, afterStart),
    };
  const result =
    typeof input === 'string'
      ? failedWithoutAttempt(input)
      : await sendAttempt(dependencies, { id, input, attempt, traceparent: cause.traceparent });
  const now = dependencies.eventLog.now();
  const record = { type: 'recordAttempt', round, attempt, starts: before + 1, ...result, now } as const;
  const { events } = await aggregate.execute(record, cause);
  countAttempts(events);
  await eraseTarget(dependencies.blobs, aggregate, cause);
  if (events.length === 0) return resultAfterOther(aggregate.state);
  const nextDelayMs = remainingDelayMs(dependencies.attemptSchedule, last, aggregate.state, now);
  return nextDelayMs > 0 ? { kind: 'retry', delayMs: nextDelayMs } : done;
};

/** The group of an attempt for its connection: the account and the receiver. */
const connectionGroup = ({ account, target }: AttemptInput): string => `${account.id} ${new URL(target.url).origin}`;

/**
 * Handles one message: makes at most one attempt, as the history says. A message that comes too early is delayed. An
 * attempt without an outcome was interrupted by a crash; it is repeated. `deliveryCount` is that of the message.
 * @throws errors of the blob store, before the attempt is started; the message must be redelivered
 */
export const deliverWebhook = async (
  dependencies: DeliveryDependencies,
  id: string,
  deliveryCount = 1,
  span?: Span,
): Promise<MessageResult> => {
  span?.setAttributes({ 'colophon.render.id': renderIdOf(id) });
  const found = await loadOrRequestDelivery(dependencies, id);
  if (!found) return done;
  const { requested, aggregate, startedAt } = found;
  span?.setAttributes({ 'colophon.account.id': accountIdOf(requested.accountId) });
  if (aggregate.state.status !== 'DUE' && aggregate.state.status !== 'ATTEMPTING') return done;
  const { attemptSchedule, eventLog, connections } = dependencies;
  const delayMs = remainingDelayMs(attemptSchedule, { id, startedAt }, aggregate.state, eventLog.now());
  if (delayMs > 0) return { kind: 'retry', delayMs };
  const { attempt, target } = aggregate.state;
  span?.setAttributes({ 'colophon.attempt': attempt });
  const input = await loadAttemptInput(dependencies, id, requested, target, deliveryCount);
  const work = (): Promise<MessageResult> => makeAttempt(dependencies, id, found, input);
  return typeof input === 'string' ? work() : connections.add(connectionGroup(input), work);
};
