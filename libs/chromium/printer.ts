import { availableParallelism, totalmem } from 'node:os';
import PQueue from 'p-queue';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { type FairQueue, openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { defaultSlowAfterMs } from '#libs/concurrency/permits.ts';
import { tooBusyError } from '#libs/concurrency/too-busy-error.ts';
import { BrowserGone } from './cdp/errors.ts';
import { refuseRefresh } from './document/load.ts';
import { type RenderMode, renderModes } from '#contracts/render-modes.ts';
import {
  type BrowserInstance,
  openBrowserInstance,
  openIsolatedBrowsers,
  type OpenProxy,
} from './browsers/instance.ts';
import { createHeaderFooterFitter } from './header-footer/fit.ts';
import { strategyFor, type PrintStrategy } from './print-strategies.ts';
import type { PrintRequest, PrintResult, PrinterLogger } from './print-request.ts';
import { superviseBrowser, type Supervisor } from './browsers/supervisor.ts';
import { findCertutil } from './browsers/trusted-authorities.ts';
import { withProcessingTimeout } from './processing-timeout.ts';
import { startHealthChecks } from './browsers/health-checks.ts';

export type { PrintResult, PrinterLogger, PrintRequest };

export type BrowserHealth = {
  renderMode: RenderMode;
  /** Whether it runs, or was not needed so far. */
  up: boolean;
  version: string | null;
  documents: number;
  running: number;
  waiting: number;
  starts: number;
  crashes: number;
  memoryMb: number;
  processGroup: number | null;
};
export type PrinterHealth = { ready: boolean; browsers: BrowserHealth[] };

export type Printer = {
  /** @throws ApiError for an error of the document; BrowserGone if it should be tried again */
  print(request: PrintRequest): Promise<PrintResult>;
  ready(): boolean;
  health(): PrinterHealth;
  /** Waits for running documents, then ends the browsers. */
  close(): Promise<void>;
};

export type PrinterOptions = {
  executable: string;
  /** Opens the proxy of each document that may fetch; without it no document has network. */
  openProxy?: OpenProxy | undefined;
  caFile?: string | undefined;
  /** The number of documents printed at once in each browser; more while some are slow. */
  pagesPerBrowser?: number | undefined;
  /** The limit for all processes of one browser together. */
  memoryMb?: number | undefined;
  logger: PrinterLogger;
  /** For tests. */
  tuning?: Partial<PrinterTuning>;
};

type PrinterTuning = {
  documentsPerPage: number;
  documentsPerBrowser: number;
  memoryCheckIntervalMs: number;
  healthCheckIntervalMs: number;
  responseTimeoutMs: number;
};

const defaultTuning: PrinterTuning = {
  documentsPerPage: 1000,
  documentsPerBrowser: 20_000,
  memoryCheckIntervalMs: 500,
  healthCheckIntervalMs: 5000,
  responseTimeoutMs: 15_000,
};

/** The browser of a document, and the one that lays out its header and footer. */
type PrintBrowsers = { instance: BrowserInstance; staticInstance: () => Promise<BrowserInstance> };

/** When a document was queued, until when it may wait, and its error after that; times by performance.now(). */
type WaitDeadline = { queuedAt: number; deadline: number; timeoutError: () => Error };

/** One page more than cores keeps them busy while a page waits for the browser's processes; more pages do not help. */
const defaultPagesPerBrowser = () => Math.max(2, Math.min(16, availableParallelism() + 1));
/** About 64 MB for each page. */
const maxPagesPerBrowser = (pages: number, memoryMb: number) =>
  Math.max(pages * 2 + 2, Math.min(pages * 8, Math.floor(memoryMb / 64)));
const maxIsolatedBrowsers = 3;

/**
 * Starts the browser without scripts and resolves once it runs; the others start with the first document that needs them.
 * @throws with a remedy if the browser does not start
 */
export const openPrinter = async (options: PrinterOptions): Promise<Printer> => {
  const {
    executable,
    openProxy,
    caFile,
    logger,
    pagesPerBrowser = defaultPagesPerBrowser(),
    memoryMb = Math.min(2048, Math.floor(totalmem() / 2 ** 20 / 3)),
  } = options;
  const tuning = { ...defaultTuning, ...options.tuning };
  if (caFile && !findCertutil())
    logger.warn(
      { ca_file: caFile },
      'certutil is missing (Debian: libnss3-tools): the additional authorities are only trusted for servers ' +
        'that send the authority in their chain, and their signatures are not checked',
    );
  const browser = { executable, openProxy, caFile, memoryMb };
  const replacements = new PQueue({ concurrency: 1 });
  const startSupervisor = (renderMode: RenderMode) =>
    superviseBrowser({
      open: () =>
        openBrowserInstance({
          ...browser,
          renderMode,
          reusablePages: renderMode === 'static' ? pagesPerBrowser : 0,
          documentsPerPage: tuning.documentsPerPage,
        }),
      // Many installations print no document with scripts, and a browser needs memory and processor time.
      start: renderMode === 'static' ? 'at once' : 'when needed',
      documentsPerBrowser: tuning.documentsPerBrowser,
      logger,
      runExclusively: (work) => replacements.add(work),
    });
  const supervisorList = await startAllOrNone(renderModes.map(startSupervisor));
  const supervisors = Object.fromEntries(
    renderModes.map((renderMode, index) => [renderMode, supervisorList[index]]),
  ) as Record<RenderMode, Supervisor>;
  const isolatedBrowsers = openIsolatedBrowsers((renderMode) =>
    openBrowserInstance({
      ...browser,
      renderMode,
      reusablePages: renderMode === 'static' ? 1 : 0,
      documentsPerPage: 1,
    }),
  );
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
  const stopHealthChecks = startHealthChecks({
    instances: () => [
      ...supervisorList.flatMap((supervisor) => supervisor.instances()),
      ...isolatedBrowsers.instances(),
    ],
    logger,
    ...tuning,
  });
  const fitHeaderFooter = createHeaderFooterFitter();
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
    const supervisor = supervisors[strategy.browser];
    const instance: BrowserInstance = await runWithTimeout(deadline - performance.now(), () => supervisor.instance(), {
      createError: timeoutError,
    });
    try {
      const staticInstance = () => supervisors.static.instance();
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
    isolatedBrowsers.run(strategy.browser, (instance) => {
      const printWith = (layoutInstance: BrowserInstance) =>
        print(strategy, { instance, staticInstance: async () => layoutInstance }, request, queuedAt);
      const { header_html, footer_html } = request.options;
      const needsOther = strategy.browser !== 'static' && (header_html !== null || footer_html !== null);
      return needsOther ? isolatedBrowsers.run('static', printWith) : printWith(instance);
    });

  const healthOf = (renderMode: RenderMode): BrowserHealth => {
    const instance = supervisors[renderMode].current();
    const modeQueues = renderMode === 'static' ? [queues.reusable, queues.static] : [queues[renderMode]];
    const sum = (count: (queue: FairQueue) => number) => modeQueues.reduce((total, queue) => total + count(queue), 0);
    return {
      renderMode,
      up: !supervisors[renderMode].isDown(),
      version: instance?.browser.version ?? null,
      documents: instance?.documents ?? 0,
      running: sum((queue) => queue.running()),
      waiting: sum((queue) => queue.waiting()),
      starts: supervisors[renderMode].starts(),
      crashes: supervisors[renderMode].crashes(),
      memoryMb: instance?.browser.memory.usedMb ?? 0,
      processGroup: instance?.browser.processGroup ?? null,
    };
  };
  const ready = () => !closing && !supervisorList.some((supervisor) => supervisor.isDown());

  return {
    print: async (request) => {
      if (closing) throw new BrowserGone('The printer is closing.');
      refuseRefresh(request);
      const strategy = strategyFor(request);
      const queuedAt = performance.now();
      const { processingMs, waitTimeoutMs = processingMs } = request.limits;
      const [queue, printer] = request.isolated
        ? [isolatedQueue, printIsolated]
        : [queues[strategy.queue], printShared];
      const timeoutError = () => tooBusyError('No browser was free for the document', waitTimeoutMs);
      return queue.add(
        request.group ?? '',
        () => printer(strategy, request, { queuedAt, deadline: queuedAt + waitTimeoutMs, timeoutError }),
        { timeoutMs: waitTimeoutMs, createError: timeoutError },
      );
    },
    ready,
    health: () => ({ ready: ready(), browsers: renderModes.map(healthOf) }),
    close: async () => {
      closing = true;
      await Promise.all([isolatedQueue, ...Object.values(queues)].map((queue) => queue.idle()));
      stopHealthChecks();
      await Promise.all(supervisorList.map((supervisor) => supervisor.close()));
    },
  };
};

const startAllOrNone = async (starts: readonly Promise<Supervisor>[]): Promise<Supervisor[]> => {
  const outcomes = await Promise.allSettled(starts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (!failed) return started;
  await Promise.all(started.map((supervisor) => supervisor.close()));
  throw failed.reason;
};
