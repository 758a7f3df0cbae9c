import { z } from 'zod';

export const pageSizes = ['A4', 'A3', 'Letter', 'Legal', 'Tabloid'] as const;
export const orientations = ['portrait', 'landscape'] as const;

const margin = (initial: number) => z.number().min(0).max(100).default(initial).describe('Millimetres, 0 to 100.');
const headerFooterHtml = z
  .string()
  .nullable()
  .default(null)
  .describe(
    'HTML of the header or footer in the margin. {{page}}, {{total}} and {{date}} are replaced. The margin grows ' +
      'if it is lower than the header or footer.',
  );
const headerFooterHeight = z.number().min(0).max(100).default(10).describe('Millimetres, 0 to 100.');

/** The render options of a request with their defaults. */
export const renderOptionFields = {
  page_size: z.enum(pageSizes).default('A4'),
  orientation: z.enum(orientations).default('portrait'),
  margin_top: margin(20),
  margin_bottom: margin(20),
  margin_left: margin(15),
  margin_right: margin(15),
  header_html: headerFooterHtml,
  footer_html: headerFooterHtml,
  header_height: headerFooterHeight,
  footer_height: headerFooterHeight,
  print_background: z.boolean().default(true),
  scale: z.number().min(0.1).max(2).default(1),
  wait_for: z.enum(['load', 'domcontentloaded', 'networkidle']).default('load'),
  wait_time: z.number().int().min(0).max(5000).default(0).describe('Additional wait in milliseconds, 0 to 5000.'),
  emulate_media: z.enum(['print', 'screen']).default('print'),
} as const;

export const renderOptions = z.strictObject(renderOptionFields);
/** All options with defaults applied. Lengths in millimetres, times in milliseconds. */
export type RenderOptions = z.output<typeof renderOptions>;
