import type { Direction } from '#libs/documents/language/direction.ts';
import type { PageGeometry } from '../pdf/page-geometry.ts';
import { fillPlaceholders, placeholderStyle } from './marks.ts';
import type { HeaderFooterContent } from './parse.ts';

// The font list comes from the document and must not end the rule or the style element.
const safeFontFamily = (fonts: string) => (/[<>{};]/.test(fonts) ? 'sans-serif' : fonts);

// Without specificity, so that every rule of the header or footer overrides it.
const defaultTypography = (fonts: string, direction: Direction) =>
  `<style>:where(.colophon-header,.colophon-footer){font:400 9pt/1.35 ${safeFontFamily(fonts)};` +
  `color:#000;direction:${direction};text-align:start;box-sizing:border-box}</style>`;

/** `direction`, `fonts` and `fontFaces` are those of the document. `hasTexts`: a placeholder for a text of the document is used. */
export type LayoutContext = {
  geometry: PageGeometry;
  fonts: string;
  fontFaces: string;
  direction: Direction;
  printBackground: boolean;
  hasTexts: boolean;
};

/** The styles of headers and footers. */
export const headerFooterStyles = ({ fonts, fontFaces, direction, hasTexts }: LayoutContext): string =>
  (fontFaces === '' ? '' : `<style>${fontFaces}</style>`) +
  defaultTypography(fonts, direction) +
  (hasTexts ? placeholderStyle : '');

/**
 * A page with the headers and footers below each other at their printed width, for measuring. `section` is the longest
 * running heading.
 */
export const measurementHtml = (contents: HeaderFooterContent[], layout: LayoutContext, section: string): string => {
  const style = `width:${layout.geometry.narrowestText}mm;display:flow-root`;
  const sample = { page: '888', total: '888', section };
  const blocks = contents.map(
    ({ kind, html }) => `<div class="colophon-${kind}" style="${style}">${fillPlaceholders(html, sample)}</div>`,
  );
  return `<!DOCTYPE html><head>${headerFooterStyles(layout)}</head><body style="margin:0">${blocks.join('')}`;
};

/** The height of a header or footer, and where its texts begin and end, from its left edge. In CSS pixels. */
export type Measured = { height: number; left: number; right: number };

/**
 * Runs in the measurement page: what is measured of each child. Texts that are hidden on purpose do not count, nor do
 * those whose place depends on the page.
 */
export const measureExpression = String.raw`[...document.body.children].map((block) => {
  const box = block.getBoundingClientRect();
  const measured = { height: Math.max(block.scrollHeight, box.height), left: 0, right: 0 };
  const known = new Map([[block, false]]);
  const isElsewhere = (element) => {
    if (known.has(element)) return known.get(element);
    const { overflowX, position } = getComputedStyle(element);
    const result = overflowX !== 'visible' || /absolute|fixed/.test(position) || isElsewhere(element.parentElement);
    known.set(element, result);
    return result;
  };
  const range = document.createRange();
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    range.selectNodeContents(text);
    const { left, right, width } = range.getBoundingClientRect();
    if (width === 0 || !/\S/.test(text.data) || (left >= box.left && right <= box.right)) continue;
    if (right < box.left - box.width || isElsewhere(text.parentElement)) continue;
    measured.left = Math.min(measured.left, left - box.left);
    measured.right = Math.max(measured.right, right - box.left);
  }
  return measured;
})`;

/**
 * A header or footer on its page: in the middle of the margin, as wide as the text, with its content centred
 * vertically. Lengths are in millimetres.
 */
export const placedBlock = (
  { kind, html }: HeaderFooterContent,
  height: number,
  margin: number,
  { geometry: { margins }, printBackground }: LayoutContext,
): string => {
  const paint = printBackground ? '-webkit-print-color-adjust:exact;print-color-adjust:exact;' : '';
  const edge = kind === 'header' ? 'top' : 'bottom';
  return (
    `<div style="position:absolute;${edge}:${(margin - height) / 2}mm;left:${margins.left}mm;` +
    `right:${margins.right}mm;height:${height}mm">` +
    `<div class="colophon-${kind}" style="${paint}height:100%;align-content:center">${html}</div></div>`
  );
};

/** The template that the browser prints into the margin. The document's scale does not apply. */
export const headerFooterTemplate = (kind: HeaderFooterContent['kind'], block: string, layout: LayoutContext): string =>
  `${headerFooterStyles(layout)}<style>#${kind}{display:block;padding:0;position:relative;overflow:visible}</style>` +
  block;
