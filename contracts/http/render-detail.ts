import { z } from 'zod';
import { diagnostics } from './diagnostics.ts';
import { renderRecordResponse } from './renders.ts';
import { renderStatuses } from './render.ts';

const storedPart = z.object({
  content_type: z.string(),
  size_bytes: z.number().int().describe('The size of the text or file as it was sent.'),
  sha256: z.string(),
  file_name: z.string().optional().describe('The name of the uploaded file.'),
});

/** The request of a render as it is recorded, without its content. */
const recordedRequest = z
  .object({
    input: storedPart.describe('The document, or the data of the template. GET /renders/{id}/input sends it.'),
    header: storedPart.nullable(),
    footer: storedPart.nullable(),
    assets: storedPart
      .pick({ size_bytes: true, sha256: true })
      .optional()
      .describe('The files sent with the document.'),
    options: z
      .record(z.string(), z.unknown())
      .describe(
        'The options that the request or the template names, without `header_html` and `footer_html`, and with `***` as ' +
          'the passwords of `encryption`.',
      ),
    all_options: z
      .record(z.string(), z.unknown())
      .describe('The same with all defaults. What the document itself says, as in a front matter, is not among them.'),
    url_headers: z.record(z.string(), z.string()).optional().describe('For input_type url, with `***` as values.'),
    url_cookies: z.record(z.string(), z.string()).optional().describe('For input_type url, with `***` as values.'),
    webhook_method: z.string().optional(),
    webhook_headers: z.record(z.string(), z.string()).optional().describe('With `***` as values.'),
    limits: z.object({
      processing_ms: z.number(),
      script_ms: z.number(),
      max_pages: z.number().nullable(),
      max_images: z.number().nullable(),
      max_pdf_bytes: z.number().nullable(),
    }),
  })
  .describe('The recorded request. Secrets are `***`.');

/** 200 of GET /renders/{id}. */
export const renderDetailResponse = renderRecordResponse
  .extend({
    render_mode: z.string().optional().describe('`static`, `scripted` or `animated`. Present if the render is DONE.'),
    render_mode_reason: z.string().optional(),
    engine: z
      .string()
      .optional()
      .describe('The program that laid the document out, with its version: the browser, or LibreOffice.'),
    attempts: z.number().int().describe('How often a renderer has started the render.'),
    request_id: z.string().describe('The id of the request: the header X-Request-Id of its response.'),
    trace_id: z.string().nullable().describe('The trace id of W3C Trace Context.'),
    pdf_size_bytes: z.number().int().optional(),
    error_fields: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('All fields of the error besides `error` and `message`, such as `line` and `details`.'),
    request: recordedRequest,
  })
  .describe('A render with its recorded request. Fields that do not apply are absent.');
export type RenderDetailResponse = z.output<typeof renderDetailResponse>;
export type RecordedRequest = RenderDetailResponse['request'];

export const inputParts = ['input', 'header', 'footer'] as const;
export const renderInputQuery = z.strictObject({
  part: z.enum(inputParts).default('input').describe('The document or data, or the HTML of the header or footer.'),
});

export const renderDiagnosticsQuery = z.strictObject({
  rerender: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'Whether the document is rendered a second time for messages and fonts, if that has not happened before. The ' +
        'key then also needs the permission `render:create`.',
    ),
});

/** 200 of GET /renders/{id}/diagnostics. */
export const renderDiagnosticsResponse = z.object({
  id: z.string().describe('render_<id>'),
  status: z.enum(renderStatuses),
  rendered_again: z
    .boolean()
    .describe('Whether `diagnostics` has messages and fonts, which come from a second rendering, not from the record.'),
  diagnostics: diagnostics.nullable().describe('Null until the render has ended.'),
});
export type RenderDiagnosticsResponse = z.output<typeof renderDiagnosticsResponse>;

/** The body of POST /renders/{id}/verify. */
export const verifyRenderRequest = z.strictObject({
  keep_pdf: z
    .boolean()
    .default(false)
    .describe('Keeps the new PDF for an hour if it has the recorded bytes, so that GET /renders/{id}/pdf sends it.'),
});

const comparedPdf = z.object({
  sha256: z.string(),
  size_bytes: z.number().int(),
  pages: z.number().int(),
  engine: z
    .string()
    .describe(
      'The program that laid the document out, the browser or LibreOffice, and what drew its images, with versions.',
    ),
  thumbnail_sha256: z.string().optional(),
  page: z
    .object({ url: z.string(), status: z.number().int() })
    .optional()
    .describe('For input_type url: the URL of the page after redirects, masked, and the status of its response.'),
});

/** 200 of POST /renders/{id}/verify. */
export const verificationResponse = z.object({
  id: z.string().describe('render_<id>'),
  matches: z.boolean().describe('Whether both PDFs, and their thumbnails, have the same bytes.'),
  recorded: comparedPdf,
  now: comparedPdf,
  differs_in: z
    .array(z.enum(['bytes', 'size', 'pages', 'thumbnail', 'engine', 'page']))
    .describe('What is not the same.'),
  first_different_byte: z
    .number()
    .int()
    .nullable()
    .describe(
      'The offset of the first byte that differs. Null if none does, or if the recorded PDF is no longer kept.',
    ),
  explanation: z.string().describe('The result in a sentence.'),
  verified_at: z.string(),
  pdf_url: z
    .string()
    .optional()
    .describe('Link to the PDF while it is kept, valid without a key until pdf_expires_at.'),
  pdf_expires_at: z.string().optional(),
});
export type VerificationResponse = z.output<typeof verificationResponse>;
