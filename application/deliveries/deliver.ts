import { LRUCache } from 'lru-cache';
import type { EventData } from '#contracts/events/all.ts';
import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import type { WebhookTarget } from '#contracts/events/render.ts';
import { accountIdOf, readModels, renderIdOf, streams } from '#contracts/names.ts';
import { BlobMissing, type BlobStore } from '#libs/blob-store/port.ts';
import { hasWaitedAnHour } from '#libs/bus/delays.ts';
import type { WorkEnd } from '#libs/bus/work.ts';
import { delivery, type DeliveryCommand, type DeliveryState, waitBefore } from '#libs/domain/delivery.ts';
import type { Egress, Outcome } from '#libs/egress/door.ts';
import { type Aggregate, begin, type Cause, causedBy, load, type Log } from '#application/handling/handle.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { downloadUrl } from '#libs/secrets/download-token.ts';
import type { ServiceSecrets } from '#libs/secrets/service-secret.ts';
import { SealedBoxError } from '#libs/secrets/sealed-box.ts';
import { webhookSecrets } from '#libs/secrets/webhook-secret.ts';
import { callInTrace, countDelivery } from './telemetry.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import { type ClearTarget, eraseTarget, openTarget } from './target.ts';
import { withoutSecretsOf } from './without-secrets.ts';
import { payloadOf, signatureHeaders } from './payload.ts';

/** When this process makes attempts, by a clock that is never set: the recorded times are those of a clock that may be. */
type DueTimes = {
  /** How many milliseconds an attempt is still to wait. `atFirstMs` is what it waits from the moment in which this process first asks. */
  leftMs(attempt: string, atFirstMs: number): number;
};

/** One that is forgotten waits as if it were asked for the first time. */
const mostKept = 20_000;

/** `clock` tells milliseconds. */
export const openDueTimes = (clock = (): number => performance.now()): DueTimes => {
  const dueAt = new LRUCache<string, number>({ max: mostKept });
  return {
    leftMs: (attempt, atFirstMs) => {
      const due = dueAt.get(attempt) ?? clock() + atFirstMs;
      if (atFirstMs > 0) dueAt.set(attempt, due);
      // Timers may be early by a part of a millisecond.
      return Math.max(0, Math.floor(due - clock()));
    },
  };
};

export type DeliveryDependencies = {
  log: Log;
  blobs: BlobStore;
  reads: ReadStore;
  egress: Pick<Egress, 'request'>;
  secrets: ServiceSecrets;
  dueTimes: DueTimes;
  /** How callers reach the service. */
  baseUrl: string;
};

type Delivery = Aggregate<DeliveryState, DeliveryCommand, DeliveryEvent>;
type Requested = EventData['DeliveryRequested'];

export const attemptTimeoutMs = 10_000;
const recordedCharacters = 1000;
// A character has four bytes of UTF-8 at most.
const maxResponseBytes = 4 * recordedCharacters;

const done: WorkEnd = { kind: 'done' };

const outcomeOf = (outcome: Outcome, target: ClearTarget): AttemptOutcome =>
  outcome.kind === 'answered'
    ? { kind: 'answered', status: outcome.status, answer: withoutSecretsOf(target, outcome.body.slice(0, recordedCharacters)) }
    : { kind: outcome.kind, reason: outcome.reason };

/** Decides from the render's history what is to be delivered; null where no callback was asked for or the render has not ended. */
const requestDelivery = async ({ log, blobs, secrets, baseUrl }: DeliveryDependencies, id: string): Promise<{ requested: Requested; aggregate: Delivery; cause: Cause } | null> => {
  const history = await log.store.read(streams.render(id));
  const reply = history.find((event) => event.type === 'RenderRequested')?.data.reply;
  const urlOf = (until: Date): string => downloadUrl(baseUrl, secrets.current, id, until);
  const payload = reply?.kind === 'webhook' ? payloadOf(id, history, urlOf) : null;
  if (!payload || reply?.kind !== 'webhook') return null;
  const { url, urlIsMasked, method, headers, sealed } = reply;
  const requested: Requested = { accountId: history[0]!.metadata.accountId!, url, urlIsMasked, method, headers, sealed, payload: await blobs.put(Buffer.from(JSON.stringify(payload))) };
  const cause = causedBy(history.findLast(({ type }) => type !== 'PdfErased')!, 'delivery');
  const aggregate = begin(log, delivery, streams.delivery(id));
  await aggregate.execute({ type: 'request', data: requested }, cause);
  return { requested, aggregate, cause };
};

const known = async (dependencies: DeliveryDependencies, id: string) => {
  const { history, aggregate } = await load(dependencies.log, delivery, streams.delivery(id));
  const first = history.find((event) => event.type === 'DeliveryRequested');
  return first ? { requested: first.data, aggregate, cause: causedBy(history.at(-1)!, 'delivery') } : requestDelivery(dependencies, id);
};

/** The caller's headers and our own. Names are in lower case: `User-Agent` and `user-agent` are one header, and would be sent twice. */
const headersOf = (own: Record<string, string>, signed: Record<string, string>): Record<string, string> => ({
  'user-agent': 'Colophon',
  ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])),
  'content-type': 'application/json',
  ...signed,
});

/** What an attempt is made from: read before it is announced, so that no attempt pays for what the service itself lacks. */
type Material = { body: Uint8Array; account: AccountDocument; target: ClearTarget };

/** A sentence that tells why there is none where trying again will not help. @throws BlobMissing until the blob store has lacked something for an hour, and where the account is not known yet */
const materialOf = async (dependencies: DeliveryDependencies, id: string, { payload, accountId }: Requested, shown: WebhookTarget, delivery: number): Promise<Material | string> => {
  const { blobs, reads } = dependencies;
  try {
    const [body, account, target] = await Promise.all([blobs.get(payload.sha256), reads.get(readModels.accounts, accountId) as Promise<AccountDocument | null>, openTarget(dependencies, id, shown)]);
    if (!account) throw new Error(`account ${accountId} is not in the read model yet`);
    return { body, account, target };
  } catch (error) {
    if (error instanceof SealedBoxError) return `The address and headers of the callback cannot be read. ${error.message}`;
    if (error instanceof BlobMissing && hasWaitedAnHour(delivery)) return 'The service has lost what it was to send.';
    throw error;
  }
};

type Try = { id: string; material: Material; attempt: number; led: string | null };
type Made = { outcome: AttemptOutcome; durationMs: number };

/** The address and headers in clear leave this file toward the receiver alone. */
const attempt = async ({ log, egress, secrets }: DeliveryDependencies, { id, material: { body, account, target }, attempt, led }: Try): Promise<Made> => {
  const now = log.now();
  const { url, method, headers } = target;
  const signed = signatureHeaders(`msg_${id}`, body, webhookSecrets(secrets, account, now), now);
  const outcome = await callInTrace({ url, method, attempt, led }, (traceparent) =>
    egress.request({
      account: account.id, url, method, body, timeoutMs: attemptTimeoutMs, maxResponseBytes,
      headers: headersOf(headers, { ...signed, ...(traceparent === null ? {} : { traceparent }) }),
    }),
  );
  return { outcome: outcomeOf(outcome, target), durationMs: Math.round(outcome.durationMs) };
};

const unmade = (reason: string): Made => ({ outcome: { kind: 'failed', reason }, durationMs: 0 });

/** How long the next attempt is still to wait, in milliseconds. */
const waitOf = ({ dueTimes }: DeliveryDependencies, id: string, state: DeliveryState, now: Date): number => {
  if (state.status !== 'DUE' || state.notBefore === null) return 0;
  const recordedMs = Date.parse(state.notBefore) - now.getTime();
  return dueTimes.leftMs(`${id} ${state.round} ${state.attempt}`, Math.min(recordedMs, waitBefore(state.attempt)));
};

/**
 * Does what is due of one callback: one attempt at most. The log says which; a message that comes too early comes again when it is time. `delivery` counts how often the message was given out.
 * @throws where what is to be sent cannot be read: no attempt was announced then, and the message is to come again
 */
export const deliver = async (dependencies: DeliveryDependencies, id: string, delivery = 1, span?: Span): Promise<WorkEnd> => {
  span?.note({ 'colophon.render.id': renderIdOf(id) });
  const found = await known(dependencies, id);
  if (!found) return done;
  const { requested, aggregate, cause } = found;
  span?.note({ 'colophon.account.id': accountIdOf(requested.accountId) });
  if (aggregate.state.status !== 'DUE' && aggregate.state.status !== 'SENT') return done;
  const wait = waitOf(dependencies, id, aggregate.state, dependencies.log.now());
  if (wait > 0) return { kind: 'again', delayMs: wait };
  const material = await materialOf(dependencies, id, requested, aggregate.state.target, delivery);
  await aggregate.execute({ type: 'send' }, cause);
  // An attempt that was announced and never recorded was cut off by a crash: it is made again.
  const { state } = aggregate;
  if (state.status !== 'SENT') return done;
  span?.note({ 'colophon.attempt': state.attempt });
  const { outcome, durationMs } = typeof material === 'string' ? unmade(material) : await attempt(dependencies, { id, material, attempt: state.attempt, led: cause.traceparent });
  const now = dependencies.log.now();
  const { events } = await aggregate.execute({ type: 'record', outcome, durationMs, now }, cause);
  countDelivery(events);
  await eraseTarget(dependencies.blobs, aggregate, cause);
  const next = waitOf(dependencies, id, aggregate.state, now);
  return next > 0 ? { kind: 'again', delayMs: next } : done;
};
