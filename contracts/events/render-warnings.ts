import { z } from 'zod';
import { asciiText, list, text } from './bounded.ts';

export const overflowSides = ['left', 'right', 'top', 'bottom'] as const;

/** The part of a composed document that a warning is about, such as `parts[2]`. */
const ofPart = { part: asciiText(16).optional() };

/** What a caller should know about a finished PDF. One member for each kind. */
const renderWarning = z.discriminatedUnion('kind', [
  /** A resource is missing in the PDF. */
  z.object({ kind: z.literal('resource_failed'), ...ofPart, url: text(500), reason: text(500) }),
  /** An element lies outside the printable area, on one side of a page, by this many millimetres. */
  z.object({
    kind: z.literal('content_overflow'),
    ...ofPart,
    element: text(500),
    /** From 1; absent if it is not known. */
    page: z.number().int().optional(),
    side: z.enum(overflowSides),
    overflowMm: z.number(),
  }),
  /** The browser printed all pages smaller, to fit wide content. A factor of 0.8 is 80 per cent of the size. */
  z.object({
    kind: z.literal('content_shrunk'),
    ...ofPart,
    factor: z.number(),
    /** The widest element, if it is known. */
    element: text(500).optional(),
  }),
  /** Neither the document nor its header and footer refer to the asset with this name. */
  z.object({ kind: z.literal('asset_unused'), ...ofPart, name: text(500) }),
  /** A formula in Markdown is not valid TeX; the PDF shows its source. `line` is the line of its paragraph, from 1. */
  z.object({
    kind: z.literal('invalid_formula'),
    ...ofPart,
    line: z.number().int(),
    source: text(200),
    reason: text(300),
  }),
  /**
   * The PDF does not show this content of the document, which occurs about `count` times. The first is on `line`, from 1, and
   * begins with `source`, if they are known.
   */
  z.object({
    kind: z.literal('content_left_out'),
    ...ofPart,
    content: text(100),
    count: z.number().int(),
    line: z.number().int().optional(),
    source: text(200).optional(),
  }),
  /** An option of the request that does not apply to the document, or a key of front matter meant as an option. */
  z.object({ kind: z.literal('option_ignored'), ...ofPart, option: text(100), reason: text(300) }),
  /** Something in the document, its header or its footer that has no effect, and what to use instead, if anything. */
  z.object({ kind: z.literal('feature_ignored'), ...ofPart, feature: text(100), reason: text(300) }),
  /** A link to a part that the composed document does not have, such as `part:9`. */
  z.object({ kind: z.literal('link_broken'), ...ofPart, link: text(100) }),
  /** The document was laid out in another way than by default. */
  z.object({ kind: z.literal('layout_fallback'), ...ofPart, reason: text(500) }),
]);
export type RenderWarning = z.output<typeof renderWarning>;

/** As many warnings of a render are recorded. */
export const maxRenderWarnings = 50;

/** The first warnings of a render. */
export const renderWarnings = list(renderWarning, maxRenderWarnings);
