import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '#contracts/http/api-error.ts';
import { pageOptionsOf } from '#contracts/http/compose.ts';
import type { RecordedPart } from '#contracts/events/composition.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { withTemporaryFolder } from '#libs/disk/temporary-folder.ts';
import type { PartFile } from '#libs/pdf/compose/compose-pdf.ts';
import type { PartHeadings } from '#libs/pdf/compose/read-headings.ts';
import { errorInPart } from '#libs/pdf/compose/errors.ts';
import { runWithinDeadline } from '../deadline.ts';
import { drawOutput } from '../draw-output.ts';
import { openEncryption } from '../encryption-secrets.ts';
import { filesOf, prepareInvoice, standardsOf } from '../finish-pdf.ts';
import { readComposition, readNamedOptions, type RenderRequestedData } from '../load-inputs.ts';
import {
  type RenderedPdf,
  type RenderPdfDependencies,
  type RenderPdfOptions,
  resolveOptions,
  toPlanLimitError,
} from '../render-pdf.ts';
import { engineOf } from '../rendered-files.ts';
import { arrangeParts } from './arrange-parts.ts';
import { printComposedStamps } from './print-composed-stamps.ts';
import { type ComposedRequest, type Composing, type MadePart, makeParts, originOf } from './make-parts.ts';
import { stampWarnings } from '../print-stamps.ts';

export const isComposed = (requested: RenderRequestedData): requested is ComposedRequest =>
  requested.source.mode === 'COMPOSE';

const renderModeRanks: Record<RenderMode, number> = { static: 0, scripted: 1, animated: 2 };

const ignoredReason = 'It is a default option of the template. In a composed document the request itself must have it.';

/** The warnings of the parts, each with its part, or the first of them. Pages are those of the composed document. */
const warningsOf = (
  { composition }: Composing,
  made: readonly MadePart[],
  placed: readonly PartFile[],
): RenderWarning[] => {
  const firstPages = new Map(placed.map(({ id, firstPage }) => [id, firstPage]));
  const unusedBy = new Map<string, number>();
  const features = new Set<string>();
  const warnings = made.flatMap(({ rendered }, index): RenderWarning[] => {
    const part = originOf(index);
    const before = (firstPages.get(String(index)) ?? 1) - 1;
    const ignored = composition.parts[index]!.ignoredOptions ?? [];
    return [
      ...ignored.map((option) => ({ kind: 'option_ignored' as const, part, option, reason: ignoredReason })),
      ...(rendered?.warnings ?? []).flatMap((warning): RenderWarning[] => {
        if (warning.kind === 'asset_unused') {
          unusedBy.set(warning.name, (unusedBy.get(warning.name) ?? 0) + 1);
          return [];
        }
        if (warning.kind === 'feature_ignored') {
          // Parts often have the same style sheet or footer, and only so many warnings are recorded.
          const isFirst = !features.has(warning.feature);
          features.add(warning.feature);
          return isFirst ? [{ ...warning, part }] : [];
        }
        if (warning.kind !== 'content_overflow' || warning.page === undefined) return [{ ...warning, part }];
        return [{ ...warning, part, page: warning.page + before }];
      }),
    ];
  });
  // All parts have the same assets.
  const partsWithAssets = made.filter(({ rendered }) => rendered !== null).length;
  const unused = [...unusedBy].filter(([, count]) => count === partsWithAssets);
  return [...warnings, ...unused.map(([name]) => ({ kind: 'asset_unused' as const, name }))];
};

/**
 * The warnings of all parts, the render mode of the part that needs most of the browser, and durations: `partsMs` is how
 * long the work on the parts took.
 */
const summaryOf = (
  composing: Composing,
  made: readonly MadePart[],
  placed: readonly PartFile[],
  partsMs: number,
): Omit<RenderedPdf, 'pdf' | 'pages'> => {
  const { elapsed } = composing;
  const rendered = made.flatMap((part, index) =>
    part.rendered ? [{ ...part.rendered, origin: originOf(index) }] : [],
  );
  const [most] = rendered.toSorted((one, other) => renderModeRanks[other.renderMode] - renderModeRanks[one.renderMode]);
  const sum = (key: keyof RenderedPdf['durations']): number =>
    rendered.reduce((total, { durations }) => total + (durations[key] ?? 0), 0);
  const [loadMs, printMs, ofParts] = [sum('loadMs'), sum('printMs'), sum('finishMs')];
  const durations = {
    // With the import of existing PDFs.
    prepareMs: partsMs - loadMs - printMs - ofParts,
    waitMs: elapsed.waitedMs,
    loadMs,
    printMs,
    finishMs: elapsed.workedMs - partsMs + ofParts,
  };
  return {
    warnings: warningsOf(composing, made, placed),
    renderMode: most?.renderMode ?? 'static',
    renderModeReason: most ? `${most.origin}: ${most.renderModeReason}` : 'existing PDFs',
    engine: most?.engine ?? 'none',
    namesLanguage: true,
    durations,
    timings: durations,
  };
};

/** Reads titles and headings, if anything shows them. */
const readHeadings = async (
  { dependencies, requested, elapsed, composition }: Composing,
  made: readonly MadePart[],
) => {
  const { parts, contents } = composition;
  const files = made.map(({ file }, index) => ({
    file,
    title: parts[index]!.title ?? null,
    fallback: fallbackOf(parts[index]!, index),
  }));
  const levels = contents ? (contents.depth ?? 2) - 1 : 0;
  return runWithinDeadline(requested, elapsed, (limits) =>
    dependencies.preparation.readHeadings({ parts: files, levels }, limits),
  );
};

/** The title in lists of a part that has none: its file without the extension, or its number. */
const fallbackOf = ({ source }: RecordedPart, index: number): string => {
  const fileName = 'upload' in source ? source.upload?.fileName : undefined;
  return (
    (fileName ?? '')
      .replace(/^.*[/\\]/, '')
      .replace(/(?<=.)\.[^.]*$/, '')
      .trim() || `${index + 1}`
  );
};

/** The whole document has the title of the first part with a title, which can be a cover. */
const titleOf = ({ parts }: Composing['composition'], headings: readonly PartHeadings[]): { title?: string } => {
  const title = headings.find((part, index) => part.title !== fallbackOf(parts[index]!, index))?.title;
  return title === undefined ? {} : { title };
};

const composeOnce = async (
  dependencies: RenderPdfDependencies,
  requested: ComposedRequest,
  requestedAt: Date,
  renderOptions: RenderPdfOptions,
): Promise<RenderedPdf> => {
  const [composition, named] = await Promise.all([
    readComposition(dependencies.blobs, requested.source),
    readNamedOptions(dependencies.blobs, requested),
  ]);
  const options = resolveOptions(named);
  const standards = standardsOf(options);
  return withTemporaryFolder('parts', async (folder) => {
    const composing: Composing = {
      dependencies,
      requested,
      requestedAt,
      renderOptions,
      composition,
      options,
      page: pageOptionsOf(named),
      standards,
      isTagged: options.tagged || options.outline || standards !== null,
      needsOutline: options.outline || (composition.contents !== null && composition.contents.depth !== 1),
      folder,
      elapsed: { waitedMs: 0, workedMs: 0 },
    };
    const invoice = await prepareInvoice(dependencies, requested, composing.elapsed, options, null);
    const made = await makeParts(composing);
    const { workedMs: partsMs } = composing.elapsed;
    const headings = await readHeadings(composing, made);
    const parts = await arrangeParts(composing, made, headings);
    const stamps = await printComposedStamps(composing, parts, headings);
    const encryption = await openEncryption(dependencies, requested);
    const output = join(folder, 'composed.pdf');
    const input = {
      parts,
      output,
      maxBytes: requested.limits.maxPdfBytes,
      hasOutline: options.outline,
      isTagged: composing.isTagged,
      metadata: { ...titleOf(composition, headings), ...options.metadata },
      standards,
      stamps,
      encryption,
      requestedAt: requestedAt.toISOString(),
      ...filesOf(options, invoice),
    };
    const { pages, brokenLinks } = await runWithinDeadline(requested, composing.elapsed, (limits) =>
      dependencies.preparation.composePdf(input, limits),
    );
    const pdf = await readFile(output);
    const files = await drawOutput(dependencies, requested, composing.elapsed, { pdf, options, requestedAt });
    const summary = summaryOf(composing, made, parts, partsMs);
    const broken = brokenLinks.map(({ part, link }) => ({
      kind: 'link_broken' as const,
      part: parts[part]!.origin,
      link,
    }));
    // There can be many of the last ones.
    const warnings = [...summary.warnings, ...stampWarnings(options, pages), ...broken];
    return { ...summary, ...files, warnings, engine: engineOf(summary.engine, files), pages };
  });
};

/**
 * Renders the parts of a composed document, each like a render of its own, and writes them into one PDF. Their PDFs lie in
 * a temporary folder; the memory is that of the largest part and of the finished PDF.
 * @throws like `renderPdf`; the errors of a part name it
 */
export const renderComposed = async (
  dependencies: RenderPdfDependencies,
  requested: ComposedRequest,
  requestedAt: Date,
  options: RenderPdfOptions = {},
): Promise<RenderedPdf> => {
  try {
    return await composeOnce(dependencies, requested, requestedAt, options);
  } catch (error) {
    const limited = toPlanLimitError(error, requested);
    if (limited === error || !(error instanceof ApiError)) throw error;
    const { part } = error.fields.extra;
    throw typeof part === 'string' ? errorInPart(part, limited) : limited;
  }
};
