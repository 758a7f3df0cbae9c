import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { HeaderFooterContent } from './parse.ts';
import { sheetSize } from '../pdf/parameters.ts';

// The font list comes from the document and must not end the rule or the style element.
const safeFontFamily = (fonts: string) => (/[<>{};]/.test(fonts) ? 'sans-serif' : fonts);

// Without specificity, so that every rule of the header or footer overrides it.
const defaultTypography = (fonts: string) =>
  `<style>:where(.colophon-header,.colophon-footer){font:400 9pt/1.35 ${safeFontFamily(fonts)};` +
  `color:#000;text-align:left;box-sizing:border-box}</style>`;

export type LayoutContext = { options: RenderOptions; fonts: string };

const contentWidth = (options: RenderOptions) => sheetSize(options).width - options.margin_left - options.margin_right;

const counterPattern = /class="(?:pageNumber|totalPages)">/g;

/** A page with the headers and footers below each other at their printed width, for measuring. */
export const measurementHtml = (contents: HeaderFooterContent[], { options, fonts }: LayoutContext): string => {
  const style = `width:${contentWidth(options)}mm;display:flow-root`;
  const blocks = contents.map(
    ({ kind, html }) => `<div class="colophon-${kind}" style="${style}">${html.replace(counterPattern, '$&888')}</div>`,
  );
  return `<!DOCTYPE html><head>${defaultTypography(fonts)}</head><body style="margin:0">${blocks.join('')}`;
};

/** Runs in the measurement page: the height of each child in CSS pixels. */
export const measureHeightsExpression =
  '[...document.body.children].map((child) => Math.max(child.scrollHeight, child.getBoundingClientRect().height))';

/**
 * The template that the browser prints into the margin. The header or footer is in the middle of the margin, as wide as
 * the text, with its content centred vertically. Lengths are in millimetres; the document's scale does not apply.
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
    `<div style="position:absolute;${edge}:${(margin - height) / 2}mm;left:${options.margin_left}mm;` +
    `width:${contentWidth(options)}mm;height:${height}mm">` +
    `<div class="colophon-${kind}" style="${paint}height:100%;align-content:center">${html}</div></div>`
  );
};
