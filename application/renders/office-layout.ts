import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { type PageRange, parsePageRanges } from '#contracts/http/page-ranges.ts';
import { isOfficeInputType } from '#contracts/http/office-types.ts';
import { printOptionNames } from '#contracts/http/print-option-names.ts';
import type { NamedRenderOptions, RenderOptions } from '#contracts/http/render-options.ts';
import type { PrintResult } from '#libs/chromium/printer.ts';
import { noPagesInRangesError, requirePages } from '#libs/chromium/pdf/page-errors.ts';
import type { OfficeDocument, PreparedDocument } from '#libs/documents/prepared-document.ts';
import { pagesOf } from '#libs/office/pages.ts';
import type { Office, OfficeFormat, OfficeRequest, OfficeResult } from '#libs/office/port.ts';
import { countUnprintedEmoji } from '#libs/office/unprinted-emoji.ts';

type RequestedData = EventData['RenderRequested'];

/**
 * Whether LibreOffice lays an input out. A docx falls back to the semantic layout where there is no LibreOffice, unless
 * the request names the layout.
 * @throws ApiError office_not_installed
 */
export const chooseLayout = (
  office: Office | undefined,
  inputType: string,
  { docx_layout: named }: NamedRenderOptions,
): { isLaidOutByOffice: boolean; warnings: RenderWarning[] } => {
  const semantic = { isLaidOutByOffice: false, warnings: [] };
  if (!isOfficeInputType(inputType)) return semantic;
  if (inputType === 'docx' && named === 'semantic') return semantic;
  const reason = office ? office.missing() : 'LibreOffice is not installed.';
  if (reason === null) return { isLaidOutByOffice: true, warnings: [] };
  if (inputType === 'docx' && named === undefined)
    return { ...semantic, warnings: [{ kind: 'layout_fallback', reason }] };
  throw ApiError.of(
    'office_not_installed',
    `The ${inputType.toUpperCase()} cannot be laid out as its office program does. ${reason}`,
    { details: { input_type: inputType } },
  );
};

/** Options that say how HTML is printed. An office document has its own pages. */
const optionsOfHtml = [...printOptionNames, 'wait_for_selector'] as const;

const ignoredOptions = (named: NamedRenderOptions, format: OfficeFormat): RenderWarning[] => {
  const hint = format === 'docx' ? ' docx_layout semantic uses it.' : '';
  const ownPages = `LibreOffice lays the ${format} out with the pages that the document has.${hint}`;
  const ignored: [option: string, reason: string][] = optionsOfHtml
    .filter((name) => named[name] !== undefined && named[name] !== null)
    .map((name) => [name, ownPages]);
  if (format !== 'docx' && named.docx_layout !== undefined)
    ignored.push(['docx_layout', `The document is not a docx, but ${format}.`]);
  if (format !== 'xlsx' && named.one_page_per_sheet)
    ignored.push(['one_page_per_sheet', 'The document is not an xlsx.']);
  return ignored.map(([option, reason]) => ({ kind: 'option_ignored', option, reason }));
};

const unprintedEmoji = (pdf: Buffer): RenderWarning[] => {
  const count = countUnprintedEmoji(pdf);
  const content = 'different characters in an emoji font, which LibreOffice prints from version 7.5 on';
  return count === 0 ? [] : [{ kind: 'content_left_out', content, count }];
};

/**
 * Ranges as LibreOffice takes them, such as `1-3,5,8-`: in order, each page once. It gives those of the pages that the
 * document has. Undefined for all pages.
 */
const rangesOf = (ranges: string): string | undefined => {
  const merged: PageRange[] = [];
  for (const range of parsePageRanges(ranges).toSorted((one, other) => one.first - other.first)) {
    const before = merged.at(-1);
    if (before && range.first <= before.last + 1) before.last = Math.max(before.last, range.last);
    else merged.push({ ...range });
  }
  if (merged[0]?.first === 1 && merged[0].last === Infinity) return undefined;
  return merged
    .map(({ first, last }) => (first === last ? String(first) : `${first}-${last === Infinity ? '' : last}`))
    .join(',');
};

const hasPagesIn = (ranges: string, total: number): boolean =>
  parsePageRanges(ranges).some(({ first }) => first <= total);

/** The name of the uploaded file without its extension; empty if it has none. */
const fileNameOf = ({ source }: RequestedData): string =>
  ((source.mode === 'CONVERT' ? source.upload?.fileName : null) ?? '').replace(/\.[^.]*$/, '').trim();

/** A name that fields of the document may show. */
const titleOf = (fileName: string): string => {
  const name = fileName.replace(/[^\p{L}\p{N} _.,()-]/gu, '_');
  return name.slice(0, 60).replace(/^[. ]+|[. ]+$/g, '') || 'document';
};

/** The title of an office document whose properties have none. */
export const fallbackTitleOf = (requested: RequestedData): string => fileNameOf(requested) || 'Document';

/** A document for LibreOffice, with LibreOffice. */
type LoadedOffice = { office: Office; document: OfficeDocument };

export type OfficePrint = {
  requested: RequestedData;
  named: NamedRenderOptions;
  options: RenderOptions;
  requestedAt: Date;
  isolated: boolean;
  limits: { processingMs: number; waitTimeoutMs: number };
};

/** Prints an office document with LibreOffice: what the printer does for HTML. @throws ApiError */
export const printOffice = async ({ office, document }: LoadedOffice, print: OfficePrint): Promise<PrintResult> => {
  const { requested, named, options, requestedAt, isolated, limits } = print;
  // A standard for accessible PDFs needs the structure of the document.
  const tagged = options.tagged || options.conformance !== undefined;
  const request: OfficeRequest = {
    ...document,
    title: titleOf(fileNameOf(requested)),
    group: requested.accountId,
    isolated,
    tagged,
    outline: options.outline,
    requestedAt,
    limits,
  };
  const { pdf, timings, version: engine } = await convertPages(office, request, options.page_ranges);
  const pages = await pagesOf(pdf);
  requirePages(pages, requested.limits.maxPages);
  const warnings = [...unprintedEmoji(pdf), ...ignoredOptions(named, document.format)];
  return { pdf, pages, timings, engine, warnings };
};

/** The reasons that LibreOffice gives if a document has none of the pages. A workbook "cannot be read" then. */
const reasonsOfNoPages = new Set(['cannot be printed', 'cannot be read']);

const mayLackPages = ({ fields: { extra } }: ApiError): boolean =>
  reasonsOfNoPages.has((extra['details'] as { reason?: string } | undefined)?.reason ?? '');

/**
 * Converts only the pages of `page_ranges`. LibreOffice fails if the document has none of them; the document is then
 * converted as a whole, to say how many pages it has. @throws ApiError
 */
const convertPages = async (
  office: Office,
  request: OfficeRequest,
  ranges: string | undefined,
): Promise<OfficeResult> => {
  const pageRanges = ranges === undefined ? undefined : rangesOf(ranges);
  if (ranges === undefined || pageRanges === undefined) return office.convert(request);
  const startedAt = performance.now();
  try {
    return await office.convert({ ...request, pageRanges });
  } catch (error) {
    if (!(error instanceof ApiError) || !mayLackPages(error)) throw error;
    const processingMs = Math.max(0, request.limits.processingMs - (performance.now() - startedAt));
    const whole = await office.convert({ ...request, limits: { ...request.limits, processingMs } });
    const total = await pagesOf(whole.pdf);
    throw hasPagesIn(ranges, total) ? error : noPagesInRangesError(ranges, total);
  }
};

/** The office document of a prepared one, with its engine; null for HTML. */
export const officeOf = (office: Office | undefined, prepared: PreparedDocument): LoadedOffice | null =>
  prepared.office && office ? { office, document: prepared.office } : null;
