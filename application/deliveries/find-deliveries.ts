import { decodeTime } from 'ulid';
import type { DeliverySummary, ListDeliveriesQuery } from '#contracts/http/deliveries.ts';
import { bareId, jobIdOf, readModels, renderIdOf } from '#contracts/names.ts';
import { lowestIdAt, smallestId } from '#application/renders/list-renders.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** A delivery as the API shows it. */
export const deliverySummaryOf = (document: DeliveryDocument): DeliverySummary => ({
  job_id: jobIdOf(document.id),
  id: renderIdOf(document.id),
  webhook_id: `msg_${document.id}`,
  status: document.status,
  url: document.url,
  host: document.host,
  method: document.method,
  attempts: document.attempts,
  round: document.round,
  last_attempt_at: document.lastAttemptAt,
  last_response_status: document.lastResponseStatus,
  last_error: document.lastError,
  next_attempt_at: document.nextAttemptAt,
  created_at: new Date(decodeTime(document.id)).toISOString(),
  requested_at: document.requestedAt,
  delivered_at: document.deliveredAt,
  failed_at: document.failedAt,
});

/** Deliveries that no index selects are read in batches, and at most this number for one page. */
const scanLimits = { batchSize: 250, maxScanned: 2_000 };

type DeliveryFilter = Partial<Record<'status' | 'host' | 'url', string>>;

/** The filter that an index selects. Most deliveries are delivered, and most accounts have few receivers. */
const indexedFieldOf = (filter: DeliveryFilter): keyof DeliveryFilter | undefined => {
  if (filter.status !== undefined && (filter.status !== 'delivered' || filter.host === undefined)) return 'status';
  return filter.host === undefined ? undefined : 'host';
};

/**
 * A page of an account's deliveries, newest first by their jobs. One filter takes one query with an index; others are
 * applied to at most 2,000 deliveries: such a page can have fewer than `limit` although `next` is not null.
 */
export const findDeliveryPage = async (
  reads: Pick<ReadStore, 'find'>,
  accountId: string,
  { since, until, cursor, limit, status, url, host }: ListDeliveriesQuery,
): Promise<{ documents: DeliveryDocument[]; next: string | null }> => {
  const givenHost = host ?? (url === undefined ? undefined : URL.parse(url)?.host);
  const filter = Object.fromEntries(
    Object.entries({ status, host: givenHost, url }).filter(([, value]) => value !== undefined),
  ) as DeliveryFilter;
  const indexed = indexedFieldOf(filter);
  const others = (Object.keys(filter) as (keyof DeliveryFilter)[]).filter((field) => field !== indexed);
  const where = { accountId, ...(indexed ? { [indexed]: filter[indexed]! } : {}) };
  const size = others.length === 0 ? limit + 1 : scanLimits.batchSize;
  const found: DeliveryDocument[] = [];
  let before = smallestId(until && lowestIdAt(until), cursor && bareId('job', cursor));
  for (let scanned = 0; scanned < scanLimits.maxScanned; scanned += size) {
    const range = { by: 'id', from: since && lowestIdAt(since), before };
    const sort = { by: 'id', descending: true };
    const batch = (await reads.find(readModels.deliveries, { where, range, sort, limit: size })) as DeliveryDocument[];
    found.push(...batch.filter((one) => others.every((field) => one[field] === filter[field])));
    if (found.length > limit) return { documents: found.slice(0, limit), next: found[limit - 1]!.id };
    if (batch.length < size) return { documents: found, next: null };
    before = batch.at(-1)!.id;
  }
  return { documents: found, next: before! };
};
