import { ApiError } from '#contracts/http/api-error.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import { isPageIn } from '#libs/pdf/stamp-places.ts';
import type { BrowserInstance } from '../browsers/instance.ts';
import { failPageOnAbort } from '../browsers/page.ts';
import { evaluate } from '../document/evaluate.ts';
import { emulateMedia, loadDocument } from '../document/load.ts';
import {
  countPages,
  type MediaBox,
  mediaBoxOf,
  openPdfObjects,
  pageObjects,
  pagesOfDestinations,
} from '../pdf/objects.ts';
import { overlayPages } from '../pdf/overlay.ts';
import type { DrawOverlay } from '../pdf/parameters.ts';
import { printToPdf } from '../pdf/print-to-pdf.ts';
import { waitForFontFaces } from './font-faces.ts';
import { markOf } from './marks.ts';
import { type Heading, runningHeadings } from './running-heading.ts';

/** `blocks` is the HTML of header and footer at their places on the page, `head` that of the document around them. */
export type OverlayOptions = {
  head: string;
  blocks: string;
  headings: readonly Heading[];
  options: RenderOptions;
  instance: BrowserInstance;
  signal: AbortSignal;
};

/** Characters, without data: URLs, which all pages share. Enough for 1,000 pages with long headers. */
const maxCharacters = 30_000_000;

type OverlayPage = { size: number; page: string; total: string; section: string };

/**
 * Runs in the page: repeats the first block for each page and fills in its placeholders. Style sheets move to the head,
 * since one is enough for all pages.
 */
const repeatBlock = String.raw`(({ pages, marks }) => {
  const block = document.body.firstElementChild;
  document.head.append(...block.querySelectorAll('style'));
  block.remove();
  const replace = (text, values) => marks.reduce((result, [mark, name]) => result.replaceAll(mark, values[name]), text);
  const marked = [...block.querySelectorAll('*')].flatMap((element, index) =>
    [...element.attributes].some(({ value }) => marks.some(([mark]) => value.includes(mark))) ? [index] : []);
  for (const values of pages) {
    const copy = block.cloneNode(true);
    copy.classList.add('colophon-size-' + values.size);
    for (const [selector, text] of [['.pageNumber', values.page], ['.totalPages', values.total],
      ['span.colophon-section>span,tspan.colophon-section', values.section]])
      for (const element of copy.querySelectorAll(selector)) element.textContent = text;
    if (marked.length > 0) {
      const elements = copy.querySelectorAll('*');
      for (const index of marked)
        for (const attribute of elements[index].attributes) attribute.value = replace(attribute.value, values);
    }
    document.body.append(copy);
  }
})`;

/** Higher than the pages below it, so that rounding never makes a second page of one. In points. */
const extraHeight = 6;

const overlayHtml = (head: string, blocks: string, sizes: readonly MediaBox[]): string => {
  const rules = sizes.map(
    ({ width, height }, index) =>
      `@page colophon-${index}{size:${width}pt ${height + extraHeight}pt;margin:0}` +
      `.colophon-size-${index}{page:colophon-${index};width:${width}pt;height:${height}pt}`,
  );
  return (
    `<!DOCTYPE html><head>${head}<style>body{margin:0}${rules.join('')}` +
    `.colophon-page{position:relative;overflow:clip;contain:strict;break-after:page}</style></head>` +
    `<body><div class="colophon-page">${blocks}</div>`
  );
};

const pageNumbers = (ranges: string | undefined, total: number): number[] =>
  Array.from({ length: total }, (_, index) => index + 1).filter(isPageIn(ranges ?? null));

const requireSize = (blocks: string, pages: number): void => {
  const characters = blocks.replaceAll(/"data:[^"]*"|\(data:[^)]*\)/g, '').length * pages;
  if (characters <= maxCharacters) return;
  throw ApiError.of(
    'conversion_failed',
    `The header and footer are too large to be different on each of ${pages} pages. Use shorter ones, or none with ` +
      '{{section}} or with placeholders in attributes.',
    { details: { reason: 'header_footer_too_large', pages } },
  );
};

/** Prints header and footer as a document of their own, with one page for each page of the PDF, and joins the two. */
export const createOverlay =
  ({ head, blocks, headings, options, instance, signal }: OverlayOptions): DrawOverlay =>
  async (printed, whole) => {
    const wholeObjects = openPdfObjects(whole);
    const total = countPages(whole);
    const sections = runningHeadings(headings, pagesOfDestinations(wholeObjects), total);
    const printedObjects = openPdfObjects(printed);
    const boxes = [...pageObjects(printedObjects)].map((page) => mediaBoxOf(printedObjects.dictionary(page)));
    requireSize(blocks, boxes.length);
    const sizes = new Map(boxes.map((box) => [`${box.width} ${box.height}`, box]));
    const sizeKeys = [...sizes.keys()];
    const numbers = pageNumbers(options.page_ranges, total);
    const pages = boxes.map(({ width, height }, index): OverlayPage => ({
      size: sizeKeys.indexOf(`${width} ${height}`),
      page: String(numbers[index]),
      total: String(total),
      section: sections[numbers[index]! - 1] ?? '',
    }));
    const marks = (['page', 'total', 'section'] as const).map((name) => [markOf(name), name]);
    const overlay = await instance.withReusablePage((page) =>
      failPageOnAbort(page, signal, async () => {
        await emulateMedia(page, 'print');
        const html = overlayHtml(head, blocks, [...sizes.values()]);
        await loadDocument(page, html);
        await evaluate(page.session, `${repeatBlock}(${JSON.stringify({ pages, marks })})`);
        await waitForFontFaces(page, html);
        return printToPdf(page.session, {
          preferCSSPageSize: true,
          printBackground: options.print_background,
          marginTop: 0,
          marginBottom: 0,
          marginLeft: 0,
          marginRight: 0,
          generateTaggedPDF: false,
        });
      }),
    );
    return overlayPages(printed, overlay);
  };
