import { availableParallelism, totalmem } from 'node:os';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { type FairQueue, openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { defaultSlowAfterMs } from '#libs/concurrency/permits.ts';
import { tooBusyError } from '#libs/concurrency/too-busy-error.ts';
import { BrowserGone } from './cdp/errors.ts';
import { refuseRefresh } from './document/load.ts';
import { type RenderMode, renderModes } from '#contracts/render-modes.ts';
import type { BrowserInstance } from './browsers/instance.ts';
import { memoryExceededError, MemoryExceededTogether } from './browsers/memory.ts';
import { type BrowsersOptions, openBrowsers } from './browsers/open-browsers.ts';
import { createHeaderFooterFitter } from './header-footer/fit.ts';
import { strategyFor, type PrintStrategy } from './print-strategies.ts';
import { emptyPrintDiagnostics, type PrintRequest, type PrintResult, type PrinterLogger } from './print-request.ts';
import { withProcessingTimeout } from './processing-timeout.ts';

export type { PrintResult, PrinterLogger, PrintRequest };

export type BrowserHealth = {
  renderMode: RenderMode;
  /** Whether it runs, or was not needed so far. */
  up: boolean;
  documents: number;
  running: number;
  waiting: number;
  starts: number;
  crashes: number;
  memoryMb: number;
  processGroup: number | null;
};

export type Printer = {
  /**
   * Prints beside other documents. One that exceeds the memory only together with them is printed again, alone, with the
   * same limits; its waiting time includes the first print.
   * @throws ApiError for an error of the document; BrowserGone if it should be tried again
   */
  print(request: PrintRequest): Promise<PrintResult>;
  ready(): boolean;
  health(): BrowserHealth[];
  /** Waits for running documents, then ends the browsers. */
  close(): Promise<void>;
};

export type PrinterOptions = Omit<BrowsersOptions, 'pagesPerBrowser' | 'memoryMb'> & {
  pagesPerBrowser?: number | undefined;
  memoryMb?: number | undefined;
};

/** The browser of a document, and the one that lays out its header and footer. */
type PrintBrowsers = { instance: BrowserInstance; staticInstance: () => Promise<BrowserInstance> };

/** When a document was queued, until when it may wait, and its error after that; times by performance.now(). */
type WaitDeadline = { queuedAt: number; deadline: number; timeoutError: () => Error };

/** One page more than cores keeps them busy while a page waits for the browser's processes; more pages do not help. */
const defaultPagesPerBrowser = () => Math.max(2, Math.min(16, availableParallelism() + 1));
const defaultMemoryMb = () => Math.min(2048, Math.floor(totalmem() / 2 ** 20 / 3));
/** About 64 MB for each page. */
const maxPagesPerBrowser = (pages: number, memoryMb: number) =>
  Math.max(pages * 2 + 2, Math.min(pages * 8, Math.floor(memoryMb / 64)));
const maxIsolatedBrowsers = 3;

/**
 * Starts the browser without scripts and resolves once it runs; the others start with the first document that needs them.
 * @throws with a remedy if the browser does not start
 */
export const openPrinter = async (options: PrinterOptions): Promise<Printer> => {
  const { pagesPerBrowser = defaultPagesPerBrowser(), memoryMb = defaultMemoryMb() } = options;
  const browsers = await openBrowsers({ ...options, pagesPerBrowser, memoryMb });
  const { shared, isolated } = browsers;
  const queueFor = (quick: number): FairQueue =>
    openFairQueue({
      maxQuick: quick,
      maxTotal: maxPagesPerBrowser(pagesPerBrowser, memoryMb),
      slowAfterMs: defaultSlowAfterMs,
    });
  const queues: Record<PrintStrategy['queue'], FairQueue> = {
    reusable: queueFor(pagesPerBrowser),
    static: queueFor(pagesPerBrowser * 2),
    scripted: queueFor(pagesPerBrowser),
    animated: queueFor(pagesPerBrowser),
  };
  const isolatedQueue = openFairQueue({ maxQuick: 1, maxTotal: maxIsolatedBrowsers, slowAfterMs: defaultSlowAfterMs });
  const fitHeaderFooter = createHeaderFooterFitter();
  const running = new Set<Promise<PrintResult>>();
  let closing = false;

  const print = (
    strategy: PrintStrategy,
    { instance, staticInstance }: PrintBrowsers,
    request: PrintRequest,
    queuedAt: number,
  ): Promise<PrintResult> => {
    const { processingMs } = request.limits;
    const deadline = performance.now() + processingMs;
    return withProcessingTimeout(processingMs, (signal) =>
      strategy.print(instance, request, { fitHeaderFooter, staticInstance, signal, queuedAt, deadline }),
    );
  };

  const printShared = async (
    strategy: PrintStrategy,
    request: PrintRequest,
    { queuedAt, deadline, timeoutError }: WaitDeadline,
  ): Promise<PrintResult> => {
    const supervisor = shared[strategy.browser];
    const instance: BrowserInstance = await runWithTimeout(deadline - performance.now(), () => supervisor.instance(), {
      createError: timeoutError,
    });
    try {
      const staticInstance = () => shared.static.instance();
      return await print(strategy, { instance, staticInstance }, request, queuedAt);
    } finally {
      supervisor.afterDocument(instance);
    }
  };

  const printIsolated = (
    strategy: PrintStrategy,
    request: PrintRequest,
    { queuedAt }: WaitDeadline,
  ): Promise<PrintResult> =>
    isolated
      .run(strategy.browser, (instance) => {
        const printWith = (layoutInstance: BrowserInstance) =>
          print(strategy, { instance, staticInstance: async () => layoutInstance }, request, queuedAt);
        const { header_html, footer_html } = request.options;
        const needsOther = strategy.browser !== 'static' && (header_html !== null || footer_html !== null);
        return needsOther ? isolated.run('static', printWith) : printWith(instance);
      })
      .catch((error: unknown) => {
        // All pages were those of the document.
        throw error instanceof MemoryExceededTogether ? memoryExceededError(error.limitMb) : error;
      });

  const healthOf = (renderMode: RenderMode): BrowserHealth => {
    const instance = shared[renderMode].current();
    const modeQueues = renderMode === 'static' ? [queues.reusable, queues.static] : [queues[renderMode]];
    const sum = (count: (queue: FairQueue) => number) => modeQueues.reduce((total, queue) => total + count(queue), 0);
    return {
      renderMode,
      up: !shared[renderMode].isDown(),
      documents: instance?.documents ?? 0,
      running: sum((queue) => queue.running()),
      waiting: sum((queue) => queue.waiting()),
      starts: shared[renderMode].starts(),
      crashes: shared[renderMode].crashes(),
      memoryMb: instance?.browser.memory.usedMb ?? 0,
      processGroup: instance?.browser.processGroup ?? null,
    };
  };

  return {
    print: async (request) => {
      if (closing) throw new BrowserGone('The printer is closing.');
      refuseRefresh(request);
      const strategy = strategyFor(request);
      const { waitTimeoutMs } = request.limits;
      const timeoutError = () => tooBusyError('No browser was free for the document', waitTimeoutMs);
      const queuedAt = performance.now();
      const printIn = (queue: FairQueue, printer: typeof printShared): Promise<PrintResult> => {
        const deadline = performance.now() + waitTimeoutMs;
        return queue.add(request.group, () => printer(strategy, request, { queuedAt, deadline, timeoutError }), {
          timeoutMs: waitTimeoutMs,
          createError: timeoutError,
        });
      };
      const printAlone = () => printIn(isolatedQueue, printIsolated);
      const printBesideOthers = () =>
        printIn(queues[strategy.queue], printShared).catch((error: unknown) => {
          if (!(error instanceof MemoryExceededTogether)) throw error;
          if (request.diagnostics) Object.assign(request.diagnostics, emptyPrintDiagnostics());
          return printAlone();
        });
      const printing = request.isolated ? printAlone() : printBesideOthers();
      running.add(printing);
      try {
        return await printing;
      } finally {
        running.delete(printing);
      }
    },
    ready: () => !closing && !browsers.areDown(),
    health: () => renderModes.map(healthOf),
    close: async () => {
      closing = true;
      await Promise.allSettled(running);
      await browsers.close();
    },
  };
};
