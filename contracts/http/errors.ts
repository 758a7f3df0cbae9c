import { z } from 'zod';
import { conformanceViolation } from './conformance.ts';
import { defineError, type ErrorDefinition } from './define-error.ts';
import { facturXViolation } from './factur-x.ts';
import { peopleErrors } from './people-errors.ts';

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

const definitions = {
  ...peopleErrors,
  invalid_document: defineError(422, 'The file is damaged or protected, or not of its input type.', details),
  office_not_installed: defineError(
    501,
    'The document needs LibreOffice, which is not installed on the machine of the service.',
    details,
  ),
  invalid_request: defineError(400, 'The request is malformed, or a field is missing or not allowed.', inField),
  invalid_mode: defineError(400, 'mode is not in the list.', validValues),
  invalid_input_type: defineError(400, 'input_type is not in the list.', validValues),
  invalid_page_size: defineError(400, 'page_size is not in the list.', validValues),
  invalid_orientation: defineError(400, 'orientation is neither portrait nor landscape.', validValues),
  missing_template_id: defineError(400, 'RENDER mode needs a template_id.', inField),
  missing_data: defineError(400, 'data is missing.', inField),
  template_name_required: defineError(400, 'A template needs a name.', inField),
  template_content_required: defineError(400, 'A template needs content.', inField),
  invalid_template_syntax: defineError(400, 'The template has a syntax error.', { ...allErrors, ...withLine }),

  missing_authorization: defineError(401, 'The Authorization header is absent.'),
  invalid_api_key: defineError(401, 'The API key is wrong or malformed.'),
  revoked_api_key: defineError(401, 'The API key has been revoked.', { revoked_at: z.string() }),
  invalid_metrics_token: defineError(401, 'GET /metrics requires the metrics token as bearer token.'),
  expired_api_key: defineError(401, 'The temporary API key has expired.', { expired_at: z.string() }),

  quota_exceeded: defineError(403, 'The monthly quota is used up.', {
    quota_limit: z.number(),
    quota_used: z.number(),
    quota_reset: z.string(),
  }),
  insufficient_permissions: defineError(403, 'The API key, or the role of the person, lacks a permission.', {
    required_permission: z.string(),
  }),
  account_suspended: defineError(403, 'The account is suspended.', { suspended_at: z.string(), reason: z.string() }),
  template_limit_exceeded: defineError(403, 'The account has reached the template limit of its plan.', {
    limit: z.number(),
  }),
  key_limit_exceeded: defineError(403, 'The account has reached its limit of active API keys.', { limit: z.number() }),

  not_found: defineError(404, 'There is nothing at this path.'),
  key_not_found: defineError(404, 'The account has no such API key.'),
  event_not_found: defineError(404, 'The account has no such event.'),
  job_not_found: defineError(404, 'The account has no such job.'),
  delivery_not_found: defineError(404, 'The account has no callback of this job.'),
  render_not_found: defineError(404, 'The account has no such render.'),
  pdf_not_available: defineError(
    404,
    'The render has no PDF to fetch: it was never kept, the render has not ended, or it has failed.',
    { render_status: z.string() },
  ),
  input_not_available: defineError(
    404,
    'The part of the recorded request is no longer kept, or the request had none.',
    { part: z.string() },
  ),
  download_expired: defineError(404, 'The download link has expired.'),
  template_not_found: defineError(404, 'The account has no such template.'),

  method_not_allowed: defineError(
    405,
    'The path exists but does not support this method. The header Allow lists the supported methods.',
    { allowed: z.array(z.string()) },
  ),

  template_name_exists: defineError(409, 'The account already has a template with this name.'),
  idempotency_conflict: defineError(
    409,
    'The Idempotency-Key was used with another request, or before the secret of the installation was replaced.',
  ),
  idempotency_in_progress: defineError(409, 'The first request with this Idempotency-Key is still running.', {
    retry_after: z.number(),
  }),
  redelivery_conflict: defineError(
    409,
    'The delivery of the callback has not ended yet, so the callback cannot be sent to another address.',
  ),
  webhook_target_erased: defineError(
    409,
    'The secrets of the callback were erased when its delivery ended. Send them again in the body.',
    { missing_fields: z.array(z.string()) },
  ),
  render_secrets_erased: defineError(
    409,
    'The secrets of the recorded request are not kept for a repeated render. Send them again in the body.',
    { missing_fields: z.array(z.string()) },
  ),
  render_input_lost: defineError(
    409,
    'The content of the recorded request can no longer be read, so it cannot be rendered.',
  ),
  verification_limit_exceeded: defineError(409, 'The render has reached its limit of verifications.', {
    limit: z.number(),
  }),
  preview_replaced: defineError(409, 'A newer preview of the same editor has replaced this one. No action is needed.'),
  version_conflict: defineError(412, 'The current version of the template is not the one in If-Match.', {
    current_version: z.number().int(),
  }),

  payload_too_large: defineError(413, 'The request is larger than the plan allows.', {
    max_size_mb: z.number(),
    received_size_mb: z.number(),
  }),
  template_too_large: defineError(413, 'The template is larger than the plan allows.', {
    field: z.string().optional(),
    max_size_mb: z.number().optional(),
  }),
  pdf_too_large: defineError(413, 'The PDF is larger than the plan allows.', {
    max_size_mb: z.number(),
    generated_size_mb: z.number(),
  }),
  output_too_large: defineError(413, 'The images are larger together than the plan allows.', {
    max_size_mb: z.number(),
    generated_size_mb: z.number(),
  }),

  expectation_failed: defineError(417, 'The Expect header has a value other than 100-continue.', { field: z.string() }),

  conversion_failed: defineError(422, 'The document could not be converted.', withLine),
  invalid_html: defineError(422, 'The HTML would lose content.', withLine),
  invalid_docx: defineError(422, 'The file is damaged or is not a Word document.', details),
  invalid_pdf: defineError(422, 'The PDF cannot be a part of a document.', {
    details: z.object({
      reason: z
        .string()
        .describe(
          'One of `not_a_pdf`, `damaged`, `encrypted`, `too_many_pages`, `too_large`, `nested_too_deeply`, ' +
            '`dynamic_form`, `field_without_appearance`, `annotation_without_appearance`, ' +
            '`hidden_text_in_line`.',
        ),
    }),
  }),
  invalid_markdown: defineError(422, 'The Markdown would lose content.', { ...withLine, ...allErrors }),
  render_template_not_found: defineError(422, 'The render names a template or version that does not exist.', {
    ...ofField,
    template_id: z.string(),
    template_version: z.number().optional(),
  }),
  template_render_error: defineError(422, 'The data does not fill the template.', {
    missing_variable: z.string().optional().describe('The first name in the template without value in the data.'),
    missing_variables: z
      .array(z.string())
      .optional()
      .describe('The paths of all values that the data lacks, such as `items[3].price`; at most 50.'),
    variable: z.string().optional(),
    ...allErrors,
    ...withLine,
  }),
  image_load_failed: defineError(422, 'An image could not be loaded.', { image_url: z.string(), reason: z.string() }),
  url_load_failed: defineError(422, 'The page at the URL could not be loaded.', {
    url: z.string(),
    reason: z.string(),
    status: z.number().int().optional(),
  }),
  selector_not_found: defineError(
    422,
    'No element of the document matches wait_for_selector within the processing time.',
    { wait_for_selector: z.string() },
  ),
  conformance_not_met: defineError(422, 'The document cannot conform to the standards of the option conformance.', {
    violations: z.array(conformanceViolation).describe('What to change; at most 50 are listed.'),
    total_violations: z.number().int(),
  }),
  invalid_factur_x: defineError(422, 'The XML of factur_x does not fit its profile, or its totals do not add up.', {
    violations: z.array(facturXViolation).describe('What to change; at most 20 are listed.'),
    total_violations: z.number().int(),
  }),
  image_too_large: defineError(422, 'A page has too many pixels at the dpi of the request.', {
    page: z.number().int(),
    width: z.number().int().describe('Pixels.'),
    height: z.number().int().describe('Pixels.'),
    max_pixels: z.number().int().describe('Width times height, at most.'),
    max_side: z.number().int().describe('Width and height, at most.'),
    max_dpi: z.number().int().describe('The highest dpi for this page. Below 36, the page is too large for an image.'),
  }),
  processing_timeout: defineError(422, 'Processing took longer than the plan allows.', { timeout_seconds: z.number() }),
  javascript_timeout: defineError(422, 'Scripts ran longer than the plan allows.', { timeout_seconds: z.number() }),

  rate_limit_exceeded: defineError(429, 'The rate limit per minute is reached.', {
    limit: z.number(),
    retry_after: z.number(),
    reset_at: z.string(),
  }),
  concurrency_limit_exceeded: defineError(429, 'The account runs as many of these at once as it may.', {
    limit: z.number().describe('How many may run at once.'),
    retry_after: z.number(),
  }),
  too_many_streams: defineError(429, 'The caller, the account or the service has too many live streams open.', {
    limit: z.number().describe('How many live streams it can have now.'),
    retry_after: z.number(),
  }),
  transfers_too_large: defineError(429, 'The account is sending and reading too much at once.', {
    max_mb: z.number(),
    retry_after: z.number(),
  }),
  internal_error: defineError(500, 'The service failed. Its log has the cause under the request_id.'),
  webhook_failed: defineError(500, 'The callback could not be delivered.', {
    webhook_url: z.string(),
    attempts: z.number(),
    last_error: z.string(),
  }),
  service_unavailable: defineError(503, 'The service cannot take the request now.', { retry_after: z.number() }),
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorName = keyof typeof definitions;
export type ErrorExtra<N extends ErrorName> = z.input<(typeof definitions)[N]['extra']>;
export const errorNames = Object.keys(definitions) as ErrorName[];

/** The codes in responses that are not the internal name. */
const codes: Partial<Record<ErrorName, string>> = { render_template_not_found: 'template_not_found' };

/**
 * All errors of the API by internal name: the code in the response (`error`), HTTP status, meaning, and the fields in
 * addition to `error`, `message`, `code` and `request_id`.
 */
export const errors = Object.fromEntries(
  errorNames.map((name) => [name, { error: codes[name] ?? name, ...definitions[name] }]),
) as { [N in ErrorName]: { error: string } & (typeof definitions)[N] };
