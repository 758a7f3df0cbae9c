import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '#contracts/http/api-error.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { FitContext, FitHeaderFooter } from './header-footer/fit.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { emulateMedia, loadDocument, blockNavigation, setViewport } from './document/load.ts';
import { collectConsole } from './document/console.ts';
import { evaluate, EvaluationFailed } from './document/evaluate.ts';
import { failedFontWarnings } from './document/failed-fonts.ts';
import { collectFonts, nameDefaultFont } from './document/fonts-used.ts';
import type { BrowserInstance } from './browsers/instance.ts';
import { failPageOnAbort, type Page } from './browsers/page.ts';
import { startNavigation } from './document/navigation.ts';
import { trackRequests } from './document/network-idle.ts';
import { readDocumentPages } from './document/page-rules.ts';
import { missingCharacterWarnings } from './pdf/missing-characters.ts';
import { printPage } from './pdf/print.ts';
import { noHeaderFooterTemplates } from './pdf/parameters.ts';
import { findOverflow, printAndCheckForLoss } from './overflow/overflow.ts';
import type { PrintResult, PrintRequest } from './print-request.ts';
import { renderModeOf } from './render-mode.ts';
import { trackStyleSheets } from './document/loaded-style-sheets.ts';
import { type PageOfUrl, trackResources } from './document/resources.ts';
import { enforceScriptLimits } from './document/script-limits.ts';
import { stabilise } from './document/stabilise.ts';
import { prepareForPdfUa } from './document/pdf-ua.ts';
import { waitForSelector } from './document/wait-for-selector.ts';

type PrintContext = FitContext & {
  fitHeaderFooter: FitHeaderFooter;
  /** When the document was queued, by performance.now(). */ queuedAt: number;
  /** When its processing time ends, by performance.now(). */ deadline: number;
};

/** How a document is printed: in which browser, through which queue, and with which steps. */
export type PrintStrategy = {
  browser: RenderMode;
  queue: 'reusable' | RenderMode;
  print(instance: BrowserInstance, request: PrintRequest, context: PrintContext): Promise<PrintResult>;
};

/** The result, and a function that searches the document for lost content and gives the warnings. */
type PrintedPage = { result: PrintResult; findLostContent: () => Promise<RenderWarning[]> };

const printLoadedPage = async (
  page: Page,
  instance: BrowserInstance,
  request: PrintRequest,
  { queuedAt, deadline, fitHeaderFooter, ...fitContext }: PrintContext,
  started: number,
): Promise<PrintedPage> => {
  await prepareForPdfUa(page.session, request);
  if (request.layoutExpression !== undefined) await evaluate(page.session, request.layoutExpression);
  const documentPages = await readDocumentPages(page.session, request.options);
  const headerFooter =
    request.options.header_html !== null || request.options.footer_html !== null
      ? await fitHeaderFooter(page, request, documentPages, fitContext)
      : noHeaderFooterTemplates;
  const loaded = performance.now();
  const [printing, lossCheck] = printAndCheckForLoss(page, request, () =>
    printPage(page, request, headerFooter, documentPages.geometry),
  );
  const { pdf, printed: browserPdf, pages } = await printing;
  const printed = performance.now();
  if (request.diagnostics) await collectFonts(page.session, request.diagnostics);
  const printMs = printed - loaded;
  return {
    result: {
      pdf,
      pages,
      timings: { waitMs: started - queuedAt, loadMs: loaded - started, printMs },
      warnings: [...headerFooter.warnings],
      engine: instance.browser.version,
    },
    findLostContent: async () => [
      ...(await missingCharacterWarnings(browserPdf, request)),
      ...(await findOverflow(page, request, lossCheck, {
        pdf: browserPdf,
        templates: headerFooter,
        printMs,
        remainingMs: deadline - performance.now(),
      })),
    ],
  };
};

const withWarnings = (warnings: RenderWarning[], { result, ...printed }: PrintedPage): PrintedPage => ({
  ...printed,
  result: { ...result, warnings: [...warnings, ...result.warnings] },
});

const withLostContent = async ({ result, findLostContent }: PrintedPage): Promise<PrintResult> => ({
  ...result,
  warnings: [...result.warnings, ...(await findLostContent())],
});

/** A page keeps much of the memory of a large document, and the next large one needs as much again: it is closed. */
const maxReusedCharacters = 1024 * 1024;

const reusablePageStrategy: PrintStrategy = {
  browser: 'static',
  queue: 'reusable',
  print: async (instance, request, context) => {
    // Such a document does not change while it waits, so it waits before it takes a page. It counts as loading, so that
    // the parts of a composed document cannot wait longer together than one document.
    const pauseStarted = performance.now();
    if (request.options.wait_time > 0) await pause(request.options.wait_time, undefined, { signal: context.signal });
    const pausedMs = performance.now() - pauseStarted;
    const isLast = request.html.length > maxReusedCharacters;
    return instance.withReusablePage(
      (page) =>
        failPageOnAbort(page, context.signal, async () => {
          const started = performance.now() - pausedMs;
          await emulateMedia(page, request.options.emulate_media);
          await loadDocument(page, request.html);
          if (request.classification.needsStabilising) await stabilise(page.session, request.options);
          const failed = await failedFontWarnings(page.session, request);
          return withLostContent(
            withWarnings(failed, await printLoadedPage(page, instance, request, context, started)),
          );
        }),
      { isLast },
    );
  },
};

const printInSingleUsePage =
  (scripts: 'on' | 'off'): PrintStrategy['print'] =>
  (instance, request, context) =>
    instance.withSingleUsePage({ scripts, network: request.classification.external ? 'proxy' : 'none' }, (page) =>
      failPageOnAbort(page, context.signal, async () =>
        // A page that fails after it was printed does not fail the render.
        withLostContent(await Promise.race([page.failed, loadAndPrint(page, instance, request, context, scripts)])),
      ).catch((error: unknown) => {
        throw scripts === 'on' && error instanceof EvaluationFailed ? changedFunctionsError(error) : error;
      }),
    );

const changedFunctionsError = ({ message }: EvaluationFailed): ApiError =>
  ApiError.of(
    'conversion_failed',
    `The loaded document could not be read: ${message}. A script of the document probably replaces a function of the ` +
      'browser, such as document.querySelectorAll, by one that behaves differently.',
    { details: { reason: 'changed_functions' } },
  );

/** How long before the end of the processing time the errors of single steps come. */
const deadlineMarginMs = 250;

const loadAndPrint = async (
  page: Page,
  instance: BrowserInstance,
  request: PrintRequest,
  context: PrintContext,
  scripts: 'on' | 'off',
): Promise<PrintedPage> => {
  const { options, limits, classification } = request;
  const started = performance.now();
  page.proxy?.assignAccount(request.group);
  // Without scripts and network, nothing is fetched after the load event.
  const mayFetchLate = classification.external || scripts === 'on';
  if (request.diagnostics) {
    await collectConsole(page.session, request.diagnostics);
    await nameDefaultFont(page.session);
  }
  const pageOfUrl: PageOfUrl | null = request.page
    ? { frameId: page.frameId, maxImages: limits.maxImages ?? null }
    : null;
  const onTooMany = (error: ApiError): void => page.fail(error);
  const styleSheets = classification.external && !request.page ? trackStyleSheets(page.session) : undefined;
  const [resourceTracker, requestTracker] = await Promise.all([
    classification.external ? trackResources(page.session, page.proxy?.url, onTooMany, pageOfUrl) : undefined,
    options.wait_for === 'networkidle' && mayFetchLate ? trackRequests(page.session) : undefined,
    emulateMedia(page, options.emulate_media),
    request.page ? undefined : blockNavigation(page),
    scripts === 'on' ? setViewport(page, request) : undefined,
  ]);
  const stopScriptLimits =
    scripts === 'on'
      ? await enforceScriptLimits(page, { scriptMs: limits.scriptMs, heapMb: instance.browser.memory.heapLimitMb })
      : undefined;
  try {
    const event = options.wait_for === 'domcontentloaded' ? 'DOMContentLoaded' : 'load';
    // The error of a missed deadline must come before that of the whole document.
    const deadline = context.deadline - deadlineMarginMs;
    const waitUntilReady = async (): Promise<void> => {
      await requestTracker?.waitForIdle(context.signal);
      if (options.wait_time > 0) await pause(options.wait_time, undefined, { signal: context.signal });
      if (options.wait_for_selector !== undefined)
        await waitForSelector(page.session, options.wait_for_selector, { ...context, scripts, deadline });
      await stabilise(page.session, options, event === 'load' ? 'wait' : 'skip');
    };
    const navigation = request.page && (await startNavigation(page, request.page, options.wait_time));
    if (!navigation) await loadDocument(page, request.html, event);
    await (navigation?.whileItStays({ ...context, event, deadline }, waitUntilReady) ?? waitUntilReady());
    const loadedPage = await navigation?.loadedPage();
    const failed = (await resourceTracker?.checkFailures()) ?? [];
    const failedFonts = await failedFontWarnings(page.session, request, failed);
    const ignored = (await styleSheets?.findIgnored(request.html, scripts)) ?? [];
    const { result, findLostContent } = await printLoadedPage(page, instance, request, context, started);
    return withWarnings([...failed, ...failedFonts, ...ignored], {
      result: { ...result, ...(loadedPage ? { page: loadedPage } : {}) },
      findLostContent,
    });
  } finally {
    stopScriptLimits?.();
  }
};

const strategies: Record<RenderMode, PrintStrategy> = {
  static: { browser: 'static', queue: 'static', print: printInSingleUsePage('off') },
  scripted: { browser: 'scripted', queue: 'scripted', print: printInSingleUsePage('on') },
  animated: { browser: 'animated', queue: 'animated', print: printInSingleUsePage('on') },
};

/**
 * Static documents that fetch nothing and leave nothing behind share reusable pages. Each other one has its own page.
 */
export const strategyFor = (request: PrintRequest): PrintStrategy => {
  const { classification, diagnostics, options } = request;
  const renderMode = renderModeOf(request);
  const isReusable =
    !classification.external &&
    !diagnostics &&
    !classification.leavesPageState &&
    options.wait_for_selector === undefined;
  return renderMode === 'static' && isReusable ? reusablePageStrategy : strategies[renderMode];
};
