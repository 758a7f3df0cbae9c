import { z } from 'zod';
import { ulidPattern } from '../names.ts';
import { actorResponse } from './actor.ts';
import { diagnosticTimings } from './diagnostics.ts';
import { type ErrorName, errors } from './errors.ts';
import { historyFields, jobResponse, listCursor, listQuery } from './jobs.ts';
import { pageRequestFields } from './page-request.ts';
import { inputTypes, renderStatuses, requestModes } from './render.ts';
import { renderOptionFields } from './render-options.ts';
import { webhookFields } from './webhook.ts';

/** 200 of GET /renders/{id}. Fields that do not apply are absent. */
export const renderRecordResponse = jobResponse
  .omit({ job_id: true })
  .extend({
    job_id: z.string().optional().describe('job_<id>. Present if the render is asynchronous.'),
    asynchronous: z.boolean().describe('Whether the caller got a job, because it did not wait for the PDF.'),
    key_id: z
      .string()
      .nullable()
      .describe('key_<id>: the API key that requested the render. Null if a person did so in the dashboard.'),
    requested_by: actorResponse.describe('Who requested the render: a key or a person, with its name.'),
    template_test: z
      .boolean()
      .describe('Whether this is a test of a template, which counts neither toward the quota nor as a use of it.'),
    repeated_from: z
      .string()
      .optional()
      .describe('render_<id>. Present if this render repeats the recorded request of that one.'),
    verification: z
      .object({ time: z.string(), matches: z.boolean() })
      .optional()
      .describe('The last comparison with a second rendering by POST /renders/{id}/verify.'),
    timings_ms: diagnosticTimings
      .optional()
      .describe(
        'Durations of a completed render: queue, conversion or expansion, wait for a browser, loading, printing, ' +
          'finishing (stamps, conformance, attachments, encryption, images, merge of parts), and total from ' +
          'acceptance to PDF.',
      ),
  })
  .describe('A render as it is recorded. Fields that do not apply are absent.');
export type RenderRecordResponse = z.output<typeof renderRecordResponse>;

/** The error codes of the API. */
const errorCodes = [...new Set((Object.keys(errors) as ErrorName[]).map((name) => errors[name].error))];

const prefixed = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}_${ulidPattern}$`), `must be an id of the form ${prefix}_<id>`);

export const listRendersQuery = z.strictObject({
  ...listQuery,
  since: listQuery.since.describe('Renders created at or after this ISO 8601 time.'),
  until: listQuery.until.describe('Renders created before this ISO 8601 time.'),
  cursor: listCursor('render'),
  status: z.enum(renderStatuses).optional(),
  mode: z.enum(requestModes).optional(),
  input_type: z.enum(inputTypes).optional(),
  template_id: prefixed('tpl').optional().describe('tpl_<id>: renders and tests of this template.'),
  key_id: prefixed('key').optional().describe('key_<id>: renders that this API key requested.'),
  person_id: prefixed('person')
    .optional()
    .describe('person_<id>: renders that this person requested in the dashboard.'),
  error: z.enum(errorCodes).optional().describe('Failed renders with this error code.'),
  asynchronous: z
    .enum(['true', 'false'])
    .optional()
    .describe('Only asynchronous renders, or only synchronous ones. Default: both.'),
});
export type ListRendersQuery = z.output<typeof listRendersQuery>;

export const renderListResponse = z.object({
  renders: z.array(renderRecordResponse),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});

export const renderHistoryResponse = z.object({ id: z.string().describe('render_<id>'), ...historyFields });

/** The body of POST /renders/{id}/repeat. Absent fields are those of the recorded request. */
export const repeatRenderRequest = z.strictObject({
  ...webhookFields,
  ...pageRequestFields,
  keep_pdf: renderOptionFields.keep_pdf,
  file_name: renderOptionFields.file_name,
});
export type RepeatRenderRequest = z.output<typeof repeatRenderRequest>;
