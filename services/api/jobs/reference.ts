import { z } from 'zod';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import { job, jobHistory, jobList, listJobsQuery, redelivered, redeliveredJobs, redeliverJob, redeliverJobs } from '#contracts/http/jobs.ts';
import { bodyErrors, callErrors, named, type Route } from '../server/route.ts';

const params = z.object({ job_id: z.string().describe('job_<id>') });

export const jobRoutes: Route[] = [
  {
    method: 'GET',
    path: '/api/v1/jobs',
    tag: 'Jobs',
    summary: 'List jobs',
    description: 'The asynchronous renders of the account, newest first, in pages that stay put while new jobs arrive.',
    permission: 'jobs:read',
    request: { query: listJobsQuery },
    responses: [{ status: 200, description: 'One page of jobs.', schema: named('JobList', jobList) }],
    errors: callErrors('invalid_request'),
  },
  {
    method: 'GET',
    path: '/api/v1/jobs/{job_id}',
    tag: 'Jobs',
    summary: 'Read a job',
    description:
      'What became of a render and of its callback. `status` is `QUEUED` when the render is accepted, `PROCESSING` when a worker has taken it up, then `DONE` or `FAILED`. A callback that failed for good is in `webhook_error`. Unknown jobs and those of other accounts are the same 404.\n\nWith `diagnostics=true` a render that has ended is told of in more detail. Timings, lane and failed resources are those of the render itself. Messages of the console and fonts are not noted while callers wait: who asks for them first has the document made once more, and looked at closely. Since the same request gives the same bytes, what is seen there holds for the first PDF too; `same_bytes` says whether it came out the same. What was found is kept. The second rendering is charged to nobody; since it makes a PDF, the key needs the permission `render:create`, too. Where many renders wait, nothing is made and `pending` says to ask again.',
    permission: 'jobs:read',
    request: { params, query: diagnosticsQuery },
    responses: [{ status: 200, description: 'The job. Fields that do not apply are left out.', schema: named('Job', job) }],
    errors: callErrors('invalid_request', 'job_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/jobs/{job_id}/events',
    tag: 'Jobs',
    summary: "Read a job's history",
    description: 'Every event of the render and of its callback: what, when, by whom, in which trace. Values of the callback\'s headers, and parts of its address that may be credentials, are shown as `***`. A receiver\'s answer that repeats them is masked in the same way.',
    permission: 'jobs:read',
    request: { params },
    responses: [{ status: 200, description: 'The events.', schema: named('JobHistory', jobHistory) }],
    errors: callErrors('job_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/jobs/{job_id}/redeliver',
    tag: 'Jobs',
    summary: 'Send a callback again',
    description:
      'Starts another round of three attempts, with the same `webhook-id`. The body may be empty: the callback then goes where it went before. Headers, and an address that the job shows with `***`, are erased when a delivery has ended, delivered or not. So they have to be sent again: `webhook_headers` if there were any (`{}` sends none now), and the whole `webhook_url` if the job shows it masked. Otherwise the answer is 409 `webhook_target_erased`. The body may name another address, method or headers once the delivery has ended; while the callback is under way, that is 409 `redelivery_conflict`.',
    permission: 'render:create',
    request: {
      params,
      body: named('RedeliverJob', redeliverJob),
      bodyIsOptional: true,
      examples: { secrets: { summary: 'With the headers and the address once more', value: { webhook_url: 'https://example.com/hooks?key=1f9c', webhook_headers: { Authorization: 'Bearer 5f2d' } } } },
    },
    responses: [{ status: 200, description: 'The callback is on its way.', schema: named('Redelivered', redelivered) }],
    errors: bodyErrors('job_not_found', 'redelivery_conflict', 'webhook_target_erased'),
  },
  {
    method: 'POST',
    path: '/api/v1/jobs/redeliver',
    tag: 'Jobs',
    summary: 'Send failed callbacks again',
    description: 'Starts another round for the callbacks that have failed for good since the given time. Callbacks that had headers or a masked address are left out, because their secrets are erased. `erased_job_ids` names their jobs: redeliver each of them with a body.',
    permission: 'render:create',
    request: { body: named('RedeliverJobs', redeliverJobs), examples: { night: { summary: 'Since the night', value: { since: '2026-03-02T00:00:00Z' } } } },
    responses: [{ status: 200, description: 'The callbacks that are on their way.', schema: named('RedeliveredJobs', redeliveredJobs) }],
    errors: bodyErrors(),
  },
  {
    method: 'GET',
    path: '/api/v1/download/{render_id}',
    tag: 'Jobs',
    summary: 'Fetch the PDF of a job',
    description:
      'For one hour from the end of an asynchronous render, or from when the PDF of another one was made again for a repeated request; then the PDF is erased and only its hash remains. The address in `pdf_url` has a token that takes the place of a key. Parts can be asked for with `Range`, and `If-None-Match` is heeded.',
    permission: 'jobs:read',
    keyOptional: true,
    request: { params: z.object({ render_id: z.string().describe('render_<id>') }), query: z.object({ token: z.string().optional().describe('As pdf_url has it.') }) },
    responses: [
      { status: 200, description: 'The PDF.', schema: null, bytes: 'application/pdf', headers: { ETag: 'The SHA-256 of the PDF, in quotes.' } },
      { status: 206, description: 'The part that `Range` asked for.', schema: null, bytes: 'application/pdf' },
      { status: 304, description: 'It is the one that `If-None-Match` names.', schema: null },
      { status: 416, description: 'The PDF has no such part.', schema: null },
    ],
    errors: callErrors('not_found', 'download_expired'),
  },
];
