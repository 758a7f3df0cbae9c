import { availableParallelism, totalmem } from 'node:os';
import PQueue from 'p-queue';
import { ApiError } from '#contracts/http/api-error.ts';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { type FairQueue, openFairQueue } from '#libs/scheduling/fair-queue.ts';
import { defaultSlowAfterMs } from '#libs/scheduling/permits.ts';
import { tooBusyError } from '#libs/scheduling/too-busy-error.ts';
import { BrowserGone, CommandFailed } from './cdp/errors.ts';
import { refuseRefresh } from './document/load.ts';
import { type RenderMode, renderModes } from '#contracts/render-modes.ts';
import {
  type BrowserInstance,
  openBrowserInstance,
  openIsolatedBrowsers,
  type OpenProxy,
} from './browsers/instance.ts';
import { createHeaderFooterFitter } from './header-footer/fit.ts';
import { strategyFor, type PrintStrategy, type PrintDependencies } from './print-strategies.ts';
import type { PrintRequest, PrintResult, PrinterLogger } from './print-request.ts';
import type { Warning } from './document/resources.ts';
import { superviseBrowser, type Supervisor } from './browsers/supervisor.ts';
import { findCertutil } from './browsers/trusted-authorities.ts';
import { startHealthChecks } from './browsers/health-checks.ts';

export { BrowserGone };
export type { PrintResult, PrinterLogger, PrintRequest, Warning };

export type BrowserHealth = {
  renderMode: RenderMode;
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
  /** @throws Problem where the document is to blame, BrowserGone where another attempt is worth it */
  print(request: PrintRequest): Promise<PrintResult>;
  ready(): boolean;
  health(): PrinterHealth;
  /** Finishes what runs, then ends the browsers. */
  close(): Promise<void>;
};

export type PrinterOptions = {
  executable: string;
  /** Gives each document that may fetch its way out; without it none has one. */
  openProxy?: OpenProxy | undefined;
  /** PEM file of further certificates to be trusted. */
  caFile?: string | undefined;
  /** How many documents are usually worked on at once in each browser; more where some take long. */
  pagesPerBrowser?: number | undefined;
  /** What the processes of one browser may hold together. */
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

/** Since when a document waits for a browser, until when it may, and what it fails with then; times by performance.now(). */
type WaitDeadline = { queuedAt: number; deadline: number; timeoutError: () => Error };

/** A page more than there are cores keeps them busy while one waits for the processes of the browser; more bring nothing. */
const defaultPagesPerBrowser = () => Math.max(2, Math.min(16, availableParallelism() + 1));
/** The most pages of a browser while documents take long: about 64 MB for each page. */
const maxPagesPerBrowser = (pages: number, memoryMb: number) =>
  Math.max(pages * 2 + 2, Math.min(pages * 8, Math.floor(memoryMb / 64)));
/** Browsers for one document each. */
const maxIsolatedBrowsers = 3;
const defaultMemoryMb = () => Math.min(2048, Math.floor(totalmem() / 2 ** 20 / 3));

/** Starts the browsers, and resolves once they are up. Throws where no browser comes up, saying what to do. */
export const openPrinter = async (settings: PrinterOptions): Promise<Printer> => {
  const {
    executable,
    openProxy,
    caFile,
    logger,
    pagesPerBrowser = defaultPagesPerBrowser(),
    memoryMb = defaultMemoryMb(),
  } = settings;
  const tuning = { ...defaultTuning, ...settings.tuning };
  if (caFile && !(await findCertutil()))
    logger.warn(
      { ca_file: caFile },
      'certutil is missing (Debian: libnss3-tools): of the further authorities only servers that send the authority in their chain are trusted, and those without proof',
    );
  const replacements = new PQueue({ concurrency: 1 });
  const keep = (kind: RenderMode) =>
    superviseBrowser({
      open: () =>
        openBrowserInstance({
          executable,
          renderMode: kind,
          openProxy,
          caFile,
          memoryMb,
          reusablePages: kind === 'static' ? pagesPerBrowser : 0,
          documentsPerPage: tuning.documentsPerPage,
        }),
      documentsPerBrowser: tuning.documentsPerBrowser,
      logger,
      runExclusively: (work) => replacements.add(work),
    });
  const all = await startAllOrNone(renderModes.map(keep));
  const supervisors = Object.fromEntries(renderModes.map((kind, index) => [kind, all[index]])) as Record<
    RenderMode,
    Supervisor
  >;
  const isolatedBrowsers = openIsolatedBrowsers((kind) =>
    openBrowserInstance({
      executable,
      renderMode: kind,
      openProxy,
      caFile,
      memoryMb,
      reusablePages: kind === 'static' ? 1 : 0,
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
  const isolated = openFairQueue({ maxQuick: 1, maxTotal: maxIsolatedBrowsers, slowAfterMs: defaultSlowAfterMs });
  const stopWatching = startHealthChecks({
    instances: () => [...all.flatMap((supervisor) => supervisor.instances()), ...isolatedBrowsers.instances()],
    logger,
    ...tuning,
  });
  const tools: PrintDependencies = {
    fitHeaderFooter: createHeaderFooterFitter({ staticInstance: () => supervisors.static.instance() }),
  };
  let closing = false;

  const printIn = async (
    procedure: PrintStrategy,
    request: PrintRequest,
    { queuedAt, deadline, timeoutError }: WaitDeadline,
  ): Promise<PrintResult> => {
    const supervisor = supervisors[procedure.browser];
    const instance: BrowserInstance = await runWithTimeout(deadline - performance.now(), () => supervisor.instance(), {
      createError: timeoutError,
    });
    try {
      return await withProcessingTimeout(request.limits.processingMs, (signal) =>
        procedure.print(instance, request, { ...tools, signal, queuedAt }),
      );
    } finally {
      supervisor.afterDocument(instance);
    }
  };

  const printAlone = (
    procedure: PrintStrategy,
    request: PrintRequest,
    { queuedAt }: WaitDeadline,
  ): Promise<PrintResult> =>
    isolatedBrowsers.run(procedure.browser, (instance) =>
      withProcessingTimeout(request.limits.processingMs, (signal) =>
        procedure.print(instance, request, { ...tools, signal, queuedAt }),
      ),
    );

  const healthOf = (kind: RenderMode): BrowserHealth => {
    const instance = supervisors[kind].current();
    const own = kind === 'static' ? [queues.reusable, queues.static] : [queues[kind]];
    const sum = (of: (queue: FairQueue) => number) => own.reduce((total, queue) => total + of(queue), 0);
    return {
      renderMode: kind,
      up: instance !== undefined,
      version: instance?.browser.version ?? null,
      documents: instance?.documents ?? 0,
      running: sum((queue) => queue.running()),
      waiting: sum((queue) => queue.waiting()),
      starts: supervisors[kind].starts(),
      crashes: supervisors[kind].crashes(),
      memoryMb: instance?.browser.memory.usedMb ?? 0,
      processGroup: instance?.browser.processGroup ?? null,
    };
  };
  const ready = () => !closing && all.every((supervisor) => supervisor.current() !== undefined);

  return {
    print: async (request) => {
      if (closing) throw new BrowserGone('The printer is closing.');
      refuseRefresh(request);
      const procedure = strategyFor(request);
      const asked = performance.now();
      const { processingMs, waitTimeoutMs = processingMs } = request.limits;
      const [queue, printer] = request.isolated ? [isolated, printAlone] : [queues[procedure.queue], printIn];
      const tooLate = () => tooBusyError('No browser was free for the document', waitTimeoutMs);
      return queue.add(
        request.group ?? '',
        () => printer(procedure, request, { queuedAt: asked, deadline: asked + waitTimeoutMs, timeoutError: tooLate }),
        { timeoutMs: waitTimeoutMs, createError: tooLate },
      );
    },
    ready,
    health: () => ({ ready: ready(), browsers: renderModes.map(healthOf) }),
    close: async () => {
      closing = true;
      await Promise.all([isolated, ...Object.values(queues)].map((queue) => queue.idle()));
      stopWatching();
      await Promise.all(all.map((supervisor) => supervisor.close()));
    },
  };
};

const startAllOrNone = async (starts: readonly Promise<Supervisor>[]): Promise<Supervisor[]> => {
  const outcomes = await Promise.allSettled(starts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  const up = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (!failed) return up;
  await Promise.all(up.map((supervisor) => supervisor.close()));
  throw failed.reason;
};

const processingTimeoutError = (milliseconds: number) => {
  const seconds = Math.ceil(milliseconds / 1000);
  return ApiError.of('processing_timeout', `The document could not be finished within ${seconds} s.`, {
    timeout_seconds: seconds,
  });
};

// A command that the browser refuses has nothing to do with the document: another page may take it.
const asBrowserGone = (error: unknown) =>
  error instanceof CommandFailed ? new BrowserGone(error.message, { cause: error }) : error;

/** Runs the work, and fails with processing_timeout once the milliseconds are over, whether the work notices its signal or not. */
export const withProcessingTimeout = async <T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  try {
    return await runWithTimeout(Math.max(0, milliseconds), work, {
      createError: () => processingTimeoutError(milliseconds),
    });
  } catch (error) {
    throw asBrowserGone(error);
  }
};
