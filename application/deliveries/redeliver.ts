import { ApiError } from '#contracts/http/api-error.ts';
import type { RedeliverJobRequest } from '#contracts/http/jobs.ts';
import type { WebhookTarget } from '#contracts/events/render.ts';
import { readModels, streams } from '#contracts/names.ts';
import { delivery, TargetErasedError } from '#libs/domain/delivery.ts';
import { type Cause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { eraseTarget, sealTarget, type TargetDependencies } from './target.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';

const { deliveries } = readModels;

type RedeliverDependencies = TargetDependencies & { eventLog: EventLog };
type RedeliverFailedDependencies = RedeliverDependencies & { reads: ReadStore; readYourWrites: ReadYourWrites };

type RedeliverField = keyof RedeliverJobRequest;

/** The fields that a redelivery must contain, because the secrets of the previous round were erased. */
const requiredFields = (target: WebhookTarget): RedeliverField[] => [
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
 * replaces URL, method and headers of the previous round. @throws ApiError webhook_target_erased if `given` lacks
 * erased fields; redelivery_conflict if it has fields and the delivery has not ended
 */
export const redeliver = async (
  dependencies: RedeliverDependencies,
  id: string,
  given: RedeliverJobRequest,
  cause: Cause,
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
  const target = isGiven ? await sealTarget(dependencies, id, { url, method, headers }) : null;
  const eraseSealed = async (): Promise<void> =>
    void (target?.sealed && (await dependencies.blobs.delete(target.sealed.sha256)));
  try {
    const { events, position } = await aggregate.execute({ type: 'redeliver', target }, cause);
    if (events.length > 0) return position;
  } catch (error) {
    // A concurrent round with secrets of its own has already ended.
    if (!(error instanceof TargetErasedError)) throw error;
  }
  await eraseSealed();
  if (isGiven) throw deliveryInProgress();
  return null;
};

const maxRedeliveries = 1_000;

type RedeliverFailedResult = { redelivered: string[]; erased: string[] };

/**
 * Starts a new round for the deliveries of an account that failed at or after `since`. Returns the bare ids of their
 * jobs. `erased` are those that need their erased secrets again.
 */
export const redeliverFailed = async (
  dependencies: RedeliverFailedDependencies,
  accountId: string,
  since: string,
  cause: Cause,
): Promise<RedeliverFailedResult> => {
  const { reads, readYourWrites } = dependencies;
  await readYourWrites.waitForWrites(accountId, deliveries);
  const range = { by: 'failedAt', from: new Date(since).toISOString() };
  const sort = { by: 'failedAt', descending: false };
  const findFailed = async (isSealed: boolean): Promise<string[]> => {
    const where = { accountId, status: 'failed', isSealed };
    const found = await reads.find(deliveries, { where, range, sort, limit: maxRedeliveries });
    return (found as DeliveryDocument[]).map(({ id }) => id);
  };
  const [redeliverable, erased] = await Promise.all([findFailed(false), findFailed(true)]);
  const redelivered: string[] = [];
  for (const id of redeliverable) {
    // A delivery may have got new secrets meanwhile. It is skipped.
    const position = await redeliver(dependencies, id, {}, cause).catch((error: unknown) => {
      if (error instanceof ApiError) return null;
      throw error;
    });
    if (position === null) continue;
    readYourWrites.recordWrite(accountId, position, deliveries);
    redelivered.push(id);
  }
  return { redelivered, erased };
};
