import { setTimeout as pause } from 'node:timers/promises';
import type { FitHeaderFooter } from './header-footer/fit.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { emulateMedia, loadDocument, loadDocumentUntil, blockNavigation, setViewport } from './document/load.ts';
import { collectConsole } from './document/console.ts';
import { collectFonts } from './document/fonts-used.ts';
import type { BrowserInstance } from './browsers/instance.ts';
import { failPageOnAbort, type Page } from './browsers/page.ts';
import { trackRequests } from './document/network-idle.ts';
import { printPage } from './pdf/print.ts';
import { noHeaderFooterTemplates } from './pdf/parameters.ts';
import type { PrintResult, PrintRequest } from './print-request.ts';
import { renderModeOf } from './render-mode.ts';
import { trackResources } from './document/resources.ts';
import { enforceScriptLimits } from './document/script-limits.ts';
import { stabilise } from './document/stabilise.ts';

export type PrintDependencies = { fitHeaderFooter: FitHeaderFooter };
type PrintContext = PrintDependencies & {
  signal: AbortSignal;
  /** When the document was queued, by performance.now(). */ queuedAt: number;
};

/** How a document is printed: in which browser, through which queue, and with which steps. */
export type PrintStrategy = {
  browser: RenderMode;
  queue: 'reusable' | RenderMode;
  print(instance: BrowserInstance, request: PrintRequest, context: PrintContext): Promise<PrintResult>;
};

const hasHeaderFooter = ({ options }: PrintRequest) => options.header_html !== null || options.footer_html !== null;

const printLoadedPage = async (
  page: Page,
  instance: BrowserInstance,
  request: PrintRequest,
  { queuedAt, fitHeaderFooter, signal }: PrintContext,
  started: number,
): Promise<PrintResult> => {
  const headerFooter = hasHeaderFooter(request)
    ? await fitHeaderFooter(page, request, signal)
    : noHeaderFooterTemplates;
  const loaded = performance.now();
  const { pdf, pages } = await printPage(page, request, headerFooter);
  const printed = performance.now();
  if (request.diagnostics) await collectFonts(page.session, request.diagnostics);
  return {
    pdf,
    pages,
    timings: { waitMs: started - queuedAt, loadMs: loaded - started, printMs: printed - loaded },
    warnings: [],
    browserVersion: instance.browser.version,
  };
};

const reusablePageStrategy: PrintStrategy = {
  browser: 'static',
  queue: 'reusable',
  print: async (instance, request, context) => {
    // Such a document does not change while it waits, so it waits before it takes a page.
    if (request.options.wait_time > 0) await pause(request.options.wait_time, undefined, { signal: context.signal });
    return instance.withReusablePage((page) =>
      failPageOnAbort(page, context.signal, async () => {
        const started = performance.now();
        await emulateMedia(page, request.options.emulate_media);
        await loadDocument(page, request.html);
        if (request.classification.needsStabilising) await stabilise(page.session);
        return printLoadedPage(page, instance, request, context, started);
      }),
    );
  },
};

const printInSingleUsePage =
  (scripts: 'on' | 'off'): PrintStrategy['print'] =>
  (instance, request, context) =>
    instance.withSingleUsePage({ scripts, network: request.classification.external ? 'proxy' : 'none' }, (page) =>
      failPageOnAbort(page, context.signal, () =>
        Promise.race([page.failed, loadAndPrint(page, instance, request, context, scripts)]),
      ),
    );

const loadAndPrint = async (
  page: Page,
  instance: BrowserInstance,
  request: PrintRequest,
  context: PrintContext,
  scripts: 'on' | 'off',
): Promise<PrintResult> => {
  const {
    options,
    limits,
    classification: { external },
  } = request;
  const started = performance.now();
  page.proxy?.assignAccount(request.group ?? '');
  // Without scripts and network, nothing is fetched after the load event.
  const mayFetchLate = external || scripts === 'on';
  if (request.diagnostics) await collectConsole(page.session, request.diagnostics);
  const [resourceTracker, requestTracker] = await Promise.all([
    external ? trackResources(page.session, page.proxy?.url) : undefined,
    options.wait_for === 'networkidle' && mayFetchLate ? trackRequests(page.session) : undefined,
    emulateMedia(page, options.emulate_media),
    blockNavigation(page),
    scripts === 'on' ? setViewport(page, options) : undefined,
  ]);
  const stopScriptLimits =
    scripts === 'on'
      ? await enforceScriptLimits(page, { scriptMs: limits.scriptMs, heapMb: instance.browser.memory.heapLimitMb })
      : undefined;
  try {
    await loadDocumentUntil(page, request.html, options.wait_for === 'domcontentloaded' ? 'DOMContentLoaded' : 'load');
    await requestTracker?.waitForIdle(context.signal);
    if (options.wait_time > 0) await pause(options.wait_time, undefined, { signal: context.signal });
    await stabilise(page.session, options.wait_for === 'domcontentloaded' ? 'skip' : 'wait');
    const warnings = (await resourceTracker?.checkFailures()) ?? [];
    return { ...(await printLoadedPage(page, instance, request, context, started)), warnings };
  } finally {
    stopScriptLimits?.();
  }
};

const strategies: Record<RenderMode, PrintStrategy> = {
  static: { browser: 'static', queue: 'static', print: printInSingleUsePage('off') },
  scripted: { browser: 'scripted', queue: 'scripted', print: printInSingleUsePage('on') },
  animated: { browser: 'animated', queue: 'animated', print: printInSingleUsePage('on') },
};

export const strategyFor = (request: PrintRequest): PrintStrategy => {
  const { classification, diagnostics } = request;
  const renderMode = renderModeOf(request);
  const isReusable = !classification.external && !diagnostics && !classification.leavesPageState;
  return renderMode === 'static' && isReusable ? reusablePageStrategy : strategies[renderMode];
};
