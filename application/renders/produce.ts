import { readContent, readSettings } from '#application/templates/content.ts';
import type { EventData } from '#contracts/events/all.ts';
import type { BlobRef, RenderDurations } from '#contracts/events/render.ts';
import { Problem } from '#contracts/http/problem.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Printed, Printer, PrintRequest } from '#libs/chromium/printer.ts';
import type { Preparation, Prepared, Terms } from '#libs/documents/preparation.ts';
import { inMb } from '#libs/sizes/sizes.ts';

const inputsOf = ({ source, bands }: Requested): BlobRef[] => {
  const ofSource = source.mode === 'CONVERT' ? [source.input] : [source.content, source.settings, source.data];
  return [...ofSource, ...[bands.header, bands.footer].filter((ref) => ref !== null)];
};

/** The same blob store with everything that the render is made from already read. @throws BlobMissing */
export const withInputs = async (blobs: BlobStore, requested: Requested): Promise<BlobStore> => {
  const read = new Map(await Promise.all(inputsOf(requested).map(async ({ sha256 }) => [sha256, await blobs.get(sha256)] as const)));
  return { ...blobs, get: async (sha256) => read.get(sha256) ?? blobs.get(sha256) };
};

export type Requested = EventData['RenderRequested'];

export type Produced = Printed & {
  lane: 'quiet' | 'script';
  laneReason: string;
  durations: Pick<RenderDurations, 'prepareMs' | 'waitMs' | 'loadMs' | 'printMs'>;
};

/** The name under which the log and callers know how a document is rendered. */
export const laneOf = ({ scripts }: Prepared['classification']): Produced['lane'] => (scripts ? 'script' : 'quiet');

export type RenderDependencies = { blobs: BlobStore; preparation: Preparation; printer: Printer };

const textOf = async (blobs: BlobStore, ref: { sha256: string } | null): Promise<string | null> =>
  ref && Buffer.from(await blobs.get(ref.sha256)).toString('utf8');

const optionsOf = async (blobs: BlobStore, { options, bands }: Requested): Promise<RenderOptions> => ({
  ...options,
  header_html: await textOf(blobs, bands.header),
  footer_html: await textOf(blobs, bands.footer),
});

/** How long a render has waited for processes, and has been worked on by them. */
type Clock = { waitedMs: number; workedMs: number };

/** Lets a task of the render run for what is left of its deadline, and wait for a process for what is left of as much time again. */
const timed = async <T>({ accountId, limits: { processingMs } }: Requested, clock: Clock, task: (terms: Terms) => Promise<T>): Promise<T> => {
  const asked = performance.now();
  let begun: number | null = null;
  try {
    return await task({
      timeoutMs: Math.max(0, processingMs - clock.workedMs), waitMs: processingMs - clock.waitedMs, group: accountId,
      onBegin: () => (begun = performance.now()),
    });
  } finally {
    clock.waitedMs += (begun ?? asked) - asked;
    clock.workedMs += performance.now() - (begun ?? asked);
  }
};

/** Reads what the document is made from, and answers with what makes it. */
const readSource = async ({ blobs, preparation }: RenderDependencies, requested: Requested): Promise<(terms: Terms) => Promise<Prepared>> => {
  const { source, limits: { maxImages } } = requested;
  if (source.mode === 'CONVERT') {
    const data = await blobs.get(source.input.sha256);
    return (terms) => preparation.prepare({ inputType: source.inputType, data, maxImages }, terms);
  }
  const [content, settings, data] = await Promise.all([readContent(blobs, source), readSettings(blobs, source), blobs.get(source.data.sha256)]);
  const { variables, default_options: { locale = 'en', time_zone: timeZone = 'UTC' } } = settings;
  return (terms) => preparation.prepareTemplate({ content, contentHash: source.content.sha256, data, variables, locale, timeZone, maxImages }, terms);
};

/** Up to so many characters bands are read in passing; larger ones would hold up everything else. */
const fewCharacters = 8192;

const largeBandsOf = async ({ preparation }: RenderDependencies, requested: Requested, clock: Clock, options: RenderOptions, requestedAt: Date): Promise<PrintRequest['bands']> => {
  const { header_html, footer_html } = options;
  if ((header_html?.length ?? 0) + (footer_html?.length ?? 0) <= fewCharacters) return undefined;
  return timed(requested, clock, (terms) => preparation.readHeaderFooter({ sources: { header_html, footer_html }, requestedAt }, terms));
};

const tooLarge = (maxMb: number, generatedMb: number): Problem =>
  Problem.of('pdf_too_large', `The PDF has ${generatedMb} MB; the account's plan allows ${maxMb} MB.`, { max_size_mb: maxMb, generated_size_mb: generatedMb });

const refuseOversize = (pdf: Uint8Array, maxBytes: number | null): void => {
  if (maxBytes !== null && pdf.byteLength > maxBytes) throw tooLarge(inMb(maxBytes), inMb(pdf.byteLength));
};

const make = async (dependencies: RenderDependencies, requested: Requested, requestedAt: Date, alone: boolean): Promise<Produced> => {
  const { limits } = requested;
  const [prepare, options] = await Promise.all([readSource(dependencies, requested), optionsOf(dependencies.blobs, requested)]);
  // The time that the blobs take, and the wait for a process, is the service's own: no document is late for that.
  const clock: Clock = { waitedMs: 0, workedMs: 0 };
  const prepared = await timed(requested, clock, prepare);
  const bands = await largeBandsOf(dependencies, requested, clock, options, requestedAt);
  const { waitedMs, workedMs: prepareMs } = clock;
  const printed = await dependencies.printer.print({
    html: prepared.html,
    classification: prepared.classification,
    group: requested.accountId,
    alone,
    options,
    bands,
    requestedAt,
    limits: { processingMs: limits.processingMs - prepareMs, waitMs: limits.processingMs - waitedMs, scriptMs: limits.scriptMs, maxPages: limits.maxPages },
  });
  refuseOversize(printed.pdf, limits.maxPdfBytes);
  return { ...printed, lane: laneOf(prepared.classification), laneReason: prepared.classification.reason, durations: { ...printed.timings, prepareMs, waitMs: waitedMs + printed.timings.waitMs } };
};

/** A step that runs out of time or room names its own limit; the error of the caller names the limit of the plan. */
const inTermsOfPlan = (error: unknown, { processingMs, maxPdfBytes }: Requested['limits']): unknown => {
  if (!(error instanceof Problem)) return error;
  const { name, extra } = error.fault;
  const seconds = processingMs / 1000;
  if (name === 'processing_timeout') return Problem.of('processing_timeout', `The document could not be finished within ${seconds} s.`, { timeout_seconds: seconds });
  if (name === 'pdf_too_large' && maxPdfBytes !== null) return tooLarge(inMb(maxPdfBytes), Number(extra['generated_size_mb']));
  return error;
};

/**
 * Makes the PDF that a RenderRequested asks for: the same bytes each time, on the same engine.
 * The deadline of `limits.processingMs` counts the work alone: neither reading the input, nor waiting for a process or a browser, which may take as long again before
 * the render fails with service_unavailable. `requestedAt` becomes the PDF's date. `alone` gives the document a browser of its own.
 * @throws Problem for what the document itself is to blame for; BrowserGone, BlobMissing and others where another attempt may help.
 */
export const produce = async (dependencies: RenderDependencies, requested: Requested, requestedAt: Date, alone = false): Promise<Produced> => {
  try {
    return await make(dependencies, requested, requestedAt, alone);
  } catch (error) {
    throw inTermsOfPlan(error, requested.limits);
  }
};
