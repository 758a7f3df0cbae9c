import type { RenderDurations } from '#contracts/events/render.ts';
import type { RenderAccountDefaults } from '#contracts/events/render-request.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { ErrorEntry, ErrorName } from '#contracts/http/errors.ts';
import { mergeMetadata } from '#contracts/http/pdf-metadata.ts';
import {
  mergeRenderOptions,
  type NamedRenderOptions,
  type RenderOptions,
  withDefaultOptions,
} from '#contracts/http/render-options.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import type { PrintResult, Printer, PrintRequest } from '#libs/chromium/printer.ts';
import { renderModeOf } from '#libs/chromium/render-mode.ts';
import type { PreparedHeaderFooter } from '#libs/documents/header-footer.ts';
import { bytesToMb } from '#libs/sizes/sizes.ts';
import { type ElapsedTimes, runWithinDeadline } from './deadline.ts';
import { finishPdf, type FinishDependencies, prepareInvoice } from './finish-pdf.ts';
import { ignoredPageRuleWarnings } from './ignored-page-rule.ts';
import { loadSource, readAssets, readNamedOptions, type RenderRequestedData } from './load-inputs.ts';
import { drawOutput } from './draw-output.ts';
import { maskPage } from './mask-page.ts';
import { fallbackTitleOf, officeOf, printOffice } from './office-layout.ts';
import type { PageSecrets } from './page-secrets.ts';
import { engineOf, type RenderedFiles } from './rendered-files.ts';
import { stampWarnings } from './print-stamps.ts';
import { allWarnings } from './all-warnings.ts';

export type RenderedPdf = PrintResult &
  RenderedFiles & {
    renderMode: RenderMode;
    renderModeReason: string;
    /** Whether the document names its language. */
    namesLanguage: boolean;
    durations: Pick<RenderDurations, 'prepareMs' | 'waitMs' | 'loadMs' | 'printMs' | 'finishMs'>;
  };

export type RenderPdfOptions = { isolated?: boolean; pageSecrets?: PageSecrets; isForPdfUa?: boolean };

export type RenderPdfDependencies = FinishDependencies;

/**
 * All options of a render: as named by the request or the template, else by the document, else the defaults. The time
 * zone can also be that of the account.
 */
export const resolveOptions = (
  named: NamedRenderOptions,
  ofDocument: NamedRenderOptions = {},
  { timeZone }: RenderAccountDefaults = {},
): RenderOptions => {
  const options = withDefaultOptions(mergeRenderOptions(ofDocument, named));
  return timeZone === undefined ? options : { ...options, time_zone: options.time_zone ?? timeZone };
};

/** Headers and footers up to this size are parsed in this process; larger ones would block the event loop. */
const maxInlineCharacters = 8192;

/** Parses header and footer in a process, if they are large or may use assets; undefined otherwise. */
const prepareHeaderFooter = async (
  { blobs, preparation }: RenderPdfDependencies,
  requested: RenderRequestedData,
  elapsed: ElapsedTimes,
  options: RenderOptions,
  requestedAt: Date,
): Promise<PreparedHeaderFooter | undefined> => {
  const { header_html, footer_html, time_zone } = options;
  const length = (header_html?.length ?? 0) + (footer_html?.length ?? 0);
  if (length === 0 || (length <= maxInlineCharacters && !requested.source.assets)) return undefined;
  const assets = await readAssets(blobs, requested.source);
  return runWithinDeadline(requested, elapsed, (limits) =>
    preparation.parseHeaderFooter({ sources: { header_html, footer_html, time_zone }, requestedAt, ...assets }, limits),
  );
};

const pdfTooLarge = (maxMb: number, generatedMb: number): ApiError =>
  ApiError.of('pdf_too_large', `The PDF has ${generatedMb} MB; the account's plan allows ${maxMb} MB.`, {
    max_size_mb: maxMb,
    generated_size_mb: generatedMb,
  });

/** Prints a page and masks what is recorded about it. */
const printMasked = async (printer: Printer, request: PrintRequest): Promise<PrintResult> => {
  if (!request.page) return printer.print(request);
  const mask = maskPage(request.page);
  const printed = await printer.print(request).catch((error: unknown) => {
    throw mask.error(error);
  });
  return {
    ...printed,
    warnings: printed.warnings.map(mask.warning),
    ...(printed.page ? { page: mask.loadedPage(printed.page) } : {}),
  };
};

const contentErrors = new Set<ErrorName>([
  'invalid_html',
  'invalid_markdown',
  'invalid_docx',
  'invalid_document',
  'conversion_failed',
]);

/** Gives the errors of the content of a CONVERT request the field that holds the content. */
const nameContentField =
  ({ source }: RenderRequestedData) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || source.mode !== 'CONVERT' || !contentErrors.has(error.fields.name)) throw error;
    const { extra } = error.fields;
    const field = { field: source.upload ? 'file' : 'data' };
    const { errors } = extra as { errors?: ErrorEntry[] };
    const listed = errors ? { errors: errors.map((entry) => ({ ...field, ...entry })) } : {};
    throw ApiError.from({ ...error.fields, extra: { ...field, ...extra, ...listed } }, error.cause);
  };

const renderOnce = async (
  dependencies: RenderPdfDependencies,
  requested: RenderRequestedData,
  requestedAt: Date,
  { isolated = false, pageSecrets, isForPdfUa = false }: RenderPdfOptions,
): Promise<RenderedPdf> => {
  const { limits } = requested;
  const [{ prepare, page, template = null }, named] = await Promise.all([
    loadSource(dependencies, requested, pageSecrets),
    readNamedOptions(dependencies.blobs, requested),
  ]);
  // Reading blobs and waiting for a process do not count toward the deadline of the document.
  const elapsed: ElapsedTimes = { waitedMs: 0, workedMs: 0 };
  const prepared = await runWithinDeadline(requested, elapsed, prepare).catch(nameContentField(requested));
  const options = resolveOptions(named, prepared.options, requested.accountDefaults);
  const invoice = await prepareInvoice(dependencies, requested, elapsed, options, template);
  const headerFooter = await prepareHeaderFooter(dependencies, requested, elapsed, options, requestedAt);
  const { waitedMs, workedMs: prepareMs } = elapsed;
  const left = {
    processingMs: limits.processingMs - prepareMs,
    waitTimeoutMs: Math.max(0, limits.processingMs - waitedMs),
  };
  const office = officeOf(dependencies.office, prepared);
  const printed = office
    ? await printOffice(office, { requested, named, options, requestedAt, isolated, limits: left }).catch(
        nameContentField(requested),
      )
    : await printMasked(dependencies.printer, {
        html: prepared.html,
        page,
        classification: prepared.classification,
        group: requested.accountId,
        isolated,
        isForPdfUa,
        options,
        headerFooterContents: headerFooter?.contents,
        requestedAt,
        limits: { ...left, scriptMs: limits.scriptMs, maxPages: limits.maxPages, maxImages: limits.maxImages },
      });
  elapsed.workedMs += printed.timings.loadMs + printed.timings.printMs;
  const { workedMs: workedUntilPrintedMs } = elapsed;
  const metadata = mergeMetadata(options.metadata, prepared.metadata);
  const pdf = await finishPdf(dependencies, requested, elapsed, {
    pdf: printed.pdf,
    metadata,
    fallbackTitle: office ? fallbackTitleOf(requested) : null,
    namesLanguage: prepared.lacksLanguage !== true,
    invoice,
    options,
    requestedAt,
    isolated,
  });
  const files = await drawOutput(dependencies, requested, elapsed, { pdf, options, requestedAt });
  if (limits.maxPdfBytes !== null && files.pdf.byteLength > limits.maxPdfBytes)
    throw pdfTooLarge(bytesToMb(limits.maxPdfBytes), bytesToMb(files.pdf.byteLength));
  return {
    ...printed,
    ...files,
    engine: engineOf(printed.engine, files),
    warnings: allWarnings(
      [
        ...ignoredPageRuleWarnings(prepared, mergeRenderOptions(prepared.options ?? {}, named), options),
        ...(prepared.warnings ?? []),
        ...printed.warnings,
        ...stampWarnings(options, printed.pages),
      ],
      prepared.assets,
      headerFooter?.assets,
    ),
    renderMode: renderModeOf({ classification: prepared.classification, options }),
    renderModeReason: prepared.classification.reason,
    namesLanguage: prepared.lacksLanguage !== true,
    durations: {
      ...printed.timings,
      prepareMs,
      waitMs: elapsed.waitedMs + printed.timings.waitMs,
      finishMs: elapsed.workedMs - workedUntilPrintedMs,
    },
  };
};

const timeoutAdvice = (source: RenderRequestedData['source']): string =>
  source.mode === 'CONVERT' && source.page
    ? 'Its server may be slow, or the page may never end loading: try it in a browser.'
    : 'Make it smaller, or split it: large images, long tables, and many pages as images take the most time.';

/** Replaces the limit of a single step in an error with the limit of the plan. */
export const toPlanLimitError = (error: unknown, { source, limits }: RenderRequestedData): unknown => {
  const { processingMs, maxPdfBytes } = limits;
  if (!(error instanceof ApiError)) return error;
  const { name, extra } = error.fields;
  const seconds = processingMs / 1000;
  if (name === 'processing_timeout')
    return ApiError.of(
      'processing_timeout',
      `The document could not be finished within ${seconds} s. ${timeoutAdvice(source)}`,
      { timeout_seconds: seconds },
    );
  if (name === 'pdf_too_large' && maxPdfBytes !== null)
    return pdfTooLarge(bytesToMb(maxPdfBytes), Number(extra['generated_size_mb']));
  return error;
};

/**
 * Renders the PDF of a RenderRequested event: always the same bytes with the same version of the browser and LibreOffice.
 * `limits.processingMs` covers only the work; waits for processes and browsers have the same limit of their own, and
 * then fail with service_unavailable. `requestedAt` is the date of the PDF. `isolated` prints in an isolated browser.
 * `pageSecrets` are the headers and cookies for a page; they are erased when the render has ended.
 * @throws ApiError for errors of the document; BrowserGone, BlobNotFound and others if another attempt can help
 */
export const renderPdf = async (
  dependencies: RenderPdfDependencies,
  requested: RenderRequestedData,
  requestedAt: Date,
  options: RenderPdfOptions = {},
): Promise<RenderedPdf> => {
  try {
    return await renderOnce(dependencies, requested, requestedAt, options);
  } catch (error) {
    throw toPlanLimitError(error, requested);
  }
};
