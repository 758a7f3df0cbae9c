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
import { ApiError, invalidField } from '#contracts/http/api-error.ts';
import { bareId, jobIdOf, readModels } from '#contracts/names.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { findDeliveries, requireRender, type RenderWithHistory } from '#application/renders/find-renders.ts';
import { findRenderListPage } from '#application/renders/list-renders.ts';
import { waitSignal } from '../renders/send-render.ts';
import { requirePermission } from '../server/authenticate.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { eventView } from '#application/audit/event-view.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { getDiagnostics } from '#application/renders/diagnostics.ts';
import { redeliver, redeliverFailed } from '#application/deliveries/redeliver.ts';
import { jobOf } from './job-view.ts';

const { renders, deliveries } = readModels;

/** In one call. */
const maxRedeliveries = 1_000;

const params = z.object({ job_id: z.string().describe('job_<id>') });

const jobNotFound = (): ApiError => ApiError.of('job_not_found', 'The account has no such job.');

/** Loads a job of the account with its history. @throws ApiError job_not_found */
const requireJob = (dependencies: Dependencies, accountId: string, jobId: string): Promise<RenderWithHistory> =>
  requireRender(dependencies, accountId, bareId('job', jobId), jobNotFound);

const jobViewOf = async (
  { reads, downloadUrlFor, eventLog }: Dependencies,
  document: RenderDocument,
): Promise<JobResponse> => {
  const delivery =
    document.webhookUrl === null ? null : ((await reads.get(deliveries, document.id)) as DeliveryDocument | null);
  return jobOf(document, delivery, downloadUrlFor, eventLog.now());
};

const redeliveryExample = {
  summary: 'With the headers and the address',
  value: { webhook_url: 'https://example.com/hooks?key=1f9c', webhook_headers: { Authorization: 'Bearer 5f2d' } },
};

/** The routes for jobs and their callbacks. */
export const jobRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/jobs',
    operationId: 'listJobs',
    tag: 'Jobs',
    summary: 'List jobs',
    description: 'Lists the asynchronous renders of the account, newest first. New jobs do not shift the pages.',
    permission: 'jobs:read',
    request: { query: listJobsQuery },
    responses: [ok('One page of jobs.', nameSchema('JobList', jobListResponse))],
    handle: async ({ account, query: { status, ...page } }, { reads, readYourWrites, downloadUrlFor, eventLog }) => {
      await readYourWrites.waitForWrites(account.id, renders, deliveries);
      const filter = { kind: 'asynchronous', ...(status ? { status } : {}) };
      const { documents, next } = await findRenderListPage(reads, account.id, filter, { ...page, cursorPrefix: 'job' });
      const found = await findDeliveries(reads, documents);
      const now = eventLog.now();
      const jobs = documents.map((one) => jobOf(one, found.get(one.id) ?? null, downloadUrlFor, now));
      return { jobs, next_cursor: next === null ? null : jobIdOf(next) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/jobs/{job_id}',
    operationId: 'getJob',
    tag: 'Jobs',
    summary: 'Read a job',
    description:
      'Returns the state of a render and of its callback. `status` is `QUEUED` after acceptance, `PROCESSING` once a ' +
      'worker has started, then `DONE` or `FAILED`. `webhook_error` is present if the callback failed for good. Unknown ' +
      'jobs and jobs of other accounts give the same 404.\n\n' +
      'With `diagnostics=true` the response has `diagnostics` of a render that has ended. Timings, render mode and failed ' +
      'resources are those of the render itself. Console messages and fonts are not recorded during a render: the first ' +
      'request for them renders the document a second time, and the result is kept. The same request gives the same ' +
      'bytes, so the findings apply to the first PDF, too; `same_bytes` says whether both PDFs are equal. The second ' +
      'rendering does not count toward the quota. It makes a PDF, so the key also needs the permission `render:create`. ' +
      'If many renders wait, nothing is rendered and `pending` is true: ask again later.',
    permission: 'jobs:read',
    request: { params, query: diagnosticsQuery },
    responses: [ok('The job. Fields that do not apply are left out.', nameSchema('Job', jobResponse))],
    errors: ['job_not_found'],
    handle: async (context, dependencies) => {
      const { account, params, query, cause, reply } = context;
      const wantsDiagnostics = query.diagnostics === 'true';
      if (wantsDiagnostics) requirePermission(context, 'render:create');
      const { document } = await requireJob(dependencies, account.id, params.job_id);
      const diagnostics = wantsDiagnostics
        ? await getDiagnostics(dependencies, document.id, cause, waitSignal(reply))
        : null;
      return { ...(await jobViewOf(dependencies, document)), ...(diagnostics ? { diagnostics } : {}) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/jobs/{job_id}/events',
    operationId: 'getJobEvents',
    tag: 'Jobs',
    summary: "Read a job's history",
    description:
      'Lists every event of the render and of its callback with time, actor and trace. Header values of the ' +
      'callback, and parts of its address that may be credentials, are shown as `***`, also where the response of a ' +
      'receiver repeats them.',
    permission: 'jobs:read',
    request: { params },
    responses: [ok('The events.', nameSchema('JobHistory', jobHistoryResponse))],
    errors: ['job_not_found'],
    handle: async ({ account, params: { job_id } }, dependencies) => {
      const { document, history } = await requireJob(dependencies, account.id, job_id);
      return { job_id: jobIdOf(document.id), events: history.map(eventView) };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/jobs/{job_id}/redeliver',
    operationId: 'redeliverJob',
    tag: 'Jobs',
    summary: 'Send a callback again',
    description:
      'Starts another round of three attempts with the same `webhook-id`. With an empty body the callback goes to ' +
      'the same address as before. Headers, and an address that the job shows with `***`, are erased when a delivery ' +
      'has ended. Send them again: `webhook_headers` if there were any (`{}` sends none), and the whole ' +
      '`webhook_url` if the job shows it masked. Otherwise the response is 409 `webhook_target_erased`. After the ' +
      'end of a delivery the body may name another address, method or headers; during the delivery, that is 409 ' +
      '`redelivery_conflict`.',
    permission: 'render:create',
    request: {
      params,
      body: nameSchema('RedeliverJob', redeliverJobRequest),
      bodyIsOptional: true,
      examples: { secrets: redeliveryExample },
    },
    responses: [ok('The delivery has started.', nameSchema('Redelivered', redeliverJobResponse))],
    errors: ['job_not_found', 'redelivery_conflict', 'webhook_target_erased'],
    handle: async ({ account, params, body, cause }, dependencies) => {
      const { readYourWrites } = dependencies;
      const { document } = await requireJob(dependencies, account.id, params.job_id);
      if (document.webhookUrl === null) {
        const message = 'The job has no webhook_url, so it has no callback to send again.';
        throw invalidField('job_id', message);
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
    operationId: 'redeliverFailedJobs',
    tag: 'Jobs',
    summary: 'Send failed callbacks again',
    description:
      'Starts another round for the callbacks that failed for good since the given time. Callbacks with headers or a ' +
      'masked address are left out, because their secrets are erased. `erased_job_ids` lists their jobs: redeliver ' +
      'each with a body. It starts at most 20 attempts a second at each receiver. If those of the next minute are planned ' +
      'already, the response is 429 `rate_limit_exceeded`.',
    permission: 'render:create',
    request: {
      body: nameSchema('RedeliverJobs', redeliverJobsRequest),
      examples: { night: { summary: 'Since midnight', value: { since: '2026-03-02T00:00:00Z' } } },
    },
    responses: [ok('The jobs whose delivery has started.', nameSchema('RedeliveredJobs', redeliverJobsResponse))],
    handle: async ({ account, body, cause }, dependencies) => {
      const { redelivered, erased } = await redeliverFailed(dependencies, account.id, body, maxRedeliveries, cause);
      const erasedJobs = erased.length > 0 ? { erased_job_ids: erased.map(jobIdOf) } : {};
      return { redelivered: redelivered.length, job_ids: redelivered.map(jobIdOf), ...erasedJobs };
    },
  }),
];
