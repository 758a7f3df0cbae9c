import { z } from 'zod';
import { renderModes } from '../render-modes.ts';

const fonts = z.object({
  used: z.array(
    z.object({
      family: z.string(),
      embedded: z.boolean().describe('Whether the document contains the font.'),
      glyphs: z.number().int(),
    }),
  ),
  missing: z
    .array(
      z.object({
        family: z.string(),
        substitutes: z.array(z.string()).describe('The fonts that were used in its place.'),
        metric_compatible: z
          .boolean()
          .optional()
          .describe('Whether their letters have the same widths, so that lines break at the same places.'),
      }),
    )
    .describe('Fonts that are first in a font-family list but are not available, such as Calibri.'),
});

const resource = z.object({ url: z.string(), reason: z.string() });

const page = z
  .object({ url: z.string(), status: z.number().int() })
  .describe('For input_type url: the URL of the page after redirects, masked, and the status of its response.');

/** The findings of a second rendering of an ended render. */
export const diagnosis = z.object({
  render_mode: z.enum(renderModes).nullable(),
  render_mode_reason: z.string().nullable(),
  console: z
    .array(z.object({ level: z.enum(['debug', 'info', 'warning', 'error']), text: z.string() }))
    .describe('The first 100 messages of scripts and of the browser, each truncated to 500 characters.'),
  omitted_messages: z.number().int(),
  failed_resources: z.array(resource).nullable(),
  fonts: fonts.nullable().describe('From the first 1,000 elements with text. Null if the document was not printed.'),
  same_bytes: z
    .boolean()
    .nullable()
    .describe(
      'Whether the second PDF has the same bytes as the first one. It has not if external resources have changed, or ' +
        'if scripts behave differently. For input_type url the page is loaded again: `false` then says that the page ' +
        'has changed, not that a PDF is damaged. Null if one of the PDFs is missing.',
    ),
  page: page.optional(),
  error: z.string().nullable().describe('The error of the second rendering, if it failed.'),
});
export type Diagnosis = z.output<typeof diagnosis>;

/** `diagnostics` of an ended render. */
export const diagnosticTimings = z.object({
  queue: z.number(),
  prepare: z.number(),
  wait: z.number(),
  load: z.number(),
  print: z.number(),
  finish: z.number(),
  total: z.number(),
});

export const diagnostics = z.object({
  render_mode: z
    .enum(renderModes)
    .nullable()
    .describe(
      '`static` for documents without scripts, which are fastest; `scripted` and `animated` for those with ' +
        'scripts. Pages of `animated` have screen frames.',
    ),
  render_mode_reason: z.string().nullable().describe('Why the document has this render mode.'),
  timings_ms: diagnosticTimings
    .nullable()
    .describe(
      'Durations of the render: queue, conversion or expansion, wait for a browser, loading, printing, finishing ' +
        '(stamps, conformance, attachments, encryption, images, merge of parts), and total from acceptance to PDF. ' +
        'Null for a failed render.',
    ),
  failed_resources: z
    .array(resource)
    .nullable()
    .describe('Resources that could not be loaded and are missing in the PDF. Null if there is no PDF.'),
  console: diagnosis.shape.console.optional(),
  omitted_messages: z.number().int().optional().describe('The number of messages beyond those shown.'),
  fonts: diagnosis.shape.fonts.optional(),
  same_bytes: diagnosis.shape.same_bytes.optional(),
  page: page.optional(),
  page_now: page.optional().describe('The same of the second rendering.'),
  error: diagnosis.shape.error.optional(),
  pending: z
    .literal(true)
    .optional()
    .describe('Present if the second rendering has not finished. Repeat the request for messages and fonts.'),
});
export type Diagnostics = z.output<typeof diagnostics>;

export const diagnosticsQuery = z.object({
  diagnostics: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'Whether the response has `diagnostics`. The first request renders the document a second time to collect ' +
        'them, so its response takes longer.',
    ),
});
