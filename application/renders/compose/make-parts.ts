import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Composition, RecordedPart } from '#contracts/events/composition.ts';
import { ApiError, maxListedViolations } from '#contracts/http/api-error.ts';
import type { NamedRenderOptions, RenderOptions } from '#contracts/http/render-options.ts';
import type { Standards } from '#libs/pdf/catalog.ts';
import { errorInPart } from '#libs/pdf/compose/errors.ts';
import { fromRecordedPdf } from './recorded-parts.ts';
import { type ElapsedTimes, runWithinDeadline } from '../deadline.ts';
import type { RenderRequestedData } from '../load-inputs.ts';
import { type RenderedPdf, renderPdf, type RenderPdfDependencies, type RenderPdfOptions } from '../render-pdf.ts';

export type ComposedRequest = RenderRequestedData & { source: { mode: 'COMPOSE' } };

/** A composed document that is being made. */
export type Composing = {
  dependencies: RenderPdfDependencies;
  requested: ComposedRequest;
  requestedAt: Date;
  renderOptions: RenderPdfOptions;
  composition: Composition;
  /** All options of the whole document, and those of them that it names and that belong to pages. */
  options: RenderOptions;
  page: NamedRenderOptions;
  standards: Standards | null;
  isTagged: boolean;
  /** Whether the parts need an outline of their own, for that of the whole document or the table of contents. */
  needsOutline: boolean;
  /** Where the PDFs of the parts lie. */
  folder: string;
  /** What the parts together have used of the limits. */
  elapsed: ElapsedTimes;
};

/** A part that is made: its PDF lies in a file. `rendered` is null for an existing PDF, and has no bytes. */
export type MadePart = {
  file: string;
  pages: number;
  namesLanguage: boolean;
  rendered: RenderedPdf | null;
};

/** How errors and warnings name a part, by its index from 0. */
export const originOf = (index: number): string => `parts[${index}]`;

export const tooManyPages = (pages: number, limit: number): ApiError =>
  ApiError.of('conversion_failed', `The composed document has ${pages} pages or more; ${limit} are allowed.`, {
    details: { pages, limit },
  });

/**
 * Refuses existing PDFs in a document with conformance, before any part is made: their fonts and structure are unknown.
 * @throws ApiError conformance_not_met, which names all of them
 */
const requireNoExistingPdfs = ({ composition: { parts }, standards }: Composing): void => {
  const existing = standards
    ? parts.flatMap(({ source }, index) => (source.mode === 'PDF' ? [originOf(index)] : []))
    : [];
  if (existing.length === 0) return;
  throw ApiError.from({
    name: 'conformance_not_met',
    message:
      `${existing[0]}: An existing PDF cannot be part of a document with conformance, even if it is PDF/A itself. Leave out ` +
      'conformance and factur_x, or send what the PDF was made of, or add the PDF as an attachment.',
    extra: {
      violations: existing.slice(0, maxListedViolations).map((origin) => ({
        standard: 'ISO 19005, ISO 14289',
        element: `${origin}: Document`,
        message: 'Send what the PDF was made of instead of the PDF, or add it as an attachment.',
      })),
      total_violations: existing.length,
      part: existing[0],
    },
  });
};

const importExisting = async (
  { dependencies, requested, elapsed }: Composing,
  { sha256 }: { sha256: string },
  pageRanges: string | null,
  maxPages: number | null,
  file: string,
): Promise<MadePart> => {
  const pdf = fromRecordedPdf(await dependencies.blobs.get(sha256));
  const { pages } = await runWithinDeadline(requested, elapsed, (options) =>
    dependencies.preparation.importPart({ pdf, limits: { maxPages }, pageRanges, file }, options),
  );
  return { file, pages, namesLanguage: true, rendered: null };
};

/** Makes a part like a render of its own, with what is left of the limits, and writes its PDF into a file. */
const makePart = async (
  composing: Composing,
  { source, options, headerFooter }: RecordedPart,
  maxPages: number | null,
  file: string,
): Promise<MadePart> => {
  if (source.mode === 'PDF')
    return importExisting(composing, source.input, options.page_ranges ?? null, maxPages, file);
  const { dependencies, requested, requestedAt, renderOptions, elapsed, isTagged, needsOutline, standards } = composing;
  const { limits, largeOptions: _large, encryption: _encryption, ...rest } = requested;
  const rendered = await renderPdf(
    dependencies,
    {
      ...rest,
      source,
      headerFooter,
      options: { ...options, ...(isTagged && { tagged: true }), ...(needsOutline && { outline: true }) },
      limits: { ...limits, processingMs: Math.max(0, limits.processingMs - elapsed.workedMs) },
    },
    requestedAt,
    { ...renderOptions, isForPdfUa: standards?.isPdfUa === true },
  );
  const { waitMs, prepareMs, loadMs, printMs, finishMs = 0 } = rendered.durations;
  elapsed.waitedMs += waitMs;
  elapsed.workedMs += prepareMs + loadMs + printMs + finishMs;
  await writeFile(file, rendered.pdf, { mode: 0o600 });
  const { pages, namesLanguage } = rendered;
  return { file, pages, namesLanguage, rendered: { ...rendered, pdf: new Uint8Array() } };
};

/**
 * Makes the parts one after the other, so that the memory is that of one part, and other renders of the account take
 * their turns in between. @throws ApiError errors of a part name it
 */
export const makeParts = async (composing: Composing): Promise<MadePart[]> => {
  requireNoExistingPdfs(composing);
  const { composition, requested, folder } = composing;
  const { maxPages } = requested.limits;
  const made: MadePart[] = [];
  let pages = 0;
  for (const [index, part] of composition.parts.entries())
    try {
      const left = maxPages === null ? null : maxPages - pages;
      const one = await makePart(composing, part, left, join(folder, `${index}.pdf`));
      pages += one.pages;
      if (maxPages !== null && pages > maxPages) throw tooManyPages(pages, maxPages);
      made.push(one);
    } catch (error) {
      throw errorInPart(originOf(index), error);
    }
  return made;
};
