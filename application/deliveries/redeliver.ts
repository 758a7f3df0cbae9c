import { ApiError, rateLimitExceeded } from '#contracts/http/api-error.ts';
import type { RedeliverJobRequest } from '#contracts/http/jobs.ts';
import type { WebhookTarget } from '#contracts/events/webhook-target.ts';
import { readModels, streams } from '#contracts/names.ts';
import { delivery, maxStartDelayMs, TargetErasedError } from '#libs/domain/delivery.ts';
import {
  type Cause,
  type EventLog,
  isCertainlyNotAppended,
  loadAggregate,
} from '#application/command-handling/aggregate.ts';
import { deferUncachedPuts } from '#libs/blob-store/defer-puts.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { redeliveriesPerSecond, type RedeliveryPace } from './redelivery-pace.ts';
import type { SealDependencies } from '#libs/secrets/sealed-box.ts';
import { eraseTarget, sealTarget } from './target.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';

const { deliveries } = readModels;

type RedeliverDependencies = SealDependencies & { eventLog: EventLog };
type RedeliverFailedDependencies = RedeliverDependencies & {
  reads: ReadStore;
  readYourWrites: ReadYourWrites;
  redeliveryPace: RedeliveryPace;
};

type RedeliverField = Exclude<keyof RedeliverJobRequest, 'webhook_method'>;

/** The fields that a redelivery must contain, because the secrets of the previous round were erased. */
export const requiredFields = (target: WebhookTarget): RedeliverField[] => [
  ...(target.urlIsMasked ? (['webhook_url'] as const) : []),
  ...(Object.keys(target.headers).length > 0 ? (['webhook_headers'] as const) : []),
];

const targetErased = (missing: readonly RedeliverField[]): ApiError =>
  ApiError.of(
    'webhook_target_erased',
    `The secrets of the callback were erased when its delivery ended. Send in the body: ${missing.join(', ')}.`,
    { missing_fields: [...missing] },
  );

const deliveryInProgress = (): ApiError =>
  ApiError.of(
    'redelivery_conflict',
    'The delivery has not ended, so the callback cannot be sent to another URL or with other headers. ' +
      'Repeat the request when webhook_status is delivered or failed.',
  );

/**
 * Starts a new round of a delivery. Returns the position of its event; null if the delivery has not ended. `given`
 * replaces URL, method and headers of the previous round. The first attempt starts at `startsAt`, or at once.
 * @throws ApiError webhook_target_erased if `given` lacks erased fields; redelivery_conflict if it has fields and the
 * delivery has not ended
 */
export const redeliver = async (
  dependencies: RedeliverDependencies,
  id: string,
  given: RedeliverJobRequest,
  cause: Cause,
  startsAt: Date | null = null,
): Promise<number | null> => {
  const { aggregate } = await loadAggregate(dependencies.eventLog, delivery, streams.delivery(id));
  const { state } = aggregate;
  const isGiven = Object.keys(given).length > 0;
  if (state.status !== 'ENDED') {
    if (isGiven) throw deliveryInProgress();
    return null;
  }
  const missing = requiredFields(state.target).filter((field) => given[field] === undefined);
  if (missing.length > 0) throw targetErased(missing);
  await eraseTarget(dependencies.blobs, aggregate, cause);
  const {
    webhook_url: url = state.target.url,
    webhook_method: method = state.target.method,
    webhook_headers: headers = {},
  } = given;
  const sealedBoxes = deferUncachedPuts(dependencies.blobs);
  const sealing = { ...dependencies, blobs: sealedBoxes };
  const target = isGiven ? await sealTarget(sealing, id, { url, method, headers }) : null;
  const eraseSealed = async (): Promise<void> =>
    void (target?.sealed && (await dependencies.blobs.delete(target.sealed.sha256)));
  try {
    const command = { type: 'redeliver', target, startsAt } as const;
    const { events, position } = await aggregate.execute(command, cause, sealedBoxes.deferred());
    if (events.length > 0) return position;
  } catch (error) {
    if (isCertainlyNotAppended(error)) await eraseSealed();
    // A concurrent round with secrets of its own has already ended.
    if (!(error instanceof TargetErasedError)) throw error;
  }
  await eraseSealed();
  if (isGiven) throw deliveryInProgress();
  return null;
};

/** The highest number of failed deliveries that is counted. */
const maxCounted = 1_000;

type FailedDeliveries = {
  /** ISO 8601. `until` is exclusive. */
  since: string;
  until?: string;
  /** As the delivery shows it. */
  url?: string | undefined;
};

type RedeliverFailedResult = {
  /** How many could be sent again before the call; 1,001 if there are more. */
  matching: number;
  /** The bare ids of the jobs whose callbacks are sent again. */
  redelivered: string[];
  /** Those that need their erased secrets again. */
  erased: string[];
};

const tooManyRedeliveries = (now: Date): ApiError =>
  rateLimitExceeded(
    `Redeliveries to a receiver start ${redeliveriesPerSecond} a second, and those of the next minute are planned ` +
      'already. Repeat the request later.',
    redeliveriesPerSecond,
    new Date(now.getTime() + maxStartDelayMs / 2),
    now,
  );

const findFailed = async (
  { reads, readYourWrites }: Pick<RedeliverFailedDependencies, 'reads' | 'readYourWrites'>,
  accountId: string,
  { since, until, url }: FailedDeliveries,
  isSealed: boolean,
  limit: number,
): Promise<DeliveryDocument[]> => {
  await readYourWrites.waitForWrites(accountId, deliveries);
  const where = { accountId, isSealed, ...(url === undefined ? {} : { url }) };
  const range = { by: 'failedAt', from: new Date(since).toISOString(), before: until && new Date(until).toISOString() };
  const sort = { by: 'failedAt', descending: false };
  return (await reads.find(deliveries, { where, range, sort, limit })) as DeliveryDocument[];
};

/** Counts the failed deliveries, and lists at most `limit` that need their erased secrets again. */
export const countFailed = async (
  dependencies: Pick<RedeliverFailedDependencies, 'reads' | 'readYourWrites'>,
  accountId: string,
  failed: FailedDeliveries,
  limit: number,
): Promise<RedeliverFailedResult & { found: DeliveryDocument[] }> => {
  const [found, erased] = await Promise.all([
    findFailed(dependencies, accountId, failed, false, maxCounted + 1),
    findFailed(dependencies, accountId, failed, true, limit),
  ]);
  return { matching: found.length, redelivered: [], erased: erased.map(({ id }) => id), found };
};

/** Whether a delivery is skipped, because it got secrets or a new round meanwhile. */
const hasChanged = (error: unknown): boolean =>
  error instanceof ApiError && ['webhook_target_erased', 'redelivery_conflict'].includes(error.fields.name);

/**
 * Starts a new round for at most `limit` deliveries of an account that failed, those that failed first at first. The
 * attempts start one after the other. @throws ApiError rate_limit_exceeded if the first one would start in more than a
 * minute
 */
export const redeliverFailed = async (
  dependencies: RedeliverFailedDependencies,
  accountId: string,
  failed: FailedDeliveries,
  limit: number,
  cause: Cause,
): Promise<RedeliverFailedResult> => {
  const { eventLog, readYourWrites, redeliveryPace } = dependencies;
  const { found, matching, erased } = await countFailed(dependencies, accountId, failed, limit);
  const redelivered: string[] = [];
  for (const { id, host } of found.slice(0, limit)) {
    const now = eventLog.now();
    const startsAt = redeliveryPace.next(accountId, host ?? '', now);
    if (startsAt === null) {
      if (redelivered.length === 0) throw tooManyRedeliveries(now);
      break;
    }
    const start = startsAt > now ? startsAt : null;
    const position = await redeliver(dependencies, id, {}, cause, start).catch((error: unknown) => {
      if (hasChanged(error)) return null;
      throw error;
    });
    if (position === null) continue;
    readYourWrites.recordWrite(accountId, position, deliveries);
    redelivered.push(id);
  }
  return { matching, redelivered, erased };
};
