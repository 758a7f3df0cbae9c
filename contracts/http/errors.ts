import { z } from 'zod';

type ErrorEntry = { error: string; status: number; meaning: string; extra: z.ZodObject };

const defineError = <const E extends string, const S extends number, X extends z.ZodRawShape>(
  error: E,
  status: S,
  meaning: string,
  extra: X = {} as X,
) => ({ error, status, meaning, extra: z.object(extra) });

const validValues = { received: z.unknown(), valid_values: z.array(z.string()) };
const details = { details: z.unknown().optional() };
const withLine = { ...details, line: z.number().int().optional() };

/**
 * All errors of the API: HTTP status, and the fields in addition to `error`, `message`, `code` and `request_id`.
 * The key is the internal name; `error` is the code in the response.
 */
export const errors = {
  invalid_request: defineError(
    'invalid_request',
    400,
    'The request is malformed, or a field is missing or not allowed.',
    { field: z.string().optional() },
  ),
  invalid_mode: defineError('invalid_mode', 400, 'mode is neither CONVERT nor RENDER.', validValues),
  invalid_input_type: defineError('invalid_input_type', 400, 'input_type is not in the list.', validValues),
  invalid_page_size: defineError('invalid_page_size', 400, 'page_size is not in the list.', validValues),
  invalid_orientation: defineError('invalid_orientation', 400, 'orientation is neither portrait nor landscape.', {
    received: z.unknown(),
  }),
  missing_template_id: defineError('missing_template_id', 400, 'RENDER mode needs a template_id.', {
    field: z.string().optional(),
  }),
  missing_data: defineError('missing_data', 400, 'data is missing.', { field: z.string().optional() }),
  template_name_required: defineError('template_name_required', 400, 'A template needs a name.'),
  template_content_required: defineError('template_content_required', 400, 'A template needs content.'),
  invalid_template_syntax: defineError('invalid_template_syntax', 400, 'The template has a syntax error.', withLine),

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
  insufficient_permissions: defineError('insufficient_permissions', 403, 'The API key lacks a permission.', {
    required_permission: z.string(),
  }),
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

  not_found: defineError('not_found', 404, 'There is nothing at this path.'),
  job_not_found: defineError('job_not_found', 404, 'The account has no such job.'),
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
    max_size_mb: z.number().optional(),
  }),
  pdf_too_large: defineError('pdf_too_large', 413, 'The PDF is larger than the plan allows.', {
    max_size_mb: z.number(),
    generated_size_mb: z.number(),
  }),

  expectation_failed: defineError('expectation_failed', 417, 'The Expect header has a value other than 100-continue.', {
    field: z.string(),
  }),

  conversion_failed: defineError('conversion_failed', 422, 'The document could not be converted.', withLine),
  invalid_html: defineError('invalid_html', 422, 'The HTML would lose content.', withLine),
  invalid_docx: defineError('invalid_docx', 422, 'The file is damaged or is not a Word document.', details),
  invalid_markdown: defineError('invalid_markdown', 422, 'The Markdown would lose content.', withLine),
  render_template_not_found: defineError(
    'template_not_found',
    422,
    'The render names a template or version that does not exist.',
    { template_id: z.string(), template_version: z.number().optional() },
  ),
  template_render_error: defineError('template_render_error', 422, 'The data does not fill the template.', {
    missing_variable: z.string().optional(),
    variable: z.string().optional(),
    ...withLine,
  }),
  image_load_failed: defineError('image_load_failed', 422, 'An image could not be loaded.', {
    image_url: z.string(),
    reason: z.string(),
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
  internal_error: defineError('internal_error', 500, 'The service failed. Its log has the cause under the request_id.'),
  webhook_failed: defineError('webhook_failed', 500, 'The callback could not be delivered.', {
    webhook_url: z.string(),
    attempts: z.number(),
    last_error: z.string(),
  }),
  service_unavailable: defineError('service_unavailable', 503, 'The service cannot take the request now.', {
    retry_after: z.number(),
  }),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorName = keyof typeof errors;
export const errorNames = Object.keys(errors) as ErrorName[];
export type ErrorExtra<N extends ErrorName> = z.input<(typeof errors)[N]['extra']>;
