import type { Protocol } from 'devtools-protocol';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { type RenderOptions, renderOptions } from '#contracts/http/render-options.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { PageRule } from '#libs/documents/html/page-rule.ts';
import { geometryOf, geometryOfOptions, type PageGeometry, sheetSize, toCssPixels } from './page-geometry.ts';

const toInches = (millimetres: number) => millimetres / 25.4;

/** Draws header and footer over the pages of `printed`. `whole` is the PDF with all pages of the document. */
export type DrawOverlay = (printed: Buffer, whole: Buffer) => Promise<Buffer>;

/** The templates for the browser, and the height in millimetres that each needs; 0 for none. */
export type HeaderFooterTemplates = {
  header: string;
  footer: string;
  headerHeight: number;
  footerHeight: number;
  /** Draws the header and footer that the browser cannot print. */
  overlay?: DrawOverlay;
  /** What a caller should know about them. */
  warnings: readonly RenderWarning[];
};
export const noHeaderFooterTemplates: HeaderFooterTemplates = {
  header: '',
  footer: '',
  headerHeight: 0,
  footerHeight: 0,
  warnings: [],
};

type Heights = Pick<HeaderFooterTemplates, 'headerHeight' | 'footerHeight'>;

const withHeights = ({ top, bottom, left, right }: PageGeometry['margins'], heights: Heights) => ({
  top: Math.max(top, heights.headerHeight),
  bottom: Math.max(bottom, heights.footerHeight),
  left,
  right,
});

/** The margins in millimetres, at least as high as the header and footer in them. */
export const effectiveMargins = (options: RenderOptions, heights: Heights) =>
  withHeights(geometryOfOptions(options).margins, heights);

const defaults = renderOptions.parse({});
const minContentMm = 5;

const round = (lengths: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(lengths).map(([name, length]) => [name, Math.round(length * 10) / 10]));

const requireContentArea = (
  { sheet, margins }: PageGeometry,
  heights: Heights,
  { css_page: cssPage }: RenderOptions,
) => {
  const { width, height } = sheet;
  const { top, bottom, left, right } = withHeights(margins, heights);
  const isTooLow = height - top - bottom < minContentMm;
  const isTooNarrow = width - left - right < minContentMm;
  if (!isTooLow && !isTooNarrow) return;
  const size = round({ width, height });
  const { headerHeight, footerHeight } = heights;
  const fields = [
    ...(isTooLow ? [headerHeight > 0 && headerHeight >= margins.top ? 'header_html' : 'margin_top'] : []),
    ...(isTooLow ? [footerHeight > 0 && footerHeight >= margins.bottom ? 'footer_html' : 'margin_bottom'] : []),
    ...(isTooNarrow ? ['margin_left', 'margin_right'] : []),
  ];
  const isLeftToDocument = cssPage?.margins.some((side) => fields.includes(`margin_${side}`)) === true;
  const alternative = isLeftToDocument ? ', or write them in the @page rules of the document' : '';
  throw ApiError.of(
    'conversion_failed',
    `Margins, header and footer leave no room for the text: the page has ${size['width']} x ` +
      `${size['height']} mm, and at least ${minContentMm} mm each way must remain. Send smaller values for ` +
      `${fields.join(', ')}${alternative}. The default margins are ${defaults.margin_top} mm at the top and bottom, ` +
      `and ${defaults.margin_left} mm on the left and right.`,
    { details: { field: fields[0], sheet_mm: size, margins_mm: round({ top, bottom, left, right }) } },
  );
};

/** The outline is made from the structure, and every standard needs it. */
export const isTagged = ({ tagged, outline, conformance }: RenderOptions): boolean =>
  tagged || outline || conformance !== undefined;

/** The parameters of `Page.printToPDF`. @throws ApiError conversion_failed if no room is left for the text */
export const printParameters = (
  options: RenderOptions,
  templates: HeaderFooterTemplates,
  geometry: PageGeometry = geometryOfOptions(options),
): Protocol.Page.PrintToPDFRequest => {
  const sheet = sheetSize(options);
  const margins = effectiveMargins(options, templates);
  requireContentArea(geometry, templates, options);
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
    ...(options.page_ranges !== undefined && { pageRanges: options.page_ranges }),
    preferCSSPageSize: options.css_page?.size === true,
    generateTaggedPDF: isTagged(options),
    generateDocumentOutline: options.outline,
    displayHeaderFooter: hasTemplates,
    // An empty template would print the browser's own header with title and date.
    ...(hasTemplates
      ? { headerTemplate: templates.header || '<i></i>', footerTemplate: templates.footer || '<i></i>' }
      : {}),
  };
};

/** In whole CSS pixels. */
export type Viewport = { width: number; height: number };

export const isSameViewport = (one: Viewport, other: Viewport): boolean =>
  one.width === other.width && one.height === other.height;

/** The pages before the document is loaded: what its page rule says where the options leave it to the document. */
const expectedGeometry = (options: RenderOptions, pageRule: PageRule | undefined): PageGeometry => {
  const { sheet, margins } = geometryOfOptions(options);
  const { css_page: cssPage } = options;
  if (!cssPage || !pageRule) return geometryOf(sheet, margins);
  const turned = pageRule.landscape ? { width: sheet.height, height: sheet.width } : sheet;
  const own = cssPage.margins.flatMap((side) => {
    const margin = pageRule.margins[side];
    return margin === undefined ? [] : [[side, margin] as const];
  });
  return geometryOf(cssPage.size ? (pageRule.size ?? turned) : sheet, { ...margins, ...Object.fromEntries(own) });
};

/** The area of the text on a page. `pageRule` is that of the document. */
export const viewportFor = (options: RenderOptions, pageRule?: PageRule): Viewport => {
  const { sheet, margins } = expectedGeometry(options, pageRule);
  const pixels = (millimetres: number) => Math.max(1, Math.round(toCssPixels(millimetres) / options.scale));
  return {
    width: pixels(sheet.width - margins.left - margins.right),
    height: pixels(sheet.height - margins.top - margins.bottom),
  };
};

export const defaultViewport = viewportFor(defaults);

/**
 * The parameters of `Emulation.setDeviceMetricsOverride` for a layout in this viewport. The window keeps its own size, which
 * decides how much the browser draws on the screen.
 */
export const viewportMetrics = ({ width, height }: Viewport): Protocol.Emulation.SetDeviceMetricsOverrideRequest => ({
  width,
  height,
  deviceScaleFactor: 1,
  mobile: false,
  dontSetVisibleSize: true,
});
