import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { EdgeContent } from './read.ts';
import { sheetOf } from '../pdf/parameters.ts';

// The font list comes from the document: it shall end neither the rule nor the style element.
const harmless = (fonts: string) => (/[<>{};]/.test(fonts) ? 'sans-serif' : fonts);

// Without weight of its own, so that any rule of the band is the stronger.
const typography = (fonts: string) => `<style>:where(.band-header,.band-footer){font:400 9pt/1.35 ${harmless(fonts)};color:#000;text-align:left;box-sizing:border-box}</style>`;

export type Setting = { options: RenderOptions; fonts: string };

const widthOf = (options: RenderOptions) => sheetOf(options).width - options.margin_left - options.margin_right;

/** A page on which bands stand under each other, as wide as they will be, each to be measured. */
export const measuringSheet = (bands: EdgeContent[], { options, fonts }: Setting): string =>
  `<!DOCTYPE html><head>${typography(fonts)}</head><body style="margin:0">${bands
    .map(({ place, html }) => `<div class="band-${place}" style="width:${widthOf(options)}mm;display:flow-root">${html.replace(/class="(?:pageNumber|totalPages)">/g, '$&888')}</div>`)
    .join('')}`;

/** In the measuring page: the height of each band in CSS pixels. */
export const measuringExpression = `[...document.body.children].map((band) => Math.max(band.scrollHeight, band.getBoundingClientRect().height))`;

/**
 * The template that the browser prints into the margin. The band lies in the middle of the margin, over the width of the text, and what it holds in the middle of the band.
 * Lengths in millimetres; the document's scale does not reach the template.
 */
export const edgeTemplate = ({ place, html }: EdgeContent, height: number, margin: number, { options, fonts }: Setting): string => {
  const paint = options.print_background ? '-webkit-print-color-adjust:exact;print-color-adjust:exact;' : '';
  const edge = place === 'header' ? 'top' : 'bottom';
  return (
    `${typography(fonts)}<style>#${place}{display:block;padding:0;position:relative;overflow:visible}</style>` +
    `<div style="position:absolute;${edge}:${(margin - height) / 2}mm;left:${options.margin_left}mm;width:${widthOf(options)}mm;height:${height}mm">` +
    `<div class="band-${place}" style="${paint}height:100%;align-content:center">${html}</div></div>`
  );
};
