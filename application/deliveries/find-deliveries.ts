import type { DeliverySummary, ListDeliveriesQuery } from '#contracts/http/deliveries.ts';
import { bareId, jobIdOf, readModels, renderIdOf } from '#contracts/names.ts';
import { lowestIdAt, smallestId } from '#application/renders/list-renders.ts';
import { timeOfId } from '#libs/ids/ulids.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { scanPage } from '#libs/read-store/scan-page.ts';

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
  created_at: timeOfId(document.id).toISOString(),
  requested_at: document.requestedAt,
  delivered_at: document.deliveredAt,
  failed_at: document.failedAt,
});

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
  const from = since && lowestIdAt(since);
  const before = smallestId(until && lowestIdAt(until), cursor && bareId('job', cursor));
  const scan = { where, from, before, limit, ...(others.length === 0 ? { batchSize: limit + 1 } : {}) };
  return scanPage<DeliveryDocument>(reads, readModels.deliveries, scan, (one) =>
    others.every((field) => one[field] === filter[field]),
  );
};
