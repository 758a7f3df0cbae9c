import { readContent, readVariablesAndOptions } from '#application/templates/content.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef, RenderDurations } from '#contracts/events/render.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { PrintResult, Printer, PrintRequest } from '#libs/chromium/printer.ts';
import { renderModeOf } from '#libs/chromium/render-mode.ts';
import type {
  DocumentPreparation,
  PreparedDocument,
  PreparationOptions,
} from '#libs/documents/document-preparation.ts';
import { bytesToMb } from '#libs/sizes/sizes.ts';

const inputBlobs = ({ source, headerFooter }: RenderRequestedData): BlobRef[] => {
  const ofSource = source.mode === 'CONVERT' ? [source.input] : [source.content, source.settings, source.data];
  return [...ofSource, ...[headerFooter.header, headerFooter.footer].filter((ref) => ref !== null)];
};

/** The blob store with the inputs of the render already read. @throws BlobNotFound */
export const preloadInputs = async (blobs: BlobStore, requested: RenderRequestedData): Promise<BlobStore> => {
  const read = new Map(
    await Promise.all(inputBlobs(requested).map(async ({ sha256 }) => [sha256, await blobs.get(sha256)] as const)),
  );
  return { ...blobs, get: async (sha256) => read.get(sha256) ?? blobs.get(sha256) };
};

export type RenderRequestedData = EventData['RenderRequested'];

export type RenderedPdf = PrintResult & {
  renderMode: RenderMode;
  renderModeReason: string;
  durations: Pick<RenderDurations, 'prepareMs' | 'waitMs' | 'loadMs' | 'printMs'>;
};

export type RenderPdfDependencies = { blobs: BlobStore; preparation: DocumentPreparation; printer: Printer };

const readText = async (blobs: BlobStore, ref: { sha256: string } | null): Promise<string | null> =>
  ref && Buffer.from(await blobs.get(ref.sha256)).toString('utf8');

const readOptions = async (
  blobs: BlobStore,
  { options, headerFooter }: RenderRequestedData,
): Promise<RenderOptions> => ({
  ...options,
  header_html: await readText(blobs, headerFooter.header),
  footer_html: await readText(blobs, headerFooter.footer),
});

/** How long a render has waited for processes, and how long they have worked on it. */
type ElapsedTimes = { waitedMs: number; workedMs: number };

/** Runs a task within the remaining processing time. The wait for a process has the same limit of its own. */
const runWithinDeadline = async <T>(
  { accountId, limits: { processingMs } }: RenderRequestedData,
  elapsed: ElapsedTimes,
  task: (options: PreparationOptions) => Promise<T>,
): Promise<T> => {
  const submittedAt = performance.now();
  let startedAt: number | null = null;
  try {
    return await task({
      timeoutMs: Math.max(0, processingMs - elapsed.workedMs),
      waitTimeoutMs: processingMs - elapsed.waitedMs,
      group: accountId,
      onStart: () => (startedAt = performance.now()),
    });
  } finally {
    elapsed.waitedMs += (startedAt ?? submittedAt) - submittedAt;
    elapsed.workedMs += performance.now() - (startedAt ?? submittedAt);
  }
};

/** Reads the inputs. Returns a function that prepares the document. */
const loadSource = async (
  { blobs, preparation }: RenderPdfDependencies,
  requested: RenderRequestedData,
): Promise<(options: PreparationOptions) => Promise<PreparedDocument>> => {
  const {
    source,
    limits: { maxImages },
  } = requested;
  if (source.mode === 'CONVERT') {
    const data = await blobs.get(source.input.sha256);
    return (options) => preparation.prepare({ inputType: source.inputType, data, maxImages }, options);
  }
  const [content, settings, data] = await Promise.all([
    readContent(blobs, source),
    readVariablesAndOptions(blobs, source),
    blobs.get(source.data.sha256),
  ]);
  const {
    variables,
    default_options: { locale = 'en', time_zone: timeZone = 'UTC' },
  } = settings;
  return (options) =>
    preparation.prepareTemplate(
      { content, contentHash: source.content.sha256, data, variables, locale, timeZone, maxImages },
      options,
    );
};

/** Headers and footers up to this size are parsed in this process; larger ones would block the event loop. */
const maxInlineCharacters = 8192;

const parseLargeHeaderFooter = async (
  { preparation }: RenderPdfDependencies,
  requested: RenderRequestedData,
  elapsed: ElapsedTimes,
  options: RenderOptions,
  requestedAt: Date,
): Promise<PrintRequest['headerFooterContents']> => {
  const { header_html, footer_html } = options;
  if ((header_html?.length ?? 0) + (footer_html?.length ?? 0) <= maxInlineCharacters) return undefined;
  return runWithinDeadline(requested, elapsed, (limits) =>
    preparation.parseHeaderFooter({ sources: { header_html, footer_html }, requestedAt }, limits),
  );
};

const pdfTooLarge = (maxMb: number, generatedMb: number): ApiError =>
  ApiError.of('pdf_too_large', `The PDF has ${generatedMb} MB; the account's plan allows ${maxMb} MB.`, {
    max_size_mb: maxMb,
    generated_size_mb: generatedMb,
  });

const requirePdfSize = (pdf: Uint8Array, maxBytes: number | null): void => {
  if (maxBytes !== null && pdf.byteLength > maxBytes) throw pdfTooLarge(bytesToMb(maxBytes), bytesToMb(pdf.byteLength));
};

const renderOnce = async (
  dependencies: RenderPdfDependencies,
  requested: RenderRequestedData,
  requestedAt: Date,
  isolated: boolean,
): Promise<RenderedPdf> => {
  const { limits } = requested;
  const [prepare, options] = await Promise.all([
    loadSource(dependencies, requested),
    readOptions(dependencies.blobs, requested),
  ]);
  // Reading blobs and waiting for a process do not count toward the deadline of the document.
  const elapsed: ElapsedTimes = { waitedMs: 0, workedMs: 0 };
  const prepared = await runWithinDeadline(requested, elapsed, prepare);
  const headerFooterContents = await parseLargeHeaderFooter(dependencies, requested, elapsed, options, requestedAt);
  const { waitedMs, workedMs: prepareMs } = elapsed;
  const printed = await dependencies.printer.print({
    html: prepared.html,
    classification: prepared.classification,
    group: requested.accountId,
    isolated,
    options,
    headerFooterContents,
    requestedAt,
    limits: {
      processingMs: limits.processingMs - prepareMs,
      waitTimeoutMs: limits.processingMs - waitedMs,
      scriptMs: limits.scriptMs,
      maxPages: limits.maxPages,
    },
  });
  requirePdfSize(printed.pdf, limits.maxPdfBytes);
  return {
    ...printed,
    renderMode: renderModeOf({ classification: prepared.classification, options }),
    renderModeReason: prepared.classification.reason,
    durations: { ...printed.timings, prepareMs, waitMs: waitedMs + printed.timings.waitMs },
  };
};

/** Replaces the limit of a single step in an error with the limit of the plan. */
const toPlanLimitError = (error: unknown, { processingMs, maxPdfBytes }: RenderRequestedData['limits']): unknown => {
  if (!(error instanceof ApiError)) return error;
  const { name, extra } = error.fields;
  const seconds = processingMs / 1000;
  if (name === 'processing_timeout')
    return ApiError.of('processing_timeout', `The document could not be finished within ${seconds} s.`, {
      timeout_seconds: seconds,
    });
  if (name === 'pdf_too_large' && maxPdfBytes !== null)
    return pdfTooLarge(bytesToMb(maxPdfBytes), Number(extra['generated_size_mb']));
  return error;
};

/**
 * Renders the PDF of a RenderRequested event: always the same bytes with the same browser version.
 * `limits.processingMs` covers only the work; waits for processes and browsers have the same limit of their own, and
 * then fail with service_unavailable. `requestedAt` is the date of the PDF. `isolated` prints in an isolated browser.
 * @throws ApiError for errors of the document; BrowserGone, BlobNotFound and others if another attempt can help
 */
export const renderPdf = async (
  dependencies: RenderPdfDependencies,
  requested: RenderRequestedData,
  requestedAt: Date,
  isolated = false,
): Promise<RenderedPdf> => {
  try {
    return await renderOnce(dependencies, requested, requestedAt, isolated);
  } catch (error) {
    throw toPlanLimitError(error, requested.limits);
  }
};
