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

/** The same blob store with everything that the render is made from already read. @throws BlobMissing */
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

/** How long a render has waited for processes, and has been worked on by them. */
type ElapsedTimes = { waitedMs: number; workedMs: number };

/** Lets a task of the render run for what is left of its deadline, and wait for a process for what is left of as much time again. */
const runWithinDeadline = async <T>(
  { accountId, limits: { processingMs } }: RenderRequestedData,
  clock: ElapsedTimes,
  task: (terms: PreparationOptions) => Promise<T>,
): Promise<T> => {
  const asked = performance.now();
  let begun: number | null = null;
  try {
    return await task({
      timeoutMs: Math.max(0, processingMs - clock.workedMs),
      waitTimeoutMs: processingMs - clock.waitedMs,
      group: accountId,
      onStart: () => (begun = performance.now()),
    });
  } finally {
    clock.waitedMs += (begun ?? asked) - asked;
    clock.workedMs += performance.now() - (begun ?? asked);
  }
};

/** Reads what the document is made from, and answers with what makes it. */
const loadSource = async (
  { blobs, preparation }: RenderPdfDependencies,
  requested: RenderRequestedData,
): Promise<(terms: PreparationOptions) => Promise<PreparedDocument>> => {
  const {
    source,
    limits: { maxImages },
  } = requested;
  if (source.mode === 'CONVERT') {
    const data = await blobs.get(source.input.sha256);
    return (terms) => preparation.prepare({ inputType: source.inputType, data, maxImages }, terms);
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
  return (terms) =>
    preparation.prepareTemplate(
      { content, contentHash: source.content.sha256, data, variables, locale, timeZone, maxImages },
      terms,
    );
};

/** Up to so many characters bands are read in passing; larger ones would hold up everything else. */
const maxInlineCharacters = 8192;

const parseLargeHeaderFooter = async (
  { preparation }: RenderPdfDependencies,
  requested: RenderRequestedData,
  clock: ElapsedTimes,
  options: RenderOptions,
  requestedAt: Date,
): Promise<PrintRequest['headerFooterContents']> => {
  const { header_html, footer_html } = options;
  if ((header_html?.length ?? 0) + (footer_html?.length ?? 0) <= maxInlineCharacters) return undefined;
  return runWithinDeadline(requested, clock, (terms) =>
    preparation.parseHeaderFooter({ sources: { header_html, footer_html }, requestedAt }, terms),
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
  alone: boolean,
): Promise<RenderedPdf> => {
  const { limits } = requested;
  const [prepare, options] = await Promise.all([
    loadSource(dependencies, requested),
    readOptions(dependencies.blobs, requested),
  ]);
  // The time that the blobs take, and the wait for a process, is the service's own: no document is late for that.
  const clock: ElapsedTimes = { waitedMs: 0, workedMs: 0 };
  const prepared = await runWithinDeadline(requested, clock, prepare);
  const bands = await parseLargeHeaderFooter(dependencies, requested, clock, options, requestedAt);
  const { waitedMs, workedMs: prepareMs } = clock;
  const printed = await dependencies.printer.print({
    html: prepared.html,
    classification: prepared.classification,
    group: requested.accountId,
    isolated: alone,
    options,
    headerFooterContents: bands,
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

/** A step that runs out of time or room names its own limit; the error of the caller names the limit of the plan. */
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
 * Makes the PDF that a RenderRequested asks for: the same bytes each time, on the same engine.
 * The deadline of `limits.processingMs` counts the work alone: neither reading the input, nor waiting for a process or a browser, which may take as long again before
 * the render fails with service_unavailable. `requestedAt` becomes the PDF's date. `alone` gives the document a browser of its own.
 * @throws Problem for what the document itself is to blame for; BrowserGone, BlobMissing and others where another attempt may help.
 */
export const renderPdf = async (
  dependencies: RenderPdfDependencies,
  requested: RenderRequestedData,
  requestedAt: Date,
  alone = false,
): Promise<RenderedPdf> => {
  try {
    return await renderOnce(dependencies, requested, requestedAt, alone);
  } catch (error) {
    throw toPlanLimitError(error, requested.limits);
  }
};
