import { z } from 'zod';
import { overflowSides } from '../events/render-warnings.ts';

const message = z.string().describe('The warning as a sentence.');
const part = z.string().optional().describe('The part of a composed document that it is about, such as `parts[2]`.');

/** A warning of a finished render, as the API returns it. */
const warning = z.discriminatedUnion('type', [
  z
    .object({ type: z.literal('resource_failed'), message, part, url: z.string(), reason: z.string() })
    .describe(
      'A style sheet, font or other resource that could not be loaded and is missing in the PDF, or an image whose end is missing.',
    ),
  z
    .object({
      type: z.literal('content_overflow'),
      message,
      part,
      element: z
        .string()
        .describe(
          'A CSS selector, such as `table.items > tbody > tr:nth-child(3) > td`; or `header_html`, `footer_html`.',
        ),
      page: z.number().int().optional().describe('The page of the PDF, from 1. Absent if it is not known.'),
      side: z.enum(overflowSides),
      overflow_mm: z
        .number()
        .describe(
          'By how much the content exceeds the printable area, or a header or footer the page, in millimetres.',
        ),
    })
    .describe('Content outside the printable area. It may be cut off or cover the margin.'),
  z
    .object({
      type: z.literal('content_shrunk'),
      message,
      part,
      factor: z.number().describe('The size of everything on the pages: 0.8 is 80 per cent.'),
      element: z.string().optional().describe('A CSS selector of the widest element, if it is known.'),
    })
    .describe('The browser printed the whole document smaller, because its content is wider than the page.'),
  z
    .object({ type: z.literal('asset_unused'), message, part, name: z.string().describe('The file name of the part.') })
    .describe('A part `assets` that neither the document nor its header and footer refer to.'),
  z
    .object({
      type: z.literal('invalid_formula'),
      message,
      part,
      line: z.number().int().describe('The line of the paragraph or block in the Markdown, from 1.'),
      source: z.string().describe('The beginning of the formula.'),
      reason: z.string(),
    })
    .describe('A formula in Markdown that is not valid TeX. The PDF shows its source instead.'),
  z
    .object({
      type: z.literal('content_left_out'),
      message,
      part,
      content: z.string().describe('What is missing, such as `headers and footers`.'),
      count: z
        .number()
        .int()
        .describe(
          'How often the document has it. For characters that no font has: about how many empty boxes the pages show.',
        ),
      line: z.number().int().optional().describe('The line of the first one in the Markdown, from 1.'),
      source: z.string().optional().describe('The beginning of the first one in the Markdown.'),
    })
    .describe(
      'Characters that no font has, emoji that LibreOffice cannot print, content or formatting of a Word document that ' +
        'docx_layout semantic leaves out, an embedded document of a type that no layout prints, table cells of Markdown ' +
        'beyond the columns of the header, footnotes that nothing refers to, and footnotes whose label is defined again.',
    ),
  z
    .object({ type: z.literal('option_ignored'), message, part, option: z.string(), reason: z.string() })
    .describe(
      'An option of the request that does not apply to the document, or a key of front matter that was ' +
        'probably meant as an option.',
    ),
  z
    .object({
      type: z.literal('feature_ignored'),
      message,
      part,
      feature: z.string().describe('Such as `string-set`, `float: footnote` or `size: a6`.'),
      reason: z.string().describe('Why, and what to use instead, if anything.'),
    })
    .describe(
      'Something that other programs support has no effect in this PDF: CSS for printing, an element of MathML, a field ' +
        'of a Word document that is printed as stored, or something in header or footer. Or @page rules are not ' +
        'used, because the page options or their defaults apply.',
    ),
  z
    .object({ type: z.literal('link_broken'), message, part, link: z.string().describe('Such as `part:9`.') })
    .describe('A link to a part that the composed document does not have. It goes nowhere.'),
  z
    .object({ type: z.literal('layout_fallback'), message, part, reason: z.string() })
    .describe('A Word document was laid out as by docx_layout semantic, because LibreOffice is not installed.'),
]);
export type Warning = z.output<typeof warning>;

/** `warnings` of responses. */
export const warnings = z
  .array(warning)
  .optional()
  .describe('What to check in the finished PDF: the first 50 warnings. Absent if there are none.');
