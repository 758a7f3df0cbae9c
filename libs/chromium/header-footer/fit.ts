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
 * Sets the bands of a document that stands in its page: in the fonts of the document's body, and as high as they turn out where that is more than they
 * were given, so that nothing is cut off or lies over the text. Heights are remembered, since the same bands come again and again.
 */
export const createHeaderFooterFitter = ({
  staticInstance,
}: {
  staticInstance: () => Promise<BrowserInstance>;
}): FitHeaderFooter => {
  const heights = new LRUCache<string, number[]>({ max: 500 });

  const measure = async (
    bands: HeaderFooterContent[],
    setting: LayoutContext,
    signal: AbortSignal,
  ): Promise<number[]> => {
    const instance = await staticInstance();
    return instance.withReusablePage((page) =>
      failPageOnAbort(page, signal, async () => {
        await loadDocument(page, measurementHtml(bands, setting));
        const { result } = await page.session.send('Runtime.evaluate', {
          expression: measureHeightsExpression,
          returnByValue: true,
        });
        return (result.value as number[]).map(toMillimetres);
      }),
    );
  };

  return async (page, request, signal) => {
    const read = request.headerFooterContents ?? parseHeaderFooter(request.options, request.requestedAt);
    if (read.length === 0) return noHeaderFooterTemplates;
    const { options } = request;
    const setting: LayoutContext = { options, fonts: await readBodyFontFamily(page) };
    const bands = await Promise.all(
      read.map(async (band) =>
        band.images.length > 0
          ? inlineImages(band, { instance: await staticInstance(), group: request.group ?? '', signal })
          : band,
      ),
    );
    const key = hash('sha256', measurementHtml(bands, setting), 'base64');
    const natural = heights.get(key) ?? (await measure(bands, setting, signal));
    heights.set(key, natural);

    const heightOf = (place: HeaderFooterKind) => {
      const index = bands.findIndex((band) => band.kind === place);
      return index === -1
        ? 0
        : Math.max(place === 'header' ? options.header_height : options.footer_height, natural[index]!);
    };
    const given: HeaderFooterTemplates = {
      ...noHeaderFooterTemplates,
      headerHeight: heightOf('header'),
      footerHeight: heightOf('footer'),
    };
    const margins = effectiveMargins(options, given);
    const template = (place: HeaderFooterKind, height: number, margin: number) => {
      const band = bands.find((candidate) => candidate.kind === place);
      return band ? headerFooterTemplate(band, height, margin, setting) : '';
    };
    return {
      ...given,
      header: template('header', given.headerHeight, margins.top),
      footer: template('footer', given.footerHeight, margins.bottom),
    };
  };
};
