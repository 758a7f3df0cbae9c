import { z } from 'zod';
import { diagnostics } from './diagnostics.ts';
import { renderStatuses } from './render.ts';
import { webhookFields } from './webhook.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');

export const webhookStatuses = ['pending', 'sent', 'delivered', 'failed', 'timeout'] as const;

/** 200 of GET /jobs/{job_id}. Fields that do not apply are absent. */
export const jobResponse = z.object({
  job_id: z.string().describe('job_<id>'),
  id: z.string().describe('render_<id>'),
  status: z.enum(renderStatuses),
  mode: z.enum(['CONVERT', 'RENDER']),
  input_type: z.string().optional(),
  template_id: z.string().optional(),
  template_version: z.number().int().optional(),
  created_at: timestamp,
  started_at: timestamp.optional(),
  completed_at: timestamp.optional(),
  failed_at: timestamp.optional(),
  duration_ms: z.number().optional(),
  pages: z.number().int().optional(),
  file_size_kb: z.number().optional(),
  pdf_sha256: z.string().optional(),
  pdf_url: z
    .string()
    .optional()
    .describe('Link to the PDF, valid without a key until pdf_expires_at. Absent when the PDF is erased.'),
  pdf_expires_at: timestamp.optional(),
  error: z.string().optional(),
  message: z.string().optional(),
  details: z.unknown().optional(),
  webhook_url: z
    .string()
    .optional()
    .describe(
      'The callback URL. Possible credentials are masked as `***`: query values, and path segments that are not ' +
        'plain words.',
    ),
  webhook_status: z.enum(webhookStatuses).optional(),
  webhook_attempts: z.number().int().optional(),
  webhook_last_attempt: timestamp.optional(),
  webhook_last_error: z.string().optional(),
  webhook_error: z
    .object({
      error: z.literal('webhook_failed'),
      message: z.string(),
      code: z.literal(500),
      webhook_url: z.string(),
      attempts: z.number().int(),
      last_error: z.string(),
    })
    .optional()
    .describe('Present when all attempts of the callback have failed.'),
  diagnostics: diagnostics.optional().describe('Present if requested, when the render has ended.'),
});
export type JobResponse = z.output<typeof jobResponse>;

const instant = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: 'must be an ISO 8601 time with an offset, such as 2026-03-02T09:15:00Z, or a date',
});

export const listJobsQuery = z.strictObject({
  status: z.enum(renderStatuses).optional(),
  since: instant.optional().describe('Jobs created at or after this ISO 8601 time.'),
  until: instant.optional().describe('Jobs created before this ISO 8601 time.'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(100).optional().describe('next_cursor of the previous page.'),
});

export const jobListResponse = z.object({
  jobs: z.array(jobResponse),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});

export const historyEvent = z.object({
  id: z.string(),
  type: z.string(),
  revision: z.number().int(),
  time: timestamp,
  actor: z.object({ kind: z.string() }).loose(),
  trace_id: z.string().nullable(),
  request_id: z.string(),
  data: z.unknown(),
});

export const jobHistoryResponse = z.object({ job_id: z.string(), events: z.array(historyEvent) });

export const redeliverJobRequest = z.strictObject(webhookFields);
export type RedeliverJobRequest = z.output<typeof redeliverJobRequest>;
export const redeliverJobsRequest = z.strictObject({
  since: instant.describe('Sends the callbacks again that failed at or after this ISO 8601 time.'),
});
export const redeliverJobResponse = z.object({ job_id: z.string(), webhook_status: z.enum(webhookStatuses) });
export const redeliverJobsResponse = z.object({
  redelivered: z.number().int(),
  job_ids: z.array(z.string()),
  erased_job_ids: z
    .array(z.string())
    .optional()
    .describe(
      'Jobs whose callbacks need a body to be sent again, because their secrets are erased. At most 1,000; ' +
        'absent if there are none.',
    ),
});

/** 200 of an asynchronous render. */
export const renderQueuedResponse = z.object({
  id: z.string().describe('render_<id>'),
  job_id: z.string().describe('job_<id>'),
  status: z.literal('QUEUED'),
  webhook_url: z.string().optional().describe('As in the request.'),
  estimated_time_ms: z
    .number()
    .int()
    .describe('Estimated from recent renders of the same input type and the queued renders of the account.'),
  created_at: timestamp,
});
export type RenderQueuedResponse = z.output<typeof renderQueuedResponse>;
