import type { RenderDurations, RenderEvent } from '#contracts/events/render.ts';
import { Problem } from '#contracts/http/problem.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Printed, Printer, PrintRequest } from '#libs/chromium/printer.ts';
import type { Preparation, Prepared, Terms } from '#libs/documents/preparation.ts';
import { inMb } from '#libs/sizes/sizes.ts';
import { readContent, readSettings } from '#libs/templates/body.ts';

export type Requested = Extract<RenderEvent, { type: 'RenderRequested' }>['data'];

export type Produced = Printed & {
  lane: Prepared['lane'];
  laneReason: string;
  durations: Pick<RenderDurations, 'prepareMs' | 'waitMs' | 'loadMs' | 'printMs'>;
};

export type Workshop = { blobs: BlobStore; preparation: Preparation; printer: Printer };

const textOf = async (blobs: BlobStore, ref: { sha256: string } | null): Promise<string | null> =>
  ref && Buffer.from(await blobs.get(ref.sha256)).toString('utf8');

const optionsOf = async (blobs: BlobStore, { options, bands }: Requested): Promise<RenderOptions> => ({
  ...options,
  header_html: await textOf(blobs, bands.header),
  footer_html: await textOf(blobs, bands.footer),
});

const termsOf = ({ accountId, limits }: Requested): Terms => ({ timeoutMs: limits.processingMs, group: accountId });

/** Reads what the document is made from, and answers with what makes it. */
const readSource = async ({ blobs, preparation }: Workshop, requested: Requested): Promise<() => Promise<Prepared>> => {
  const { source, limits: { maxImages } } = requested;
  const terms = termsOf(requested);
  if (source.mode === 'CONVERT') {
    const data = await blobs.get(source.input.sha256);
    return () => preparation.prepare({ inputType: source.inputType, data, maxImages }, terms);
  }
  const [content, settings, data] = await Promise.all([readContent(blobs, source), readSettings(blobs, source), blobs.get(source.data.sha256)]);
  const { variables, default_options: { locale = 'en', time_zone: timeZone = 'UTC' } } = settings;
  return () => preparation.prepareTemplate({ content, contentHash: source.content.sha256, data, variables, locale, timeZone, maxImages }, terms);
};

/** Up to so many characters bands are read in passing; larger ones would hold up everything else. */
const fewCharacters = 8192;

const largeBandsOf = async ({ preparation }: Workshop, requested: Requested, options: RenderOptions, requestedAt: Date): Promise<PrintRequest['bands']> => {
  const { header_html, footer_html } = options;
  if ((header_html?.length ?? 0) + (footer_html?.length ?? 0) <= fewCharacters) return undefined;
  return preparation.readBands({ sources: { header_html, footer_html }, requestedAt }, termsOf(requested));
};

/** Whether a band names anything outside; in doubt it does. */
const reachesOut = ({ header_html: header, footer_html: footer }: RenderOptions): boolean => /https?:/i.test(`${header} ${footer}`);

const tooLarge = (maxMb: number, generatedMb: number): Problem =>
  Problem.of('pdf_too_large', `The PDF has ${generatedMb} MB; the account's plan allows ${maxMb} MB.`, { max_size_mb: maxMb, generated_size_mb: generatedMb });

const refuseOversize = (pdf: Uint8Array, maxBytes: number | null): void => {
  if (maxBytes !== null && pdf.byteLength > maxBytes) throw tooLarge(inMb(maxBytes), inMb(pdf.byteLength));
};

const make = async (workshop: Workshop, requested: Requested, requestedAt: Date, alone: boolean): Promise<Produced> => {
  const { limits } = requested;
  const [prepare, options] = await Promise.all([readSource(workshop, requested), optionsOf(workshop.blobs, requested)]);
  // The time that the blobs take is the service's own: where their store is away for a while, no document is late for that.
  const start = performance.now();
  const prepared = await prepare();
  const bands = await largeBandsOf(workshop, requested, options, requestedAt);
  const prepareMs = performance.now() - start;
  const printed = await workshop.printer.print({
    html: prepared.html,
    lane: prepared.lane,
    external: prepared.external || reachesOut(options),
    group: requested.accountId,
    alone,
    options,
    bands,
    requestedAt,
    limits: { processingMs: limits.processingMs - prepareMs, scriptMs: limits.scriptMs, maxPages: limits.maxPages },
  });
  refuseOversize(printed.pdf, limits.maxPdfBytes);
  return { ...printed, lane: prepared.lane, laneReason: prepared.laneReason, durations: { prepareMs, ...printed.timings } };
};

/** A part that runs out of time or room knows what was left for it, or what is possible at all; the caller is told what the plan gives for the whole. */
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
 * The deadline of `limits.processingMs` begins when its input has been read. `requestedAt` becomes the PDF's date. `alone` gives the document a browser of its own.
 * @throws Problem for what the document itself is to blame for; BrowserGone, BlobMissing and others where another attempt may help.
 */
export const produce = async (workshop: Workshop, requested: Requested, requestedAt: Date, alone = false): Promise<Produced> => {
  try {
    return await make(workshop, requested, requestedAt, alone);
  } catch (error) {
    throw inTermsOfPlan(error, requested.limits);
  }
};
