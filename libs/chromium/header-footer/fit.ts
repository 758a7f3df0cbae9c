import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { edgeTemplate, measuringExpression, measuringSheet, type Setting } from './templates.ts';
import type { EdgeContent, Edge } from './read.ts';
import { inlineImages } from './images.ts';
import { fill } from '../document/fill.ts';
import type { BrowserInstance } from '../browsers/instance.ts';
import { untilAborted, type Page } from '../browsers/page.ts';
import { marginsOf, noHeaderFooter, type HeaderFooter } from '../pdf/parameters.ts';
import { readHeaderFooter } from './read.ts';
import type { PrintRequest } from '../request.ts';

export type FitHeaderFooter = (page: Page, request: PrintRequest, signal: AbortSignal) => Promise<HeaderFooter>;

const millimetres = (cssPixels: number) => Math.ceil((cssPixels / 96) * 254) / 10;

const fontsOf = async ({ session }: Page): Promise<string> => {
  const { result } = await session.send('Runtime.evaluate', { expression: 'getComputedStyle(document.body).fontFamily', returnByValue: true });
  return typeof result.value === 'string' && result.value.length < 500 ? result.value : 'sans-serif';
};

/**
 * Sets the bands of a document that stands in its page: in the fonts of the document's body, and as high as they turn out where that is more than they
 * were given, so that nothing is cut off or lies over the text. Heights are remembered, since the same bands come again and again.
 */
export const headerFooterFitter = ({ staticInstance }: { staticInstance: () => Promise<BrowserInstance> }): FitHeaderFooter => {
  const heights = new LRUCache<string, number[]>({ max: 500 });

  const measure = async (bands: EdgeContent[], setting: Setting, signal: AbortSignal): Promise<number[]> => {
    const instance = await staticInstance();
    return instance.withKeptPage((page) =>
      untilAborted(page, signal, async () => {
        await fill(page, measuringSheet(bands, setting));
        const { result } = await page.session.send('Runtime.evaluate', { expression: measuringExpression, returnByValue: true });
        return (result.value as number[]).map(millimetres);
      }),
    );
  };

  return async (page, request, signal) => {
    const read = request.bands ?? readHeaderFooter(request.options, request.requestedAt);
    if (read.length === 0) return noHeaderFooter;
    const { options } = request;
    const setting: Setting = { options, fonts: await fontsOf(page) };
    const bands = await Promise.all(read.map(async (band) => (band.images.length > 0 ? inlineImages(band, { instance: await staticInstance(), group: request.group ?? '', signal }) : band)));
    const key = hash('sha256', measuringSheet(bands, setting), 'base64');
    const natural = heights.get(key) ?? (await measure(bands, setting, signal));
    heights.set(key, natural);

    const heightOf = (place: Edge) => {
      const index = bands.findIndex((band) => band.place === place);
      return index === -1 ? 0 : Math.max(place === 'header' ? options.header_height : options.footer_height, natural[index]!);
    };
    const given: HeaderFooter = { ...noHeaderFooter, headerHeight: heightOf('header'), footerHeight: heightOf('footer') };
    const margins = marginsOf(options, given);
    const template = (place: Edge, height: number, margin: number) => {
      const band = bands.find((candidate) => candidate.place === place);
      return band ? edgeTemplate(band, height, margin, setting) : '';
    };
    return { ...given, header: template('header', given.headerHeight, margins.top), footer: template('footer', given.footerHeight, margins.bottom) };
  };
};
