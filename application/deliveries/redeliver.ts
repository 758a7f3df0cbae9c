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

/** What the next round cannot do without: secrets of the former one are erased when it has ended. */
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
    'The callback has not ended yet, so it cannot be sent to another address or with other headers. Ask again when webhook_status is delivered or failed.',
  );

/**
 * Starts another round of a callback, and answers with the position of its event; null where the callback has not ended. `given` replaces the address, method and headers
 * of the former round. @throws Problem webhook_target_erased where it lacks what was erased, redelivery_conflict where it has something and the callback has not ended
 */
export const redeliver = async (
  parts: RedeliverDependencies,
  id: string,
  given: RedeliverJobRequest,
  cause: Cause,
): Promise<number | null> => {
  const { aggregate } = await loadAggregate(parts.eventLog, delivery, streams.delivery(id));
  const { state } = aggregate;
  const isGiven = Object.keys(given).length > 0;
  if (state.status !== 'ENDED') {
    if (isGiven) throw deliveryInProgress();
    return null;
  }
  const missing = requiredFields(state.target).filter((field) => given[field] === undefined);
  if (missing.length > 0) throw targetErased(missing);
  await eraseTarget(parts.blobs, aggregate, cause);
  const {
    webhook_url: url = state.target.url,
    webhook_method: method = state.target.method,
    webhook_headers: headers = {},
  } = given;
  const target = isGiven ? await sealTarget(parts, id, { url, method, headers }) : null;
  const forget = async (): Promise<void> => void (target?.sealed && (await parts.blobs.delete(target.sealed.sha256)));
  try {
    const { events, position } = await aggregate.execute({ type: 'redeliver', target }, cause);
    if (events.length > 0) return position;
  } catch (error) {
    // Another caller began a round with its own secrets, and that round has ended by now.
    if (!(error instanceof TargetErasedError)) throw error;
  }
  await forget();
  if (isGiven) throw deliveryInProgress();
  return null;
};

const maxRedeliveries = 1_000;

type RedeliverFailedResult = { redelivered: string[]; erased: string[] };

/**
 * Starts another round for the callbacks of an account that failed for good at or after `since`. Answers with the bare
 * ids of their jobs: `erased` are those that cannot be sent again without the secrets that were erased.
 */
export const redeliverFailed = async (
  parts: RedeliverFailedDependencies,
  accountId: string,
  since: string,
  cause: Cause,
): Promise<RedeliverFailedResult> => {
  const { reads, readYourWrites } = parts;
  await readYourWrites.waitForWrites(accountId, deliveries);
  const range = { by: 'failedAt', from: new Date(since).toISOString() };
  const sort = { by: 'failedAt', descending: false };
  const failed = async (isSealed: boolean): Promise<string[]> => {
    const where = { accountId, status: 'failed', isSealed };
    const found = await reads.find(deliveries, { where, range, sort, limit: maxRedeliveries });
    return (found as DeliveryDocument[]).map(({ id }) => id);
  };
  const [open, erased] = await Promise.all([failed(false), failed(true)]);
  const redelivered: string[] = [];
  for (const id of open) {
    // A callback that got secrets a moment ago is refused; the others are sent all the same.
    const position = await redeliver(parts, id, {}, cause).catch((error: unknown) => {
      if (error instanceof ApiError) return null;
      throw error;
    });
    if (position === null) continue;
    readYourWrites.recordWrite(accountId, position, deliveries);
    redelivered.push(id);
  }
  return { redelivered, erased };
};
