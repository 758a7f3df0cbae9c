import { type ErrorExtra, type ErrorName, errors } from '#contracts/http/errors.ts';
import { pageSizes } from '#contracts/http/page-sizes.ts';
import { orientations } from '#contracts/http/render-options.ts';
import { inputTypes, requestModes } from '#contracts/http/render.ts';
import { renderingErrors } from '../../server/route.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';

const requestId = 'req_01JR04W1P8C2N5H7K9M3Q6S8VX';
const renderId = 'render_01JR04W1PD2M5S8V3Q6X9Z7TKF';

const pascal = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The name of an error's schema in the document. */
export const errorSchemaName = (name: ErrorName): string => `${pascal(name).replace(/Error$/, '')}Error`;

const renderErrors = new Set<ErrorName>([
  ...renderingErrors,
  'invalid_html',
  'invalid_docx',
  'invalid_markdown',
  'template_render_error',
  'url_load_failed',
]);

/** The schema of one error's body: the fields of all errors and its own fields. */
export const errorSchema = (name: ErrorName): Json => {
  const { error, status, meaning, extra } = errors[name];
  const ownSchema = jsonSchemaOf(extra, 'output') as { properties?: Json; required?: string[] };
  const renderField = renderErrors.has(name)
    ? {
        render_id: { type: 'string', description: 'The render that failed. It is recorded.' },
        part: { type: 'string', description: 'The part of a composed document that failed, such as `parts[3]`.' },
      }
    : {};
  return {
    type: 'object',
    description: meaning,
    properties: {
      error: { type: 'string', const: error },
      message: { type: 'string', description: 'A text for people: what was wrong, where, and what is allowed.' },
      code: { type: 'integer', const: status, description: 'The HTTP status.' },
      request_id: { type: 'string', description: 'Also in the header X-Request-Id.' },
      trace_id: {
        type: 'string',
        description: 'The trace id of W3C Trace Context, present if the request is traced or has a traceparent header.',
      },
      ...ownSchema.properties,
      ...renderField,
    },
    required: ['error', 'message', 'code', 'request_id', ...(ownSchema.required ?? [])],
  };
};

const templateId = 'tpl_01JQZX3C5V8Y2N6T4R7W9K0MHB';

/** Examples of the fields of errors. Errors without fields of their own are left out. */
export const exampleExtra: { [N in ErrorName]?: ErrorExtra<N> } = {
  invitation_for_another_email: { email: 'ben@example.com', signed_in_as: 'ada@example.com' },
  member_limit_exceeded: { limit: 1000 },
  invitation_limit_exceeded: { limit: 100 },
  expired_invitation: { expired_at: '2026-03-09T09:15:30.123Z' },
  invalid_request: {
    field: 'landscape',
    did_you_mean: 'orientation',
    example: { orientation: 'landscape' },
    errors: [
      {
        error: 'invalid_request',
        message:
          '"landscape" is not a field of this request; did you mean `orientation`? Example: {"orientation":"landscape"}.',
        field: 'landscape',
        did_you_mean: 'orientation',
        example: { orientation: 'landscape' },
      },
      { error: 'invalid_request', message: 'margin_top must be at most 100 mm.', field: 'margin_top' },
    ],
  },
  invalid_mode: { field: 'mode', received: 'convert', valid_values: [...requestModes], did_you_mean: 'CONVERT' },
  invalid_input_type: { field: 'input_type', received: 'md', valid_values: [...inputTypes], did_you_mean: 'markdown' },
  invalid_page_size: { field: 'page_size', received: 'A44', valid_values: [...pageSizes], did_you_mean: 'A4' },
  invalid_orientation: {
    field: 'orientation',
    received: orientations[0].toUpperCase(),
    valid_values: [...orientations],
    did_you_mean: orientations[0],
  },
  missing_template_id: { field: 'template_id' },
  missing_data: { field: 'data' },
  template_name_required: { field: 'name' },
  template_content_required: { field: 'content' },
  invalid_template_syntax: { field: 'content', line: 12 },
  revoked_api_key: { revoked_at: '2026-02-11T16:40:00.000Z' },
  expired_api_key: { expired_at: '2026-03-01T00:00:00.000Z' },
  quota_exceeded: { quota_limit: 1000, quota_used: 1000, quota_reset: '2026-04-01T00:00:00.000Z' },
  insufficient_permissions: { required_permission: 'templates:delete' },
  account_suspended: { suspended_at: '2026-02-27T08:00:00.000Z', reason: 'Invoice 2026-004 is overdue.' },
  template_limit_exceeded: { limit: 100 },
  key_limit_exceeded: { limit: 1_000 },
  webhook_target_erased: { missing_fields: ['webhook_url', 'webhook_headers'] },
  render_secrets_erased: { missing_fields: ['webhook_headers'] },
  verification_limit_exceeded: { limit: 20 },
  input_not_available: { part: 'header' },
  pdf_not_available: { render_status: 'PROCESSING' },
  method_not_allowed: { allowed: ['GET', 'HEAD'] },
  expectation_failed: { field: 'Expect' },
  version_conflict: { current_version: 4 },
  payload_too_large: { max_size_mb: 10, received_size_mb: 12.5 },
  template_too_large: { field: 'content', max_size_mb: 1 },
  pdf_too_large: { max_size_mb: 25, generated_size_mb: 31.4 },
  output_too_large: { max_size_mb: 25, generated_size_mb: 25.8 },
  image_too_large: { page: 2, width: 7017, height: 9925, max_pixels: 36_000_000, max_side: 32_767, max_dpi: 431 },
  conversion_failed: { details: 'Row 7 has 5 fields, the header has 4.', line: 7 },
  invalid_html: { details: 'The text ends inside a comment that begins here.', line: 31 },
  invalid_docx: { details: 'The file is not a zip archive.' },
  invalid_pdf: { details: { reason: 'encrypted' } },
  invalid_document: { details: { reason: 'cannot be read' } },
  office_not_installed: { details: { input_type: 'docx' } },
  invalid_markdown: { details: 'The code fence that begins here is never closed.', line: 12 },
  render_template_not_found: { template_id: templateId, template_version: 7 },
  template_render_error: { missing_variable: 'customer.name', line: 3 },
  image_load_failed: { image_url: 'https://example.com/logo.png', reason: 'It answered with status 404.' },
  url_load_failed: { url: 'https://example.com/report', reason: 'the server responded with 404', status: 404 },
  selector_not_found: { wait_for_selector: '#chart.ready' },
  conformance_not_met: {
    violations: [
      {
        standard: 'ISO 14289-1, 7.3',
        element: 'Figure 1 on page 2',
        message:
          'Give the image an alternative text: alt or aria-label in HTML, "Alt Text" in Word. If it is decoration, ' +
          'say so: alt="" in HTML, "Decorative" in Word.',
      },
    ],
    total_violations: 1,
  },
  invalid_factur_x: {
    violations: [
      {
        line: 48,
        element: 'GrandTotalAmount',
        rule: 'BR-CO-15',
        message: 'It is 119.50, but the sum of tax basis and tax is 119.00.',
      },
    ],
    total_violations: 1,
  },
  processing_timeout: { timeout_seconds: 30 },
  javascript_timeout: { timeout_seconds: 5 },
  idempotency_in_progress: { retry_after: 2 },
  concurrency_limit_exceeded: { limit: 2, retry_after: 1 },
  too_many_streams: { limit: 4, retry_after: 30 },
  transfers_too_large: { max_mb: 256, retry_after: 5 },
  rate_limit_exceeded: { limit: 60, retry_after: 23, reset_at: '2026-03-02T09:16:00.000Z' },
  webhook_failed: {
    webhook_url: 'https://example.com/hook',
    attempts: 3,
    last_error: 'It did not answer within 10 s.',
  },
  service_unavailable: { retry_after: 5 },
};

/** An example body of this error, with a value in every field. */
export const errorExample = (name: ErrorName): Json => {
  const { error, status, meaning } = errors[name];
  const renderField = renderErrors.has(name) ? { render_id: renderId } : {};
  return { error, message: meaning, code: status, ...exampleExtra[name], ...renderField, request_id: requestId };
};
