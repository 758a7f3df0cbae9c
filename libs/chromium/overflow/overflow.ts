import { z } from 'zod';
import { overflowSides, type RenderWarning } from '#contracts/events/render-warnings.ts';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { Page } from '../browsers/page.ts';
import { evaluate } from '../document/evaluate.ts';
import { openPdfObjects, pagesOfDestinations } from '../pdf/objects.ts';
import {
  isSameViewport,
  printParameters,
  viewportFor,
  viewportMetrics,
  type HeaderFooterTemplates,
  type Viewport,
} from '../pdf/parameters.ts';
import { printToPdf } from '../pdf/print-to-pdf.ts';
import { readPrintedLayout, type PrintedLayout } from '../pdf/printed-layout.ts';
import type { PrintRequest } from '../print-request.ts';
import { markPrefix, searchExpression, lossCheckExpression, type Search } from './search-script.ts';

const maxFound = 20;
/** A smaller reduction is not visible. */
const maxUnreportedReduction = 0.015;
/**
 * The time limits of a script in the page, in milliseconds. The second is for documents that also take long to print. A
 * timeout means that lost content has no warning, so they are long enough for a busy machine.
 */
const [scriptTimeoutMs, maxScriptTimeoutMs] = [3_000, 6_000];
const searchTimeoutMs = 9_000;
/** Documents that print for longer are not printed again to find the pages. */
const maxReprintMs = 5_000;

const found = z.array(
  z.object({ element: z.string(), side: z.enum(overflowSides), by: z.number(), isFixed: z.boolean() }),
);
type Found = z.output<typeof found>[number];

/** Evaluates with this viewport. The commands are sent at once, without waiting for each other. */
const evaluateIn = async (
  page: Page,
  viewport: Viewport,
  expression: string,
  timeout = scriptTimeoutMs,
): Promise<unknown> => {
  // Each change of the viewport lays the document out again.
  if (isSameViewport(viewport, page.viewport)) return evaluate(page.session, expression, { timeout });
  const [, value] = await Promise.all([
    page.session.send('Emulation.setDeviceMetricsOverride', viewportMetrics(viewport)),
    evaluate(page.session, expression, { timeout }),
    page.session.send('Emulation.setDeviceMetricsOverride', viewportMetrics(page.viewport)),
  ]);
  return value;
};

/** Whether a document may have lost content; false if the page need not be checked. */
type LossCheck = false | Promise<boolean>;

/**
 * Checks quickly whether a document may lose content, and calls `print` at the same time: the commands are sent
 * together, without waiting for each other. In a page of the printed width, the check comes before the print, while
 * the layout is still that of the loaded document.
 */
export const printAndCheckForLoss = <T>(
  page: Page,
  { options, classification }: PrintRequest,
  print: () => Promise<T>,
): [printing: Promise<T>, lossCheck: LossCheck] => {
  const { scripts, waysToLoseContent: ways } = classification;
  if (ways === 'none') return [print(), false];
  const expression = lossCheckExpression(ways === 'other');
  const viewport = viewportFor(options, classification.pageRule);
  const isReady = isSameViewport(viewport, page.viewport) && !scripts;
  const before = isReady ? evaluate(page.session, expression, { timeout: scriptTimeoutMs }) : undefined;
  const printing = print();
  const value = before ?? evaluateIn(page, viewport, expression);
  return [printing, value.then((isLost) => isLost === true).catch(() => false)];
};

type Printed = { pdf: Buffer; templates: HeaderFooterTemplates; printMs: number; remainingMs: number };

const search = async (
  page: Page,
  { width, height }: Viewport,
  purpose: Search['purpose'],
  { printMs }: Printed,
): Promise<Found[]> => {
  const viewport = { width: Math.round(width), height: Math.round(height) };
  const expression = searchExpression({ ...viewport, maxFound, purpose });
  const timeoutMs = Math.min(maxScriptTimeoutMs, Math.max(scriptTimeoutMs, printMs / 4));
  return found.parse(await evaluateIn(page, viewport, expression, timeoutMs)).slice(0, maxFound);
};

/** Prints the document with its marks and finds the indexes of the pages with them, by the ids of the marks. */
const findPages = async (page: Page, { options }: PrintRequest, printed: Printed): Promise<Map<string, number>> => {
  if (printed.printMs > maxReprintMs || printed.printMs * 2 > printed.remainingMs) return new Map();
  const pdf = await printToPdf(page.session, printParameters(options, printed.templates));
  return pagesOfDestinations(openPdfObjects(pdf));
};

const shrinkFactor = ({ scale }: PrintedLayout, { options }: PrintRequest): number => scale / options.scale;

const isShrunk = (layout: PrintedLayout, request: PrintRequest): boolean =>
  shrinkFactor(layout, request) < 1 - maxUnreportedReduction;

/** The selector of the widest element; undefined if there is none. */
const findWidest = async (page: Page, request: PrintRequest, layout: PrintedLayout, printed: Printed) => {
  const factor = shrinkFactor(layout, request);
  const size = { width: layout.width * factor, height: layout.height * factor };
  const causes = await search(page, size, 'find widest', printed);
  return causes.filter(({ side }) => side === 'right').toSorted((a, b) => b.by - a.by)[0]?.element;
};

const findLost = async (
  page: Page,
  request: PrintRequest,
  layout: PrintedLayout | undefined,
  printed: Printed,
): Promise<RenderWarning[]> => {
  const { options, classification } = request;
  const size = layout ?? viewportFor(options, classification.pageRule);
  const lost = await search(page, size, 'mark lost content', printed);
  const pages = lost.some(({ isFixed }) => !isFixed)
    ? await findPages(page, request, printed)
    : new Map<string, number>();
  const scale = layout?.scale ?? options.scale;
  return lost.map(({ element, side, by, isFixed }, index) => {
    const pageIndex = isFixed ? 0 : pages.get(markPrefix + index);
    const overflowMm = Math.round(((by * scale) / 96) * 254) / 10;
    const place = { element, ...(pageIndex === undefined ? {} : { page: pageIndex + 1 }), side, overflowMm };
    return { kind: 'content_overflow', ...place };
  });
};

const isCutPicture = (warning: RenderWarning): boolean =>
  warning.kind === 'content_overflow' &&
  warning.side === 'right' &&
  /^(?:img|svg|canvas|object|embed)\b/.test(warning.element);

const contentShrunk = (factor: number, element?: string): RenderWarning => ({
  kind: 'content_shrunk',
  factor,
  ...(element === undefined ? {} : { element }),
});

/**
 * The warnings about content that is outside the printable area, or that was printed smaller to fit. Reads the PDF, and
 * searches the page only if there may be something to find. Never throws; after an error some warnings are missing. The
 * wait for the loss check and the search take at most 19 s each, and at most 40 % of the remaining time each. The page
 * must not be used for the document afterwards.
 */
export const findOverflow = async (
  page: Page,
  request: PrintRequest,
  lossCheck: LossCheck,
  printed: Printed,
): Promise<RenderWarning[]> => {
  const timeoutMs = Math.min(searchTimeoutMs + 2 * Math.min(printed.printMs, maxReprintMs), printed.remainingMs * 0.4);
  const warnings: RenderWarning[] = [];
  try {
    const { width } = viewportFor(request.options, request.classification.pageRule);
    const layout = readPrintedLayout(printed.pdf, request.options.scale, width);
    const shrunk = layout !== undefined && isShrunk(layout, request) ? layout : undefined;
    const factor = shrunk && Math.round(shrinkFactor(shrunk, request) * 1000) / 1000;
    const isAssumed = layout?.isAssumed === true;
    if (factor !== undefined && !isAssumed) warnings.push(contentShrunk(factor));
    const mayHaveLost = lossCheck && (await runWithTimeout(timeoutMs, () => lossCheck));
    if (!mayHaveLost && !shrunk) return [];
    await runWithTimeout(timeoutMs, async (signal) => {
      const element = shrunk && (await findWidest(page, request, shrunk, printed));
      const shrinking = factor === undefined ? [] : [contentShrunk(factor, element)];
      if (!isAssumed && element !== undefined && !signal.aborted) warnings.splice(0, 1, ...shrinking);
      const lost = await findLost(page, request, layout, printed);
      if (signal.aborted) return;
      // A document that cuts a picture on purpose is not printed smaller.
      if (isAssumed && lost.some(isCutPicture)) warnings.push(...shrinking);
      warnings.push(...lost);
    });
  } catch {
    // The page may still be busy.
    page.alive = false;
  }
  return warnings;
};
