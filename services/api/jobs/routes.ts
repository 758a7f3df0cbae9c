import { encodeTime } from 'ulid';
import { z } from 'zod';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import {
  type JobResponse,
  jobResponse,
  jobHistoryResponse,
  jobListResponse,
  listJobsQuery,
  redeliverJobResponse,
  redeliverJobsResponse,
  redeliverJobRequest,
  redeliverJobsRequest,
} from '#contracts/http/jobs.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, jobIdOf, readModels, streams } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { waitSignal } from '../renders/send-render.ts';
import { requirePermission } from '../server/authenticate.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { eventView } from '../server/event-view.ts';
import { nameSchema, route, type Route } from '../server/route.ts';
import { getDiagnostics } from '#application/renders/diagnostics.ts';
import { redeliver, redeliverFailed } from '#application/deliveries/redeliver.ts';
import { jobOf } from './job-view.ts';

const { renders, deliveries } = readModels;
const maxWaitMs = 1_000;

const params = z.object({ job_id: z.string().describe('job_<id>') });

const jobNotFound = (): ApiError => ApiError.of('job_not_found', 'The account has no such job.');

/** The smallest id that a job created at this time can have: ids begin with the time in milliseconds. */
const lowestIdAt = (time: string): string => encodeTime(Math.max(0, Date.parse(time)), 10) + '0'.repeat(16);

const smallestId = (...ids: (string | undefined)[]): string | undefined =>
  ids.filter((id) => id !== undefined).toSorted()[0];

const cursorId = (cursor: string | undefined): string | undefined => {
  if (cursor === undefined) return undefined;
  const id = bareId('job', cursor);
  if (!id) throw ApiError.of('invalid_request', 'cursor must be the next_cursor of another page.', { field: 'cursor' });
  return id;
};

/** The events of a render and its callback, in the order of the log. */
const historyOf = async ({ store }: EventLog, id: string): Promise<RecordedEvent[]> => {
  const [render, callback] = await Promise.all([store.read(streams.render(id)), store.read(streams.delivery(id))]);
  return [...render, ...callback].toSorted((a, b) => a.position - b.position);
};

type JobWithHistory = { document: RenderDocument; history: RecordedEvent[] };

/** A job with all that the log has of it now: after its callback it must not look as if it were under way. */
const requireJob = async (
  { eventLog, reads }: Dependencies,
  accountId: string,
  prefixed: string,
): Promise<JobWithHistory> => {
  const id = bareId('job', prefixed);
  const history = id ? await historyOf(eventLog, id) : [];
  if (!id || history[0]?.metadata.accountId !== accountId) throw jobNotFound();
  const { position } = history.at(-1)!;
  await Promise.all([renders, deliveries].map((model) => reads.waitForCheckpoint(model, position, maxWaitMs)));
  const document = (await reads.get(renders, id)) as RenderDocument | null;
  if (document) return { document, history };
  const message = 'The job is there and cannot be shown yet. Try again in a moment.';
  throw ApiError.of('service_unavailable', message, { retry_after: 1 });
};

const jobViewOf = async (
  { reads, downloadUrlFor, eventLog }: Dependencies,
  document: RenderDocument,
): Promise<JobResponse> => {
  const callback =
    document.webhookUrl === null ? null : ((await reads.get(deliveries, document.id)) as DeliveryDocument | null);
  return jobOf(document, callback, downloadUrlFor, eventLog.now());
};

const redeliveryExample = {
  summary: 'With the headers and the address once more',
  value: { webhook_url: 'https://example.com/hooks?key=1f9c', webhook_headers: { Authorization: 'Bearer 5f2d' } },
};

/** What became of renders and their callbacks. */
export const jobRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/jobs',
    tag: 'Jobs',
    summary: 'List jobs',
    description: 'The asynchronous renders of the account, newest first, in pages that stay put while new jobs arrive.',
    permission: 'jobs:read',
    request: { query: listJobsQuery },
    responses: [{ status: 200, description: 'One page of jobs.', schema: nameSchema('JobList', jobListResponse) }],
    handle: async ({ account, query: { status, since, until, limit, cursor } }, dependencies) => {
      const { reads, readYourWrites } = dependencies;
      const before = smallestId(until && lowestIdAt(until), cursorId(cursor));
      await readYourWrites.waitForWrites(account.id, renders, deliveries);
      const where = { accountId: account.id, isJob: true, ...(status ? { status } : {}) };
      const range = { by: 'id', from: since && lowestIdAt(since), before };
      const sort = { by: 'id', descending: true };
      const found = (await reads.find(renders, { where, range, sort, limit: limit + 1 })) as RenderDocument[];
      const page = found.slice(0, limit);
      const jobs = await Promise.all(page.map((document) => jobViewOf(dependencies, document)));
      return { jobs, next_cursor: found.length > limit ? jobIdOf(page.at(-1)!.id) : null };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/jobs/{job_id}',
    tag: 'Jobs',
    summary: 'Read a job',
    description:
      'What became of a render and of its callback. `status` is `QUEUED` when the render is accepted, `PROCESSING` when a worker has taken it up, then `DONE` or `FAILED`. A callback that failed for good is in `webhook_error`. Unknown jobs and those of other accounts are the same 404.\n\nWith `diagnostics=true` a render that has ended is told of in more detail. Timings, lane and failed resources are those of the render itself. Messages of the console and fonts are not noted while callers wait: who asks for them first has the document made once more, and looked at closely. Since the same request gives the same bytes, what is seen there holds for the first PDF too; `same_bytes` says whether it came out the same. What was found is kept. The second rendering is charged to nobody; since it makes a PDF, the key needs the permission `render:create`, too. Where many renders wait, nothing is made and `pending` says to ask again.',
    permission: 'jobs:read',
    request: { params, query: diagnosticsQuery },
    responses: [
      {
        status: 200,
        description: 'The job. Fields that do not apply are left out.',
        schema: nameSchema('Job', jobResponse),
      },
    ],
    errors: ['job_not_found'],
    handle: async (context, dependencies) => {
      const {
        account,
        params: { job_id },
        query,
        cause,
        reply,
      } = context;
      const wanted = query.diagnostics === 'true';
      if (wanted) requirePermission(context, 'render:create');
      const { document } = await requireJob(dependencies, account.id, job_id);
      const diagnostics = wanted ? await getDiagnostics(dependencies, document.id, cause, waitSignal(reply)) : null;
      return { ...(await jobViewOf(dependencies, document)), ...(diagnostics ? { diagnostics } : {}) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/jobs/{job_id}/events',
    tag: 'Jobs',
    summary: "Read a job's history",
    description:
      "Every event of the render and of its callback: what, when, by whom, in which trace. Values of the callback's headers, and parts of its address that may be credentials, are shown as `***`. A receiver's answer that repeats them is masked in the same way.",
    permission: 'jobs:read',
    request: { params },
    responses: [{ status: 200, description: 'The events.', schema: nameSchema('JobHistory', jobHistoryResponse) }],
    errors: ['job_not_found'],
    handle: async ({ account, params: { job_id } }, dependencies) => {
      const { document, history } = await requireJob(dependencies, account.id, job_id);
      return { job_id: jobIdOf(document.id), events: history.map(eventView) };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/jobs/{job_id}/redeliver',
    tag: 'Jobs',
    summary: 'Send a callback again',
    description:
      'Starts another round of three attempts, with the same `webhook-id`. The body may be empty: the callback then goes where it went before. Headers, and an address that the job shows with `***`, are erased when a delivery has ended, delivered or not. So they have to be sent again: `webhook_headers` if there were any (`{}` sends none now), and the whole `webhook_url` if the job shows it masked. Otherwise the answer is 409 `webhook_target_erased`. The body may name another address, method or headers once the delivery has ended; while the callback is under way, that is 409 `redelivery_conflict`.',
    permission: 'render:create',
    request: {
      params,
      body: nameSchema('RedeliverJob', redeliverJobRequest),
      bodyIsOptional: true,
      examples: { secrets: redeliveryExample },
    },
    responses: [
      {
        status: 200,
        description: 'The callback is on its way.',
        schema: nameSchema('Redelivered', redeliverJobResponse),
      },
    ],
    errors: ['job_not_found', 'redelivery_conflict', 'webhook_target_erased'],
    handle: async ({ account, params, body, cause }, dependencies) => {
      const { readYourWrites } = dependencies;
      const { document } = await requireJob(dependencies, account.id, params.job_id);
      if (document.webhookUrl === null) {
        const message = 'The job has no webhook_url, so there is no callback to send again.';
        throw ApiError.of('invalid_request', message, { field: 'job_id' });
      }
      const position = await redeliver(dependencies, document.id, body, cause);
      if (position !== null) readYourWrites.recordWrite(account.id, position, deliveries);
      await readYourWrites.waitForWrites(account.id, deliveries);
      const { job_id, webhook_status } = await jobViewOf(dependencies, document);
      return { job_id, webhook_status: webhook_status! };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/jobs/redeliver',
    tag: 'Jobs',
    summary: 'Send failed callbacks again',
    description:
      'Starts another round for the callbacks that have failed for good since the given time. Callbacks that had headers or a masked address are left out, because their secrets are erased. `erased_job_ids` names their jobs: redeliver each of them with a body.',
    permission: 'render:create',
    request: {
      body: nameSchema('RedeliverJobs', redeliverJobsRequest),
      examples: { night: { summary: 'Since the night', value: { since: '2026-03-02T00:00:00Z' } } },
    },
    responses: [
      {
        status: 200,
        description: 'The callbacks that are on their way.',
        schema: nameSchema('RedeliveredJobs', redeliverJobsResponse),
      },
    ],
    handle: async ({ account, body, cause }, dependencies) => {
      const { redelivered: again, erased } = await redeliverFailed(dependencies, account.id, body.since, cause);
      const erasedJobs = erased.length > 0 ? { erased_job_ids: erased.map(jobIdOf) } : {};
      return { redelivered: again.length, job_ids: again.map(jobIdOf), ...erasedJobs };
    },
  }),
];
