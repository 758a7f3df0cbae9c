import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { createOverlay } from './overlay.ts';
import {
  headerFooterStyles,
  headerFooterTemplate,
  type LayoutContext,
  type Measured,
  measureExpression,
  measurementHtml,
  placedBlock,
} from './templates.ts';
import { type HeaderFooterContent, type HeaderFooterKind, parseHeaderFooter } from './parse.ts';
import { inlineImages } from './inline-images.ts';
import { fillPlaceholders, type MarkedName } from './marks.ts';
import { fontFamiliesExpression, namesFontFaces, readFontFaces, waitForFontFaces } from './font-faces.ts';
import { collectHeadings, type Heading } from './running-heading.ts';
import { evaluate } from '../document/evaluate.ts';
import { emulateMedia, loadDocument } from '../document/load.ts';
import type { DocumentPages } from '../document/page-rules.ts';
import type { BrowserInstance } from '../browsers/instance.ts';
import { failPageOnAbort, type Page } from '../browsers/page.ts';
import { type PageGeometry, toCssPixels } from '../pdf/page-geometry.ts';
import { noHeaderFooterTemplates, type HeaderFooterTemplates } from '../pdf/parameters.ts';
import type { PrintRequest } from '../print-request.ts';
import type { Direction } from '#libs/documents/language/direction.ts';

/** `staticInstance` returns the browser that lays out headers and footers. */
export type FitContext = { signal: AbortSignal; staticInstance: () => Promise<BrowserInstance> };

export type FitHeaderFooter = (
  page: Page,
  request: PrintRequest,
  pages: DocumentPages,
  context: FitContext,
) => Promise<HeaderFooterTemplates>;

/** What headers and footers use of the document. */
type DocumentTexts = { fonts: string; families: string[]; direction: Direction; title: string; headings: Heading[] };

const titleExpression =
  "(document.title.trim() || [...document.querySelectorAll('h1,h2')].map((heading) => heading.innerText?.trim())" +
  ".find(Boolean) || '').replace(/\\s+/g, ' ').slice(0, 300).toWellFormed()";

/** A converted document names its direction on the only element of its body. */
const directionExpression = "styleOf(document.querySelector('body > main[dir]:only-child') ?? body)?.direction";

const readDocument = async ({ session }: Page, used: ReadonlySet<MarkedName>): Promise<DocumentTexts> => {
  const members = [
    'fonts: styleOf(body)?.fontFamily',
    `families: ${fontFamiliesExpression}`,
    `direction: ${directionExpression}`,
    `title: ${used.has('title') ? titleExpression : "''"}`,
    `headings: ${used.has('section') ? collectHeadings : '[]'}`,
  ];
  // A drawing or an XML page has no body, and a script can remove all elements.
  const expression = `((body, styleOf) => ({${members.join(',')}}))(
    document.body ?? document.documentElement, (element) => element && getComputedStyle(element))`;
  const {
    fonts = '',
    families = [],
    direction,
    title = '',
    headings = [],
  } = (await evaluate(session, expression)) as Partial<DocumentTexts>;
  return {
    fonts: fonts !== '' && fonts.length < 500 ? fonts : 'sans-serif',
    families,
    direction: direction === 'rtl' ? 'rtl' : 'ltr',
    title,
    headings,
  };
};

const longestOf = (headings: readonly Heading[]): string =>
  headings.reduce((longest, { text }) => (text.length > longest.length ? text : longest), '');

/** In millimetres, with one decimal. */
const roundedUp = (cssPixels: number): number => Math.ceil((cssPixels / 96) * 254) / 10;

/** A smaller cut is not noticed. In CSS pixels. */
const toleratedCut = 1.5;

/** The warning about text that the edge of the narrowest page cuts off. */
const cutTextWarnings = (
  kind: HeaderFooterKind,
  { left, right }: Measured,
  geometry: PageGeometry,
): RenderWarning[] => {
  const { narrowestText, margins } = geometry;
  const cut = {
    right: right - toCssPixels(narrowestText + margins.right),
    left: -left - toCssPixels(margins.left),
  };
  const side = cut.right >= cut.left ? 'right' : 'left';
  if (cut[side] <= toleratedCut) return [];
  return [{ kind: 'content_overflow', element: `${kind}_html`, side, overflowMm: roundedUp(cut[side]) }];
};

const unavailableFontWarning = (family: string): RenderWarning => ({
  kind: 'feature_ignored',
  feature: `font ${family.slice(0, 60).toWellFormed()} in header and footer`,
  reason: 'They are printed without network. Send the font file as an asset, or as a data: URL in its @font-face.',
});

/**
 * Lays out the header and footer of a loaded document: in the fonts of the document's body, and at their natural height
 * if that is more than the configured height, so that nothing is cut off or covers the text. Measured values are cached,
 * because the same contents are often used again.
 */
export const createHeaderFooterFitter = (): FitHeaderFooter => {
  type Measurement = { measured: Measured[]; failedFonts: RenderWarning[] };
  const cache = new LRUCache<string, Measurement>({ max: 500 });

  const measure = async (html: string, { signal, staticInstance }: FitContext): Promise<Measurement> => {
    const key = hash('sha256', html, 'base64');
    const cached = cache.get(key);
    if (cached) return cached;
    const instance = await staticInstance();
    const measurement = await instance.withReusablePage((page) =>
      failPageOnAbort(page, signal, async () => {
        // The page may still have the media of its last document.
        await emulateMedia(page, 'print');
        await loadDocument(page, html);
        const failedFonts = await waitForFontFaces(page, html);
        return { measured: (await evaluate(page.session, measureExpression)) as Measured[], failedFonts };
      }),
    );
    cache.set(key, measurement);
    return measurement;
  };

  /** With their images and the title of the document in them. */
  const completeContents = async (
    parsed: HeaderFooterContent[],
    title: string,
    { group, limits: { maxImages = null } }: PrintRequest,
    { signal, staticInstance }: FitContext,
  ): Promise<HeaderFooterContent[]> => {
    const contents = await inlineImages(parsed, { instance: staticInstance, group, maxImages, signal });
    return contents.map((content) =>
      content.placeholders.includes('title')
        ? { ...content, html: fillPlaceholders(content.html, { title }) }
        : content,
    );
  };

  return async (page, request, pages, context) => {
    const parsed = request.headerFooterContents ?? parseHeaderFooter(request.options, request.requestedAt);
    if (parsed.length === 0) return noHeaderFooterTemplates;
    const { options } = request;
    const used = new Set(parsed.flatMap(({ placeholders }) => placeholders));
    const { fonts, families, direction, title, headings } = await readDocument(page, used);
    const contents = await completeContents(parsed, title, request, context);
    const { css: fontFaces, unavailable } = await readFontFaces(page, families, fonts, contents);
    const { geometry } = pages;
    const hasTexts = used.has('title') || used.has('section');
    const printBackground = options.print_background;
    const layout: LayoutContext = { geometry, fonts, fontFaces, direction, printBackground, hasTexts };
    const { measured, failedFonts } = await measure(measurementHtml(contents, layout, longestOf(headings)), context);

    const place = (kind: HeaderFooterKind, minHeight: number, lowestMargin: number) => {
      const index = contents.findIndex((content) => content.kind === kind);
      if (index === -1) return { height: 0, block: '', template: '' };
      const height = Math.max(minHeight, roundedUp(measured[index]!.height));
      const block = placedBlock(contents[index]!, height, Math.max(height, lowestMargin), layout);
      return { height, block, template: headerFooterTemplate(kind, block, layout) };
    };
    const header = place('header', options.header_height, geometry.lowest.top);
    const footer = place('footer', options.footer_height, geometry.lowest.bottom);
    await pages.growMargins({ top: header.height, bottom: footer.height });
    const warnings = [...failedFonts, ...unavailable.map(unavailableFontWarning)];
    warnings.push(
      ...contents.flatMap(({ kind, ignored }, index): RenderWarning[] => [
        ...ignored.map((feature) => ({ kind: 'feature_ignored' as const, ...feature })),
        ...cutTextWarnings(kind, measured[index]!, geometry),
      ]),
    );
    const common = { headerHeight: header.height, footerHeight: footer.height, warnings };
    // The browser prints a template before its fonts are loaded.
    const needsFonts = namesFontFaces(fontFaces) || contents.some(({ html }) => namesFontFaces(html));
    if (!needsFonts && !contents.some(({ differsByPage }) => differsByPage))
      return { header: header.template, footer: footer.template, ...common };
    const overlay = createOverlay({
      head: headerFooterStyles(layout),
      blocks: header.block + footer.block,
      headings,
      options,
      instance: await context.staticInstance(),
      signal: context.signal,
    });
    return { header: '', footer: '', ...common, overlay };
  };
};
