import { formatPageNumber } from '#contracts/http/page-numbers.ts';
import type { Composition } from '#contracts/events/composition.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import { type ContentsEntry, contentsHtml, contentsTitle } from '#libs/pdf/compose/contents-html.ts';
import type { PartHeadings } from '#libs/pdf/compose/read-headings.ts';
import { printWithinDeadline } from '../deadline.ts';
import { resolveOptions } from '../render-pdf.ts';
import type { Composing } from './make-parts.ts';

type ContentsToPrint = {
  contents: NonNullable<Composition['contents']>;
  headings: readonly PartHeadings[];
  isListed: (part: number) => boolean;
  /** The number of the first page of each part, if the table of contents has this many pages. */
  firstPages: (contentsPages: number) => number[];
};

const maxEntries = 5000;
/** More pages can move a part behind a blank page, so that the pages change once more. */
const maxAttempts = 5;

/** The number that a page shows: that of the option `page_numbers`, else the number of the page from 1. */
const shownNumber = (
  { page_numbers: numbers }: Composing['options'],
  firstPage: number,
  indexInPart: number,
): string =>
  numbers
    ? formatPageNumber(numbers.start + indexInPart + (numbers.restart_by_part ? 0 : firstPage - 1), numbers.style)
    : String(firstPage + indexInPart);

const entriesOf = (
  { headings, isListed }: ContentsToPrint,
  firstPages: readonly number[],
  options: Composing['options'],
): ContentsEntry[] =>
  headings.flatMap(({ title, headings: own }, part) =>
    isListed(part)
      ? [
          { text: title, level: 0, page: shownNumber(options, firstPages[part]!, 0), link: `part:${part}` },
          ...own.map(({ text, level, page, index }) => ({
            text,
            level,
            page: shownNumber(options, firstPages[part]!, page),
            link: `part:${part}#heading=${index}`,
          })),
        ]
      : [],
  );

const tooManyEntries = (entries: number): ApiError =>
  ApiError.of(
    'conversion_failed',
    `The table of contents would have ${entries} lines; ${maxEntries} are allowed. Ask for fewer levels with contents.depth.`,
    { details: { entries, limit: maxEntries } },
  );

/** Prints the table of contents again until its page numbers are right: its own length moves the pages after it. */
export const printContents = async (
  {
    dependencies: { printer },
    requested,
    requestedAt,
    options: whole,
    page,
    isTagged,
    elapsed,
    renderOptions,
  }: Composing,
  toPrint: ContentsToPrint,
): Promise<{ pdf: Uint8Array; pages: number; title: string }> => {
  const { limits, accountDefaults } = requested;
  const { contents, headings, firstPages } = toPrint;
  const options = { ...page, ...(isTagged && { tagged: true }) };
  const language =
    contents.language ??
    options.locale ??
    headings.find((part) => part.language)?.language ??
    accountDefaults?.locale ??
    'en';
  const title = contents.title ?? contentsTitle(language);
  const {
    page_ranges: _ranges,
    wait_for_selector: _selector,
    css_page: _css,
    ...resolved
  } = resolveOptions(options, {}, accountDefaults);
  let pages = 1;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const entries = entriesOf(toPrint, firstPages(pages), whole);
    if (entries.length > maxEntries) throw tooManyEntries(entries.length);
    const request = {
      // Only those of the parts are of interest.
      diagnostics: undefined,
      html: contentsHtml(title, language, entries),
      classification: scriptFreeClassification,
      options: { ...resolved, prefer_css_page_size: false },
      requestedAt,
      isolated: renderOptions.isolated === true,
    };
    const printed = await printWithinDeadline(printer, requested, elapsed, request, limits.maxPages);
    if (printed.pages === pages) return { pdf: printed.pdf, pages, title };
    pages = printed.pages;
  }
  throw new Error(`The table of contents has ${pages} pages, but another number each time it is printed.`);
};
