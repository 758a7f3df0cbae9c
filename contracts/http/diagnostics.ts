import { z } from 'zod';
import { renderModes } from '../render-modes.ts';

const fonts = z.object({
  used: z.array(
    z.object({
      family: z.string(),
      embedded: z.boolean().describe('Whether the document brought it along.'),
      glyphs: z.number().int(),
    }),
  ),
  missing: z
    .array(
      z.object({
        family: z.string(),
        substitutes: z.array(z.string()).describe('What the text was set in for want of it.'),
      }),
    )
    .describe('Fonts that text asks for first, and that were not to be had.'),
});

const resource = z.object({ url: z.string(), reason: z.string() });

/** What looking closely at a render that was made once more has shown. */
export const diagnosis = z.object({
  render_mode: z.enum(renderModes).nullable(),
  render_mode_reason: z.string().nullable(),
  console: z
    .array(z.object({ level: z.enum(['debug', 'info', 'warning', 'error']), text: z.string() }))
    .describe('The first hundred messages of scripts and of the browser, each cut to 500 characters.'),
  omitted_messages: z.number().int(),
  failed_resources: z.array(resource).nullable(),
  fonts: fonts
    .nullable()
    .describe('Null where the document never came to be printed. The first thousand elements with text are looked at.'),
  same_bytes: z
    .boolean()
    .nullable()
    .describe(
      'Whether the PDF made for this has the bytes of the first one. It has not where external resources, or what scripts do, have changed since. Null where there is not a PDF of both.',
    ),
  error: z.string().nullable().describe('The error that the second rendering ended in, if any.'),
});
export type Diagnosis = z.output<typeof diagnosis>;

/** `diagnostics` of a render that has ended. */
export const diagnostics = z.object({
  render_mode: z
    .enum(renderModes)
    .nullable()
    .describe(
      '`static` for documents without scripts, which are fastest; `scripted` and `animated` for those with scripts. Pages of `animated` have screen frames.',
    ),
  render_mode_reason: z.string().nullable().describe('Why the document has this render mode.'),
  timings_ms: z
    .object({
      queue: z.number(),
      prepare: z.number(),
      wait: z.number(),
      load: z.number(),
      print: z.number(),
      total: z.number(),
    })
    .nullable()
    .describe(
      'Of the render itself: waiting to be taken up, conversion or expansion, waiting for a browser, loading, printing, and from acceptance to PDF. Null for one that failed.',
    ),
  failed_resources: z
    .array(resource)
    .nullable()
    .describe(
      'What could not be loaded and was left out. Null where the document never came to be a PDF, so that nobody knows.',
    ),
  console: diagnosis.shape.console.optional(),
  omitted_messages: z.number().int().optional().describe('How many messages there were beyond those shown.'),
  fonts: diagnosis.shape.fonts.optional(),
  same_bytes: diagnosis.shape.same_bytes.optional(),
  error: diagnosis.shape.error.optional(),
  pending: z.literal(true).optional().describe('There where messages and fonts are still being found out. Ask again.'),
});
export type Diagnostics = z.output<typeof diagnostics>;

export const diagnosticsQuery = z.object({
  diagnostics: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'Whether the answer has `diagnostics`. The first time, the document is made once more for it and looked at closely, so the answer takes longer.',
    ),
});
