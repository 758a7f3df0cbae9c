import type { RenderOptions } from '#contracts/http/render-options.ts';
import { sheetSize } from './page-geometry.ts';

/** The width of the text on a page, in millimetres of the document: a smaller scale leaves room for more. */
export const textWidthMm = (options: RenderOptions): number =>
  (sheetSize(options).width - options.margin_left - options.margin_right) / options.scale;
