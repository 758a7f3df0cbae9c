import type { Protocol } from 'devtools-protocol';
import { type RenderOptions, renderOptions } from '#contracts/http/render-options.ts';
import { ApiError } from '#contracts/http/api-error.ts';

type Size = { width: number; height: number };

/** Portrait, in millimetres (ISO 216, ANSI Y14.1). */
const pageSizes: Record<RenderOptions['page_size'], Size> = {
  A4: { width: 210, height: 297 },
  A3: { width: 297, height: 420 },
  Letter: { width: 215.9, height: 279.4 },
  Legal: { width: 215.9, height: 355.6 },
  Tabloid: { width: 279.4, height: 431.8 },
};

const toInches = (millimetres: number) => millimetres / 25.4;
export const toCssPixels = (millimetres: number) => (millimetres / 25.4) * 96;

/** The page size in the chosen orientation, in millimetres. */
export const sheetSize = ({ page_size, orientation }: RenderOptions): Size => {
  const { width, height } = pageSizes[page_size];
  return orientation === 'landscape' ? { width: height, height: width } : { width, height };
};

/** The templates for the browser, and the height in millimetres that each needs; 0 for none. */
export type HeaderFooterTemplates = { header: string; footer: string; headerHeight: number; footerHeight: number };
export const noHeaderFooterTemplates: HeaderFooterTemplates = {
  header: '',
  footer: '',
  headerHeight: 0,
  footerHeight: 0,
};

/** The margins in millimetres, at least as high as the header and footer in them. */
export const effectiveMargins = (options: RenderOptions, templates: HeaderFooterTemplates) => ({
  top: Math.max(options.margin_top, templates.headerHeight),
  bottom: Math.max(options.margin_bottom, templates.footerHeight),
  left: options.margin_left,
  right: options.margin_right,
});

const requireContentArea = (
  { width, height }: Size,
  { top, bottom, left, right }: ReturnType<typeof effectiveMargins>,
) => {
  if (height - top - bottom >= 5 && width - left - right >= 5) return;
  throw ApiError.of(
    'conversion_failed',
    `Margins, header and footer leave no room for the text: the sheet has ${width} x ${height} mm, ` +
      `and at least 5 mm each way must remain.`,
    {
      details: { sheet_mm: { width, height }, margins_mm: { top, bottom, left, right } },
    },
  );
};

/** The parameters of `Page.printToPDF`. @throws ApiError conversion_failed if no room is left for the text */
export const printParameters = (
  options: RenderOptions,
  templates: HeaderFooterTemplates,
): Protocol.Page.PrintToPDFRequest => {
  const sheet = sheetSize(options);
  const margins = effectiveMargins(options, templates);
  requireContentArea(sheet, margins);
  const hasTemplates = templates.header !== '' || templates.footer !== '';
  return {
    paperWidth: toInches(sheet.width),
    paperHeight: toInches(sheet.height),
    marginTop: toInches(margins.top),
    marginBottom: toInches(margins.bottom),
    marginLeft: toInches(margins.left),
    marginRight: toInches(margins.right),
    printBackground: options.print_background,
    scale: options.scale,
    preferCSSPageSize: false,
    generateTaggedPDF: false,
    generateDocumentOutline: false,
    displayHeaderFooter: hasTemplates,
    // An empty template would print the browser's own header with title and date.
    ...(hasTemplates
      ? { headerTemplate: templates.header || '<i></i>', footerTemplate: templates.footer || '<i></i>' }
      : {}),
  };
};

/** In CSS pixels. */
export type Viewport = { width: number; height: number };

export const viewportFor = (options: RenderOptions): Viewport => {
  const sheet = sheetSize(options);
  const pixels = (millimetres: number) => Math.max(1, Math.round(toCssPixels(millimetres) / options.scale));
  return {
    width: pixels(sheet.width - options.margin_left - options.margin_right),
    height: pixels(sheet.height - options.margin_top - options.margin_bottom),
  };
};

export const defaultViewport = viewportFor(renderOptions.parse({}));
