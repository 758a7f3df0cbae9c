import { z } from 'zod';
import {
  deliveryListResponse,
  deliveryResponse,
  listDeliveriesQuery,
  maxRedeliveriesPerCall,
  redeliverDeliveriesRequest,
  redeliverDeliveriesResponse,
} from '#contracts/http/deliveries.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { DeliveryEvent } from '#contracts/events/delivery.ts';
import { bareId, jobIdOf, readModels, streams } from '#contracts/names.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { fold } from '#libs/domain/decider.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { readIfStored } from '#libs/blob-store/read-if-stored.ts';
import { readHistory } from '#application/command-handling/history.ts';
import { roundsOf } from '#application/deliveries/delivery-history.ts';
import { deliverySummaryOf, findDeliveryPage } from '#application/deliveries/find-deliveries.ts';
import { countFailed, redeliverFailed, requiredFields } from '#application/deliveries/redeliver.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { actorView } from '#application/audit/event-view.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';

const { deliveries } = readModels;
const maxRounds = 20;

const params = z.object({ job_id: z.string().describe('job_<id>') });

const deliveryNotFound = (): ApiError =>
  ApiError.of(
    'delivery_not_found',
    'The account has no callback of such a job: the job does not exist, has not ended, or has no webhook_url.',
  );

/** @throws ApiError delivery_not_found */
const requireDelivery = async (
  { eventLog, reads, readYourWrites }: Dependencies,
  accountId: string,
  jobId: string,
): Promise<{ document: DeliveryDocument; history: readonly RecordedEvent<DeliveryEvent>[] }> => {
  const id = bareId('job', jobId);
  if (!id) throw deliveryNotFound();
  await readYourWrites.waitForWrites(accountId, deliveries);
  const document = (await reads.get(deliveries, id)) as DeliveryDocument | null;
  if (document?.accountId !== accountId) throw deliveryNotFound();
  return { document, history: await readHistory(eventLog.store, delivery, streams.delivery(id)) };
};

const bodyOf = async (blobs: BlobStore, history: readonly RecordedEvent<DeliveryEvent>[]): Promise<string | null> => {
  const requested = history.find((event) => event.type === 'DeliveryRequested');
  if (!requested) return null;
  const body = await readIfStored(blobs, requested.data.payload.sha256);
  return body && Buffer.from(body).toString();
};

/** The callbacks of an account, with their attempts. */
export const deliveryRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/deliveries',
    operationId: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List callbacks',
    description:
      'Lists the callbacks of the account, newest first by their jobs. New ones do not shift the pages. With more than ' +
      'one filter a page can have fewer callbacks than `limit` although `next_cursor` is not null.',
    permission: 'jobs:read',
    request: { query: listDeliveriesQuery },
    responses: [ok('One page of callbacks.', nameSchema('DeliveryList', deliveryListResponse))],
    handle: async ({ account, query }, { reads, readYourWrites }) => {
      await readYourWrites.waitForWrites(account.id, deliveries);
      const { documents, next } = await findDeliveryPage(reads, account.id, query);
      return { deliveries: documents.map(deliverySummaryOf), next_cursor: next === null ? null : jobIdOf(next) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/deliveries/{job_id}',
    operationId: 'getDelivery',
    tag: 'Webhooks',
    summary: 'Read a callback with its attempts',
    description:
      'Returns the callback of a job: the body, exactly as it is sent, and every attempt with its request, the response ' +
      'and the time that it took. Signatures, the header values of the caller and parts of the URL that may be ' +
      'credentials are shown as `***`, also where a receiver repeats them.',
    permission: 'jobs:read',
    request: { params },
    responses: [ok('The callback.', nameSchema('Delivery', deliveryResponse))],
    errors: ['delivery_not_found'],
    handle: async ({ account, params: { job_id } }, dependencies) => {
      const { document, history } = await requireDelivery(dependencies, account.id, job_id);
      const state = fold(delivery, history);
      const rounds = roundsOf(history, actorView).toReversed();
      return {
        ...deliverySummaryOf(document),
        body: await bodyOf(dependencies.blobs, history),
        missing_fields: state.status === 'NONE' ? [] : requiredFields(state.target),
        rounds: rounds.slice(0, maxRounds),
        omitted_rounds: Math.max(0, rounds.length - maxRounds),
      };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/deliveries/redeliver',
    operationId: 'redeliverFailedDeliveries',
    tag: 'Webhooks',
    summary: 'Send failed callbacks again',
    description:
      `Starts another round for the callbacks that failed for good in a time, the oldest failures first, at most ` +
      `${maxRedeliveriesPerCall} in one call. If \`has_more\` is true, send the same request again with the \`until\` of ` +
      'the response: callbacks that were sent again do not match a second time. Attempts start one after the other, 20 ' +
      'a second at each receiver. If those of the next minute are planned already, the response is 429 ' +
      '`rate_limit_exceeded`. With `dry_run` nothing is sent. Callbacks with headers or a masked URL are left out, ' +
      'because their secrets are erased: redeliver each job in `erased_job_ids` with a body.',
    permission: 'render:create',
    request: {
      body: nameSchema('RedeliverDeliveries', redeliverDeliveriesRequest),
      examples: {
        night: { summary: 'Since midnight', value: { failed_since: '2026-03-02T00:00:00Z' } },
        count: {
          summary: 'Only count those to one receiver',
          value: { failed_since: '2026-03-02T00:00:00Z', url: 'https://example.com/hooks', dry_run: true },
        },
      },
    },
    responses: [
      ok('The callbacks that are sent again.', nameSchema('RedeliveredDeliveries', redeliverDeliveriesResponse)),
    ],
    handle: async ({ account, body, cause }, dependencies) => {
      // Times have milliseconds, and what failed in this one counts.
      const until = body.until ?? new Date(dependencies.eventLog.now().getTime() + 1).toISOString();
      const failed = { since: body.failed_since, until, url: body.url };
      const { matching, redelivered, erased } = body.dry_run
        ? await countFailed(dependencies, account.id, failed, maxRedeliveriesPerCall)
        : await redeliverFailed(dependencies, account.id, failed, maxRedeliveriesPerCall, cause);
      return {
        matching,
        redelivered: redelivered.length,
        job_ids: redelivered.map(jobIdOf),
        erased_job_ids: erased.map(jobIdOf),
        until: new Date(until).toISOString(),
        has_more: matching > maxRedeliveriesPerCall,
      };
    },
  }),
];
