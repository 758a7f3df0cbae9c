import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { headerFooterTemplate, measureHeightsExpression, measurementHtml, type LayoutContext } from './templates.ts';
import type { HeaderFooterContent, HeaderFooterKind } from './parse.ts';
import { inlineImages } from './inline-images.ts';
import { loadDocument } from '../document/load.ts';
import type { BrowserInstance } from '../browsers/instance.ts';
import { failPageOnAbort, type Page } from '../browsers/page.ts';
import { effectiveMargins, noHeaderFooterTemplates, type HeaderFooterTemplates } from '../pdf/parameters.ts';
import { parseHeaderFooter } from './parse.ts';
import type { PrintRequest } from '../print-request.ts';

export type FitHeaderFooter = (
  page: Page,
  request: PrintRequest,
  signal: AbortSignal,
) => Promise<HeaderFooterTemplates>;

const toMillimetres = (cssPixels: number) => Math.ceil((cssPixels / 96) * 254) / 10;

const readBodyFontFamily = async ({ session }: Page): Promise<string> => {
  const { result } = await session.send('Runtime.evaluate', {
    expression: 'getComputedStyle(document.body).fontFamily',
    returnByValue: true,
  });
  return typeof result.value === 'string' && result.value.length < 500 ? result.value : 'sans-serif';
};

/**
 * Lays out the header and footer of a loaded document: in the fonts of the document's body, and at their natural height
 * if that is more than the configured height, so that nothing is cut off or covers the text. Heights are cached,
 * because the same contents are often used again.
 */
export const createHeaderFooterFitter = ({
  staticInstance,
}: {
  staticInstance: () => Promise<BrowserInstance>;
}): FitHeaderFooter => {
  const heights = new LRUCache<string, number[]>({ max: 500 });

  const measure = async (
    contents: HeaderFooterContent[],
    layout: LayoutContext,
    signal: AbortSignal,
  ): Promise<number[]> => {
    const instance = await staticInstance();
    return instance.withReusablePage((page) =>
      failPageOnAbort(page, signal, async () => {
        await loadDocument(page, measurementHtml(contents, layout));
        const { result } = await page.session.send('Runtime.evaluate', {
          expression: measureHeightsExpression,
          returnByValue: true,
        });
        return (result.value as number[]).map(toMillimetres);
      }),
    );
  };

  return async (page, request, signal) => {
    const parsed = request.headerFooterContents ?? parseHeaderFooter(request.options, request.requestedAt);
    if (parsed.length === 0) return noHeaderFooterTemplates;
    const { options } = request;
    const layout: LayoutContext = { options, fonts: await readBodyFontFamily(page) };
    const contents = await Promise.all(
      parsed.map(async (content) =>
        content.images.length > 0
          ? inlineImages(content, { instance: await staticInstance(), group: request.group ?? '', signal })
          : content,
      ),
    );
    const key = hash('sha256', measurementHtml(contents, layout), 'base64');
    const naturalHeights = heights.get(key) ?? (await measure(contents, layout, signal));
    heights.set(key, naturalHeights);

    const heightOf = (kind: HeaderFooterKind) => {
      const index = contents.findIndex((content) => content.kind === kind);
      return index === -1
        ? 0
        : Math.max(kind === 'header' ? options.header_height : options.footer_height, naturalHeights[index]!);
    };
    const heightsOnly: HeaderFooterTemplates = {
      ...noHeaderFooterTemplates,
      headerHeight: heightOf('header'),
      footerHeight: heightOf('footer'),
    };
    const margins = effectiveMargins(options, heightsOnly);
    const template = (kind: HeaderFooterKind, height: number, margin: number) => {
      const content = contents.find((candidate) => candidate.kind === kind);
      return content ? headerFooterTemplate(content, height, margin, layout) : '';
    };
    return {
      ...heightsOnly,
      header: template('header', heightsOnly.headerHeight, margins.top),
      footer: template('footer', heightsOnly.footerHeight, margins.bottom),
    };
  };
};
