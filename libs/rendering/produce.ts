import type { RenderDurations, RenderEvent, RenderSource } from '#contracts/events/render.ts';
import { Problem } from '#contracts/http/problem.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Printed, Printer } from '#libs/chromium/printer.ts';
import type { Preparation, Prepared } from '#libs/documents/preparation.ts';
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

const prepare = async ({ blobs, preparation }: Workshop, source: RenderSource, { maxImages, processingMs }: Requested['limits']): Promise<Prepared> => {
  const options = { timeoutMs: processingMs };
  if (source.mode === 'CONVERT') return preparation.prepare({ inputType: source.inputType, data: await blobs.get(source.input.sha256), maxImages }, options);
  const [content, settings, data] = await Promise.all([readContent(blobs, source), readSettings(blobs, source), blobs.get(source.data.sha256)]);
  const { variables, default_options: { locale = 'en', time_zone: timeZone = 'UTC' } } = settings;
  return preparation.prepareTemplate({ content, contentHash: source.content.sha256, data, variables, locale, timeZone, maxImages }, options);
};

/** Whether a band names anything outside; in doubt it does. */
const reachesOut = ({ header_html: header, footer_html: footer }: RenderOptions): boolean => /https?:/i.test(`${header} ${footer}`);

const refuseOversize = (pdf: Uint8Array, maxBytes: number | null): void => {
  if (maxBytes === null || pdf.byteLength <= maxBytes) return;
  const sizes = { max_size_mb: inMb(maxBytes), generated_size_mb: inMb(pdf.byteLength) };
  throw Problem.of('pdf_too_large', `The PDF has ${sizes.generated_size_mb} MB; the account's plan allows ${sizes.max_size_mb} MB.`, sizes);
};

const make = async (workshop: Workshop, requested: Requested, requestedAt: Date, alone: boolean): Promise<Produced> => {
  const { limits } = requested;
  const start = performance.now();
  const [prepared, options] = await Promise.all([prepare(workshop, requested.source, limits), optionsOf(workshop.blobs, requested)]);
  const prepareMs = performance.now() - start;
  const printed = await workshop.printer.print({
    html: prepared.html,
    lane: prepared.lane,
    external: prepared.external || reachesOut(options),
    alone,
    options,
    requestedAt,
    limits: { processingMs: limits.processingMs - prepareMs, scriptMs: limits.scriptMs, maxPages: limits.maxPages },
  });
  refuseOversize(printed.pdf, limits.maxPdfBytes);
  return { ...printed, lane: prepared.lane, laneReason: prepared.laneReason, durations: { prepareMs, ...printed.timings } };
};

/** A part that runs out of time knows what was left for it; the caller is told what the plan gives for the whole. */
const inTermsOfPlan = (error: unknown, { processingMs }: Requested['limits']): unknown => {
  if (!(error instanceof Problem) || error.fault.name !== 'processing_timeout') return error;
  const seconds = processingMs / 1000;
  return Problem.of('processing_timeout', `The document could not be finished within ${seconds} s.`, { timeout_seconds: seconds });
};

/**
 * Makes the PDF that a RenderRequested asks for: the same bytes each time, on the same engine.
 * The deadline of `limits.processingMs` begins now. `requestedAt` becomes the PDF's date. `alone` gives the document a browser of its own.
 * @throws Problem for what the document itself is to blame for; BrowserGone, BlobMissing and others where another attempt may help.
 */
export const produce = async (workshop: Workshop, requested: Requested, requestedAt: Date, alone = false): Promise<Produced> => {
  try {
    return await make(workshop, requested, requestedAt, alone);
  } catch (error) {
    throw inTermsOfPlan(error, requested.limits);
  }
};
