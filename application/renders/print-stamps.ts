import { toMillimetres } from '#contracts/http/lengths.ts';
import { formatPageNumber, type PageNumbersOption } from '#contracts/http/page-numbers.ts';
import { renderOptions } from '#contracts/http/render-options.ts';
import type { WatermarkOption } from '#contracts/http/watermark.ts';
import { readImageData } from '#contracts/http/image-data.ts';
import type { Printer, PrintRequest } from '#libs/chromium/printer.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import type { NumberedPages } from '#libs/pdf/page-labels.ts';
import type { PageSize, Stamps } from '#libs/pdf/stamp.ts';
import { isPageIn, sideOf } from '#libs/pdf/stamp-places.ts';

/** What the options ask for; absent: nothing. */
export type StampOptions = { watermark?: WatermarkOption | undefined; page_numbers?: PageNumbersOption | undefined };

/** `sizes` has an entry for each page of the whole document; `parts` the number of pages of each part, in order. */
export type PagesToStamp = { sizes: readonly PageSize[]; parts?: readonly number[] };

type PrintLimits = Pick<PrintRequest, 'group' | 'isolated' | 'requestedAt' | 'limits'>;

export const hasStamps = ({ watermark, page_numbers: pageNumbers }: StampOptions): boolean =>
  watermark !== undefined || pageNumbers !== undefined;

const toPoints = (millimetres: number): number => (millimetres * 72) / 25.4;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => entities[character]!);

/** More different sizes share the frame of the first one, made smaller or larger. */
const maxFrames = 20;

const distinctSizes = (sizes: readonly PageSize[]): PageSize[] => {
  const byText = new Map(sizes.map((size) => [`${Math.round(size.width)} ${Math.round(size.height)}`, size]));
  return [...byText.values()].slice(0, maxFrames);
};

/** A page of the stamps: a size in points, and what is on it. */
type StampPage = { size: PageSize; html: string };

/** The length of a line through the middle of a page at an angle, within its edges. */
const lineLength = ({ width, height }: PageSize, degrees: number): number => {
  const radians = (degrees * Math.PI) / 180;
  const [along, across] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  return 0.85 * Math.min(along > 0.01 ? width / along : Infinity, across > 0.01 ? height / across : Infinity);
};

const defaultFontSize = { min: 12, max: 140 };
/** The width of most letters, for a font size of 1. Those of East Asia and emoji are as wide as high. */
const letterWidth = 0.65;
const isWide = /[\u1100-\u11FF\u2E80-\uFFEF]|[\u{1F000}-\u{3FFFF}]/u;

const fontSizeFor = (text: string, length: number): number => {
  const widthOf = (line: string): number =>
    Array.from(line).reduce((sum, letter) => sum + (isWide.test(letter) ? 1 : letterWidth), 0);
  const widest = Math.max(...text.split('\n').map(widthOf));
  return Math.round(Math.min(defaultFontSize.max, Math.max(defaultFontSize.min, length / widest)));
};

const mediaTypes = { png: 'image/png', jpeg: 'image/jpeg', svg: 'image/svg+xml' } as const;

const imageHtml = (image: string, width: number): string => {
  const { format, base64 } = readImageData(image)!;
  return `<img alt="" style="width:${width}pt" src="data:${mediaTypes[format]};base64,${base64}">`;
};

const alignment = (position: WatermarkOption['position']): string => {
  const across = position.includes('left') ? 'flex-start' : position.includes('right') ? 'flex-end' : 'center';
  const down = position.startsWith('top') ? 'flex-start' : position.startsWith('bottom') ? 'flex-end' : 'center';
  return `justify-content:${across};align-items:${down}`;
};

const watermarkPage = (
  { text, image, opacity, rotation, position, font_size: fontSize, color, width }: WatermarkOption,
  size: PageSize,
): StampPage => {
  const degrees = rotation ?? (image === undefined ? 45 : 0);
  const length = lineLength(size, degrees);
  const content =
    image === undefined
      ? `<div dir="auto" style="font-size:${fontSize ?? fontSizeFor(text!, length)}pt;color:${color};` +
        `max-width:${length.toFixed(2)}pt">${escaped(text!)}</div>`
      : imageHtml(image, width === undefined ? size.width / 2 : toPoints(toMillimetres(width)));
  const turned = `flex:none;opacity:${opacity};transform:rotate(${-degrees}deg)`;
  return {
    size,
    html: `<div class="watermark" style="${alignment(position)}"><div style="${turned}">${content}</div></div>`,
  };
};

/** Wider than every number; a longer text is cut off. */
const numberFrameWidth = 1000;

const numberPage = (text: string, side: string, { font_size: size, color }: PageNumbersOption): StampPage => ({
  size: { width: numberFrameWidth, height: Math.ceil(size * 1.6) },
  html: `<div class="number" dir="auto" style="text-align:${side};font-size:${size}pt;color:${color}">${escaped(text)}</div>`,
});

const numberedPagesOf = (
  { start, style, restart_by_part: restarts }: PageNumbersOption,
  { sizes, parts }: PagesToStamp,
): NumberedPages[] => {
  const counts = restarts && parts ? parts.filter((count) => count > 0) : [sizes.length];
  let firstIndex = 0;
  return counts.map((count) => {
    const numbered = { firstIndex, start, style };
    firstIndex += count;
    return numbered;
  });
};

/** A page for each different number, after the pages before; and where each page of the document finds its number. */
const numberPages = (
  option: PageNumbersOption,
  document: PagesToStamp,
  before: number,
): { pages: StampPage[]; pageNumbers: NonNullable<Stamps['pageNumbers']> } => {
  const numbered = numberedPagesOf(option, document);
  const isNumbered = isPageIn(option.pages ?? null);
  const pages = new Map<string, { index: number; page: StampPage }>();
  const labelPages = numbered.flatMap(({ firstIndex, start, style }, part) => {
    const end = numbered[part + 1]?.firstIndex ?? document.sizes.length;
    const total = formatPageNumber(start + end - firstIndex - 1, style);
    return Array.from({ length: end - firstIndex }, (_, index) => {
      if (!isNumbered(firstIndex + index + 1)) return -1;
      const values: Record<string, string> = { page: formatPageNumber(start + index, style), total };
      const text = option.format.replaceAll(/\{(page|total)\}/g, (_match, key: string) => values[key]!);
      const side = sideOf(option.position, firstIndex + index + 1);
      const known = pages.get(`${side} ${text}`);
      if (known) return known.index;
      const added = { index: before + pages.size, page: numberPage(text, side, option) };
      pages.set(`${side} ${text}`, added);
      return added.index;
    });
  });
  const margin = toPoints(toMillimetres(option.margin));
  return {
    pages: [...pages.values()].map(({ page }) => page),
    pageNumbers: { position: option.position, margin, labelPages, numbered },
  };
};

/** One document with all stamps. Pages of the same size share a page rule. */
const htmlOf = (pages: readonly StampPage[]): string => {
  const sizes = new Map<string, number>();
  const body = pages.map(({ size: { width, height }, html }) => {
    const key = `${width} ${height}`;
    const index = sizes.get(key) ?? sizes.size;
    sizes.set(key, index);
    return `<section class="size-${index}">${html}</section>`;
  });
  const rules = [...sizes].map(([key, index]) => {
    const [width, height] = key.split(' ');
    return (
      `@page size-${index}{size:${width}pt ${height}pt;margin:0}` +
      `.size-${index}{page:size-${index};width:${width}pt;height:${Number(height) - 0.5}pt}`
    );
  });
  return (
    `<!DOCTYPE html><meta charset="utf-8"><style>${rules.join('')}body{margin:0;font-family:sans-serif}` +
    `section{overflow:clip;contain:strict;break-after:page}section:last-child{break-after:auto}` +
    `.watermark{display:flex;box-sizing:border-box;height:100%;padding:24pt;text-align:center}` +
    `.watermark div div{width:max-content;white-space:pre-wrap;overflow-wrap:anywhere;font-weight:bold;line-height:1.2}` +
    `.watermark img{display:block}.number{white-space:pre;line-height:1.6}</style>${body.join('')}`
  );
};

const printOptions = renderOptions.parse({
  prefer_css_page_size: true,
  ...Object.fromEntries(['top', 'bottom', 'left', 'right'].map((side) => [`margin_${side}`, 0])),
});

/**
 * Prints the watermark and the page numbers of a document as a PDF of their own: the browser shapes the text of every
 * script and embeds the fonts. All numbers are printed at once. Null if the options ask for neither.
 * @throws the errors of the printer
 */
export const printStamps = async (
  printer: Pick<Printer, 'print'>,
  { watermark, page_numbers: numbers }: StampOptions,
  document: PagesToStamp,
  { limits, ...request }: PrintLimits,
): Promise<Stamps | null> => {
  const watermarkPages = watermark ? distinctSizes(document.sizes).map((size) => watermarkPage(watermark, size)) : [];
  const numbered = numbers ? numberPages(numbers, document, watermarkPages.length) : null;
  const pages = [...watermarkPages, ...(numbered?.pages ?? [])];
  if (pages.length === 0) return null;
  const { pdf } = await printer.print({
    ...request,
    // Only those of the document are of interest.
    diagnostics: undefined,
    html: htmlOf(pages),
    classification: { ...scriptFreeClassification, needsStabilising: true },
    options: printOptions,
    limits: { ...limits, maxPages: null },
  });
  return {
    pdf,
    watermark: watermark
      ? {
          layer: watermark.layer,
          pages: watermark.pages ?? null,
          frames: watermarkPages.map(({ size }, page) => ({ ...size, page })),
        }
      : null,
    pageNumbers: numbered?.pageNumbers ?? null,
  };
};
