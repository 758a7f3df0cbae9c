import { escapeMarkup } from '#libs/markup/escape.ts';
import { toMillimetres } from '#contracts/http/lengths.ts';
import { formatPageNumber, maxRoman, type PageNumbersOption } from '#contracts/http/page-numbers.ts';
import { renderOptions } from '#contracts/http/render-options.ts';
import type { WatermarkOption } from '#contracts/http/watermark.ts';
import type { Printer } from '#libs/chromium/printer.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import type { NumberedPages } from '#libs/pdf/page-labels.ts';
import type { PageSize, Stamps } from '#libs/pdf/stamp.ts';
import { isPageIn, sideOf } from '#libs/pdf/stamp-places.ts';
import { type ElapsedTimes, printWithinDeadline } from './deadline.ts';
import type { RenderRequestedData } from './load-inputs.ts';
import { fitWatermarks, type StampPage, toPoints, watermarkPage, watermarkStyles } from './watermark-page.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';

/** Names the stamps whose `pages` select none of the pages. No error: `2-` is right for letters that may have one page. */
export const stampWarnings = (options: StampOptions, pages: number): RenderWarning[] =>
  (['watermark', 'page_numbers'] as const).flatMap((name) => {
    const ranges = options[name]?.pages ?? null;
    const isDrawn = Array.from({ length: pages }, (_, index) => index + 1).some(isPageIn(ranges));
    const count = pages === 1 ? '1 page' : `${pages} pages`;
    const reason = `The PDF has ${count}; "${ranges}" selects none of them.`;
    return isDrawn ? [] : [{ kind: 'option_ignored', option: `${name}.pages`, reason }];
  });

/** What the options ask for; absent: nothing. */
export type StampOptions = { watermark?: WatermarkOption | undefined; page_numbers?: PageNumbersOption | undefined };

/** `sizes` has an entry for each page of the whole document; `parts` the number of pages of each part, in order. */
export type PagesToStamp = { sizes: readonly PageSize[]; parts?: readonly number[] };

/** `isolated` prints the stamps in an isolated browser, as their document. */
type StampsToPrint = { pages: PagesToStamp; options: StampOptions; requestedAt: Date; isolated: boolean };

export const hasStamps = ({ watermark, page_numbers: pageNumbers }: StampOptions): boolean =>
  watermark !== undefined || pageNumbers !== undefined;

/** More different sizes share the frame of the first one, made smaller or larger. */
const maxFrames = 20;

const distinctSizes = (sizes: readonly PageSize[]): PageSize[] => {
  const byText = new Map(sizes.map((size) => [`${Math.round(size.width)} ${Math.round(size.height)}`, size]));
  return [...byText.values()].slice(0, maxFrames);
};

/** Wider than every number; a longer text is cut off. */
const numberFrameWidth = 1000;

const numberPage = (text: string, side: string, { font_size: size, color }: PageNumbersOption): StampPage => ({
  size: { width: numberFrameWidth, height: Math.ceil(size * 1.6) },
  html: `<div class="number" dir="auto" style="text-align:${side};font-size:${size}pt;color:${color}">${escapeMarkup(text)}</div>`,
});

const numberedPagesOf = (
  { start, style, restart_by_part: restarts }: PageNumbersOption,
  { sizes, parts }: PagesToStamp,
): NumberedPages[] => {
  const counts = restarts && parts ? parts.filter((count) => count > 0) : [sizes.length];
  const isRoman = style !== 'decimal' && start + Math.max(...counts) - 1 <= maxRoman;
  let firstIndex = 0;
  return counts.map((count) => {
    const numbered = { firstIndex, start, style: isRoman ? style : ('decimal' as const) };
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
    `${watermarkStyles}.number{white-space:pre;line-height:1.6}</style>${body.join('')}`
  );
};

const printOptions = renderOptions.parse({
  prefer_css_page_size: true,
  ...Object.fromEntries(['top', 'bottom', 'left', 'right'].map((side) => [`margin_${side}`, 0])),
});

/**
 * Prints the watermark and the page numbers of a document as a PDF of their own: the browser shapes the text of every
 * script and embeds the fonts. All numbers are printed at once, within the remaining processing time. Null if the options
 * ask for neither.
 * @throws the errors of the printer
 */
export const printStamps = async (
  { printer }: { printer: Pick<Printer, 'print'> },
  requested: RenderRequestedData,
  elapsed: ElapsedTimes,
  { pages: document, options, requestedAt, isolated }: StampsToPrint,
): Promise<Stamps | null> => {
  const { watermark, page_numbers: numbers } = options;
  const watermarkPages = watermark ? distinctSizes(document.sizes).map((size) => watermarkPage(watermark, size)) : [];
  const numbered = numbers ? numberPages(numbers, document, watermarkPages.length) : null;
  const pages = [...watermarkPages, ...(numbered?.pages ?? [])];
  if (pages.length === 0) return null;
  const request = {
    // Only those of the document are of interest.
    diagnostics: undefined,
    html: htmlOf(pages),
    layoutExpression: fitWatermarks,
    classification: { ...scriptFreeClassification, needsStabilising: true },
    options: printOptions,
    requestedAt,
    isolated,
  };
  const { pdf } = await printWithinDeadline(printer, requested, elapsed, request, null);
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
