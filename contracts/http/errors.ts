import { z } from 'zod';
import { defineError, type ErrorDefinition } from './define-error.ts';
import { officeErrors } from './office-errors.ts';
import { peopleErrors } from './people-errors.ts';
import { standardErrors } from './standard-errors.ts';

/** One entry of `errors`: the code, the message and the own fields of an error. */
const errorEntry = z.looseObject({
  error: z.string(),
  message: z.string(),
  field: z.string().optional(),
  did_you_mean: z.string().optional(),
});
export type ErrorEntry = z.output<typeof errorEntry>;

/** The fields of errors of which a request can have several at once. `combineErrors` fills them in. */
const allErrors = {
  errors: z
    .array(errorEntry)
    .optional()
    .describe(
      'All errors of the request, the first included. Present if there are at least two; at most 50 are listed.',
    ),
  omitted_errors: z.number().int().optional().describe('The number of errors that are not in `errors`.'),
};
/** The fields of an error in one field of a request. */
const inField = {
  field: z
    .string()
    .describe(
      'The field, such as `margin_top` or `variables[0].type`; a parameter, a header, or `body` for all of it.',
    ),
  did_you_mean: z.string().optional().describe('The field, or the value of the field, that was probably meant.'),
  example: z.record(z.string(), z.unknown()).optional().describe('An example of the right fields with values.'),
  ...allErrors,
};
const validValues = { received: z.unknown(), valid_values: z.array(z.string()), ...inField };
/** `field` holds the content, or the option that does not fit it. */
const ofField = { field: z.string().optional() };
const details = { ...ofField, details: z.unknown().optional() };
const withLine = { ...details, line: z.number().int().optional() };

/**
 * All errors of the API: HTTP status, and the fields in addition to `error`, `message`, `code` and `request_id`.
 * The key is the internal name; `error` is the code in the response.
 */
export const errors = {
  ...peopleErrors,
  ...officeErrors,
  invalid_request: defineError(
    'invalid_request',
    400,
    'The request is malformed, or a field is missing or not allowed.',
    inField,
  ),
  invalid_mode: defineError('invalid_mode', 400, 'mode is not in the list.', validValues),
  invalid_input_type: defineError('invalid_input_type', 400, 'input_type is not in the list.', validValues),
  invalid_page_size: defineError('invalid_page_size', 400, 'page_size is not in the list.', validValues),
  invalid_orientation: defineError(
    'invalid_orientation',
    400,
    'orientation is neither portrait nor landscape.',
    validValues,
  ),
  missing_template_id: defineError('missing_template_id', 400, 'RENDER mode needs a template_id.', inField),
  missing_data: defineError('missing_data', 400, 'data is missing.', inField),
  template_name_required: defineError('template_name_required', 400, 'A template needs a name.', inField),
  template_content_required: defineError('template_content_required', 400, 'A template needs content.', inField),
  invalid_template_syntax: defineError('invalid_template_syntax', 400, 'The template has a syntax error.', {
    ...allErrors,
    ...withLine,
  }),

  missing_authorization: defineError('missing_authorization', 401, 'The Authorization header is absent.'),
  invalid_api_key: defineError('invalid_api_key', 401, 'The API key is wrong or malformed.'),
  revoked_api_key: defineError('revoked_api_key', 401, 'The API key has been revoked.', { revoked_at: z.string() }),
  invalid_metrics_token: defineError(
    'invalid_metrics_token',
    401,
    'GET /metrics requires the metrics token as bearer token.',
  ),
  expired_api_key: defineError('expired_api_key', 401, 'The temporary API key has expired.', {
    expired_at: z.string(),
  }),

  quota_exceeded: defineError('quota_exceeded', 403, 'The monthly quota is used up.', {
    quota_limit: z.number(),
    quota_used: z.number(),
    quota_reset: z.string(),
  }),
  insufficient_permissions: defineError(
    'insufficient_permissions',
    403,
    'The API key, or the role of the person, lacks a permission.',
    {
      required_permission: z.string(),
    },
  ),
  account_suspended: defineError('account_suspended', 403, 'The account is suspended.', {
    suspended_at: z.string(),
    reason: z.string(),
  }),
  template_limit_exceeded: defineError(
    'template_limit_exceeded',
    403,
    'The account has reached the template limit of its plan.',
    { limit: z.number() },
  ),

  key_limit_exceeded: defineError('key_limit_exceeded', 403, 'The account has reached its limit of active API keys.', {
    limit: z.number(),
  }),

  not_found: defineError('not_found', 404, 'There is nothing at this path.'),
  key_not_found: defineError('key_not_found', 404, 'The account has no such API key.'),
  event_not_found: defineError('event_not_found', 404, 'The account has no such event.'),
  job_not_found: defineError('job_not_found', 404, 'The account has no such job.'),
  delivery_not_found: defineError('delivery_not_found', 404, 'The account has no callback of this job.'),
  render_not_found: defineError('render_not_found', 404, 'The account has no such render.'),
  pdf_not_available: defineError(
    'pdf_not_available',
    404,
    'The render has no PDF to fetch: it was never kept, the render has not ended, or it has failed.',
    { render_status: z.string() },
  ),
  input_not_available: defineError(
    'input_not_available',
    404,
    'The part of the recorded request is no longer kept, or the request had none.',
    { part: z.string() },
  ),
  download_expired: defineError('download_expired', 404, 'The download link has expired.'),
  template_not_found: defineError('template_not_found', 404, 'The account has no such template.'),

  method_not_allowed: defineError(
    'method_not_allowed',
    405,
    'The path exists but does not support this method. The header Allow lists the supported methods.',
    { allowed: z.array(z.string()) },
  ),

  template_name_exists: defineError('template_name_exists', 409, 'The account already has a template with this name.'),
  idempotency_conflict: defineError('idempotency_conflict', 409, 'The Idempotency-Key was used with another body.'),
  idempotency_in_progress: defineError(
    'idempotency_in_progress',
    409,
    'The first request with this Idempotency-Key is still running.',
  ),
  redelivery_conflict: defineError(
    'redelivery_conflict',
    409,
    'The delivery of the callback has not ended yet, so the callback cannot be sent to another address.',
  ),
  webhook_target_erased: defineError(
    'webhook_target_erased',
    409,
    'The secrets of the callback were erased when its delivery ended. Send them again in the body.',
    { missing_fields: z.array(z.string()) },
  ),
  render_secrets_erased: defineError(
    'render_secrets_erased',
    409,
    'The secrets of the recorded request are not kept for a repeated render. Send them again in the body.',
    { missing_fields: z.array(z.string()) },
  ),
  render_input_lost: defineError(
    'render_input_lost',
    409,
    'The content of the recorded request can no longer be read, so it cannot be rendered again.',
  ),
  verification_limit_exceeded: defineError(
    'verification_limit_exceeded',
    409,
    'The render has reached its limit of verifications.',
    { limit: z.number() },
  ),
  preview_replaced: defineError(
    'preview_replaced',
    409,
    'A newer preview of the same editor has replaced this one. No action is needed.',
  ),
  version_conflict: defineError(
    'version_conflict',
    412,
    'The current version of the template is not the one in If-Match.',
    { current_version: z.number().int() },
  ),

  payload_too_large: defineError('payload_too_large', 413, 'The request is larger than the plan allows.', {
    max_size_mb: z.number(),
    received_size_mb: z.number(),
  }),
  template_too_large: defineError('template_too_large', 413, 'The template is larger than the plan allows.', {
    field: z.string().optional(),
    max_size_mb: z.number().optional(),
  }),
  pdf_too_large: defineError('pdf_too_large', 413, 'The PDF is larger than the plan allows.', {
    max_size_mb: z.number(),
    generated_size_mb: z.number(),
  }),
  output_too_large: defineError('output_too_large', 413, 'The images are larger together than the plan allows.', {
    max_size_mb: z.number(),
    generated_size_mb: z.number(),
  }),

  expectation_failed: defineError('expectation_failed', 417, 'The Expect header has a value other than 100-continue.', {
    field: z.string(),
  }),

  conversion_failed: defineError('conversion_failed', 422, 'The document could not be converted.', withLine),
  invalid_html: defineError('invalid_html', 422, 'The HTML would lose content.', withLine),
  invalid_docx: defineError('invalid_docx', 422, 'The file is damaged or is not a Word document.', details),
  invalid_pdf: defineError('invalid_pdf', 422, 'The PDF cannot be a part of a document.', {
    details: z.object({
      reason: z
        .string()
        .describe(
          'One of `not_a_pdf`, `damaged`, `encrypted`, `too_many_pages`, `too_large`, `nested_too_deeply`, ' +
            '`dynamic_form`, `field_without_appearance`.',
        ),
    }),
  }),
  invalid_markdown: defineError('invalid_markdown', 422, 'The Markdown would lose content.', {
    ...withLine,
    ...allErrors,
  }),
  render_template_not_found: defineError(
    'template_not_found',
    422,
    'The render names a template or version that does not exist.',
    { ...ofField, template_id: z.string(), template_version: z.number().optional() },
  ),
  template_render_error: defineError('template_render_error', 422, 'The data does not fill the template.', {
    missing_variable: z.string().optional().describe('The first name in the template without value in the data.'),
    missing_variables: z
      .array(z.string())
      .optional()
      .describe('The paths of all values that the data lacks, such as `items[3].price`; at most 50.'),
    variable: z.string().optional(),
    ...allErrors,
    ...withLine,
  }),
  image_load_failed: defineError('image_load_failed', 422, 'An image could not be loaded.', {
    image_url: z.string(),
    reason: z.string(),
  }),
  url_load_failed: defineError('url_load_failed', 422, 'The page at the URL could not be loaded.', {
    url: z.string(),
    reason: z.string(),
    status: z.number().int().optional(),
  }),
  selector_not_found: defineError(
    'selector_not_found',
    422,
    'No element of the document matches wait_for_selector within the processing time.',
    { wait_for_selector: z.string() },
  ),
  ...standardErrors,
  image_too_large: defineError('image_too_large', 422, 'A page has too many pixels at the dpi of the request.', {
    page: z.number().int(),
    width: z.number().int().describe('Pixels.'),
    height: z.number().int().describe('Pixels.'),
    max_pixels: z.number().int().describe('Width times height, at most.'),
    max_side: z.number().int().describe('Width and height, at most.'),
    max_dpi: z.number().int().describe('The highest dpi for this page. Below 36, the page is too large for an image.'),
  }),
  processing_timeout: defineError('processing_timeout', 422, 'Processing took longer than the plan allows.', {
    timeout_seconds: z.number(),
  }),
  javascript_timeout: defineError('javascript_timeout', 422, 'Scripts ran longer than the plan allows.', {
    timeout_seconds: z.number(),
  }),

  rate_limit_exceeded: defineError('rate_limit_exceeded', 429, 'The rate limit per minute is reached.', {
    limit: z.number(),
    retry_after: z.number(),
    reset_at: z.string(),
  }),
  too_many_streams: defineError('too_many_streams', 429, 'The caller has too many live streams open.', {
    limit: z.number(),
    retry_after: z.number(),
  }),
  internal_error: defineError('internal_error', 500, 'The service failed. Its log has the cause under the request_id.'),
  webhook_failed: defineError('webhook_failed', 500, 'The callback could not be delivered.', {
    webhook_url: z.string(),
    attempts: z.number(),
    last_error: z.string(),
  }),
  service_unavailable: defineError('service_unavailable', 503, 'The service cannot take the request now.', {
    retry_after: z.number(),
  }),
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorName = keyof typeof errors;
export const errorNames = Object.keys(errors) as ErrorName[];
export type ErrorExtra<N extends ErrorName> = z.input<(typeof errors)[N]['extra']>;
