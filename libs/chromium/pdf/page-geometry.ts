import { pageSizeTable, type Size } from '#contracts/http/page-sizes.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';

export const toCssPixels = (millimetres: number): number => (millimetres / 25.4) * 96;

/** The page size in the chosen orientation, in millimetres. */
export const sheetSize = (options: RenderOptions): Size => {
  const { page_size: pageSize, orientation } = options;
  const { width = pageSizeTable[pageSize].width, height = pageSizeTable[pageSize].height } = options;
  return orientation === 'landscape' ? { width: height, height: width } : { width, height };
};

/** The pages of a document, in millimetres. */
export type PageGeometry = {
  /** Of the pages without an `@page` rule of their own. */
  sheet: Size;
  margins: { top: number; bottom: number; left: number; right: number };
  /** The width of the text on the narrowest page. */
  narrowestText: number;
  /** The lowest top and bottom margins of any page. */
  lowest: { top: number; bottom: number };
};

/** The geometry of pages with one size and margins, in millimetres; `others` replaces what differs on some pages. */
export const geometryOf = (
  sheet: Size,
  margins: PageGeometry['margins'],
  others: Partial<PageGeometry> = {},
): PageGeometry => ({
  sheet,
  margins,
  narrowestText: sheet.width - margins.left - margins.right,
  lowest: { top: margins.top, bottom: margins.bottom },
  ...others,
});

/** The pages as the options alone describe them. */
export const geometryOfOptions = (options: RenderOptions): PageGeometry =>
  geometryOf(sheetSize(options), {
    top: options.margin_top,
    bottom: options.margin_bottom,
    left: options.margin_left,
    right: options.margin_right,
  });
