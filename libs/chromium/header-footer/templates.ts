import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { HeaderFooterContent } from './parse.ts';
import { sheetSize } from '../pdf/parameters.ts';

// The font list comes from the document: it shall end neither the rule nor the style element.
const safeFontFamily = (fonts: string) => (/[<>{};]/.test(fonts) ? 'sans-serif' : fonts);

// Without weight of its own, so that any rule of the band is the stronger.
const defaultTypography = (fonts: string) =>
  `<style>:where(.colophon-header,.colophon-footer){font:400 9pt/1.35 ${safeFontFamily(fonts)};color:#000;text-align:left;box-sizing:border-box}</style>`;

export type LayoutContext = { options: RenderOptions; fonts: string };

const contentWidth = (options: RenderOptions) => sheetSize(options).width - options.margin_left - options.margin_right;

/** A page on which bands stand under each other, as wide as they will be, each to be measured. */
export const measurementHtml = (bands: HeaderFooterContent[], { options, fonts }: LayoutContext): string =>
  `<!DOCTYPE html><head>${defaultTypography(fonts)}</head><body style="margin:0">${bands
    .map(
      ({ kind, html }) =>
        `<div class="colophon-${kind}" style="width:${contentWidth(options)}mm;display:flow-root">${html.replace(/class="(?:pageNumber|totalPages)">/g, '$&888')}</div>`,
    )
    .join('')}`;

/** In the measuring page: the height of each band in CSS pixels. */
export const measureHeightsExpression = `[...document.body.children].map((band) => Math.max(band.scrollHeight, band.getBoundingClientRect().height))`;

/**
 * The template that the browser prints into the margin. The band lies in the middle of the margin, over the width of the text, and what it holds in the middle of the band.
 * Lengths in millimetres; the document's scale does not reach the template.
 */
export const headerFooterTemplate = (
  { kind, html }: HeaderFooterContent,
  height: number,
  margin: number,
  { options, fonts }: LayoutContext,
): string => {
  const paint = options.print_background ? '-webkit-print-color-adjust:exact;print-color-adjust:exact;' : '';
  const edge = kind === 'header' ? 'top' : 'bottom';
  return (
    `${defaultTypography(fonts)}<style>#${kind}{display:block;padding:0;position:relative;overflow:visible}</style>` +
    `<div style="position:absolute;${edge}:${(margin - height) / 2}mm;left:${options.margin_left}mm;width:${contentWidth(options)}mm;height:${height}mm">` +
    `<div class="colophon-${kind}" style="${paint}height:100%;align-content:center">${html}</div></div>`
  );
};
