import { z } from 'zod';
import { bareId, type IdPrefix } from '../names.ts';
import { diagnostics } from './diagnostics.ts';
import { instant } from './instant.ts';
import { outputContentTypes } from './output.ts';
import { renderStatuses, requestModes } from './render.ts';
import { warnings } from './warnings.ts';
import { webhookFields } from './webhook.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');

export const webhookStatuses = ['pending', 'sent', 'delivered', 'failed', 'timeout'] as const;

/** 200 of GET /jobs/{job_id}. Fields that do not apply are absent. */
export const jobResponse = z.object({
  job_id: z.string().describe('job_<id>'),
  id: z.string().describe('render_<id>'),
  status: z.enum(renderStatuses),
  mode: z.enum(requestModes),
  parts: z.number().int().optional().describe('The number of parts of a composed document.'),
  input_type: z.string().optional(),
  url: z.string().optional().describe('The URL of the page, masked, if input_type is url.'),
  template_id: z.string().optional(),
  template_version: z.number().int().optional(),
  created_at: timestamp,
  started_at: timestamp.optional(),
  completed_at: timestamp.optional(),
  failed_at: timestamp.optional(),
  duration_ms: z.number().optional(),
  pages: z.number().int().optional(),
  file_size_kb: z.number().optional(),
  pdf_sha256: z.string().optional().describe('The SHA-256 of the PDF, or of the images.'),
  output: z
    .enum(['png', 'jpeg', 'webp'])
    .optional()
    .describe('Present if the render gives images. `pdf_url` is then the link to them.'),
  content_type: z
    .enum(outputContentTypes)
    .optional()
    .describe('The media type of the images of a render that is DONE.'),
  file_name: z
    .string()
    .optional()
    .describe('The name of the PDF or the images when they are downloaded, as in the request.'),
  pdf_url: z
    .string()
    .optional()
    .describe('Link to the PDF, valid without a key until pdf_expires_at. Absent when the PDF is erased.'),
  pdf_expires_at: timestamp.optional(),
  thumbnail_url: z.string().optional().describe('Link to the image of the first page, valid as long as pdf_url.'),
  error: z.string().optional(),
  message: z.string().optional(),
  details: z
    .unknown()
    .optional()
    .describe('The `details` of the error, else all of its own fields, such as `missing_variables`.'),
  line: z.number().int().optional().describe('The line of the error in the input or template, from 1, if it has one.'),
  warnings,
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

/** The fields of every query for a page of renders or jobs. */
export const listQuery = {
  since: instant.optional(),
  until: instant.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
} as const;

/** The position of the next page: an id with this prefix. */
export const listCursor = (prefix: IdPrefix) =>
  z
    .string()
    .max(100, { abort: true })
    .refine((cursor) => bareId(prefix, cursor) !== undefined, 'must be the next_cursor of a page')
    .optional()
    .describe('next_cursor of the previous page.');

export const listJobsQuery = z.strictObject({
  status: z.enum(renderStatuses).optional(),
  ...listQuery,
  since: listQuery.since.describe('Jobs created at or after this ISO 8601 time.'),
  until: listQuery.until.describe('Jobs created before this ISO 8601 time.'),
  cursor: listCursor('job'),
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
  data: z
    .unknown()
    .describe('The data of the event. Names and ids have the form that they have everywhere in the API.'),
});

export const historyFields = { events: z.array(historyEvent).describe('In the order in which they happened.') };

export const jobHistoryResponse = z.object({ job_id: z.string(), ...historyFields });

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
