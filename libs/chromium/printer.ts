import { availableParallelism, totalmem } from 'node:os';
import PQueue from 'p-queue';
import { Problem } from '#contracts/http/problem.ts';
import { withTimeout } from '#libs/concurrency/timeout.ts';
import { type FairQueue, openFairQueue } from '#libs/scheduling/fair-queue.ts';
import { usualSlowAfterMs } from '#libs/scheduling/places.ts';
import { tooBusy } from '#libs/scheduling/too-busy.ts';
import { BrowserGone, CommandFailed } from './cdp/errors.ts';
import { refuseRefresh } from './document/fill.ts';
import { type RenderMode, renderModes } from './browsers/flags.ts';
import { type BrowserInstance, openInstance, openIsolatedBrowsers, type OpenProxy } from './browsers/instance.ts';
import { headerFooterFitter } from './header-footer/fit.ts';
import { procedureFor, type Procedure, type ProcedureTools } from './render-modes.ts';
import type { PrintRequest, Printed, PrinterLog } from './request.ts';
import type { Warning } from './document/resources.ts';
import { supervise, type Supervisor } from './browsers/supervisor.ts';
import { findCertutil } from './browsers/trust.ts';
import { watchOver } from './browsers/watch.ts';

export { BrowserGone };
export type { Printed, PrinterLog, PrintRequest, Warning };

export type BrowserHealth = { kind: RenderMode; up: boolean; version: string | null; documents: number; running: number; waiting: number; starts: number; crashes: number; memoryMb: number; processGroup: number | null };
export type PrinterHealth = { ready: boolean; browsers: BrowserHealth[] };

export type Printer = {
  /** @throws Problem where the document is to blame, BrowserGone where another attempt is worth it */
  print(request: PrintRequest): Promise<Printed>;
  ready(): boolean;
  health(): PrinterHealth;
  /** Finishes what runs, then ends the browsers. */
  close(): Promise<void>;
};

export type PrinterSettings = {
  executable: string;
  /** Gives each document that may fetch its way out; without it none has one. */
  openProxy?: OpenProxy | undefined;
  /** PEM file of further certificates to be trusted. */
  caFile?: string | undefined;
  /** How many documents are usually worked on at once in each browser; more where some take long. */
  pages?: number | undefined;
  /** What the processes of one browser may hold together. */
  memoryMb?: number | undefined;
  log: PrinterLog;
  /** For tests. */
  tuning?: Partial<Tuning>;
};

type Tuning = { documentsPerPage: number; documentsPerBrowser: number; memoryEveryMs: number; checkEveryMs: number; answerWithinMs: number };

const usualTuning: Tuning = { documentsPerPage: 1000, documentsPerBrowser: 20_000, memoryEveryMs: 500, checkEveryMs: 5000, answerWithinMs: 15_000 };

/** Since when a document waits for a browser, until when it may, and what it fails with then; times by performance.now(). */
type Waiting = { asked: number; endsAt: number; tooLate: () => Error };

/** A page more than there are cores keeps them busy while one waits for the processes of the browser; more bring nothing. */
const usualPages = () => Math.max(2, Math.min(16, availableParallelism() + 1));
/** The most pages of a browser while documents take long: about 64 MB for each page. */
const mostPages = (pages: number, memoryMb: number) => Math.max(pages * 2 + 2, Math.min(pages * 8, Math.floor(memoryMb / 64)));
/** Browsers for one document each. */
const mostIsolated = 3;
const usualMemoryMb = () => Math.min(2048, Math.floor(totalmem() / 2 ** 20 / 3));

/** Starts the browsers, and resolves once they are up. Throws where no browser comes up, saying what to do. */
export const openPrinter = async (settings: PrinterSettings): Promise<Printer> => {
  const { executable, openProxy, caFile, log, pages = usualPages(), memoryMb = usualMemoryMb() } = settings;
  const tuning = { ...usualTuning, ...settings.tuning };
  if (caFile && !(await findCertutil()))
    log.warn({ ca_file: caFile }, 'certutil is missing (Debian: libnss3-tools): of the further authorities only servers that send the authority in their chain are trusted, and those without proof');
  const replacements = new PQueue({ concurrency: 1 });
  const keep = (kind: RenderMode) =>
    supervise({
      open: () => openInstance({ executable, kind, openProxy, caFile, memoryMb, keptPages: kind === 'static' ? pages : 0, documentsPerPage: tuning.documentsPerPage }),
      documentsPerBrowser: tuning.documentsPerBrowser, log,
      oneAtATime: (work) => replacements.add(work),
    });
  const all = await allOrNone(renderModes.map(keep));
  const supervisors = Object.fromEntries(renderModes.map((kind, index) => [kind, all[index]])) as Record<RenderMode, Supervisor>;
  const isolatedBrowsers = openIsolatedBrowsers((kind) => openInstance({ executable, kind, openProxy, caFile, memoryMb, keptPages: kind === 'static' ? 1 : 0, documentsPerPage: 1 }));
  const queueFor = (quick: number): FairQueue => openFairQueue({ quick, most: mostPages(pages, memoryMb), slowAfterMs: usualSlowAfterMs });
  const queues: Record<Procedure['queue'], FairQueue> = { kept: queueFor(pages), static: queueFor(pages * 2), scripted: queueFor(pages), animated: queueFor(pages) };
  const isolated = openFairQueue({ quick: 1, most: mostIsolated, slowAfterMs: usualSlowAfterMs });
  const stopWatching = watchOver({ instances: () => [...all.flatMap((supervisor) => supervisor.instances()), ...isolatedBrowsers.instances()], log, ...tuning });
  const tools: ProcedureTools = { fitHeaderFooter: headerFooterFitter({ staticInstance: () => supervisors.static.instance() }) };
  let closing = false;

  const printIn = async (procedure: Procedure, request: PrintRequest, { asked, endsAt, tooLate }: Waiting): Promise<Printed> => {
    const supervisor = supervisors[procedure.browser];
    const instance: BrowserInstance = await withTimeout(endsAt - performance.now(), () => supervisor.instance(), { error: tooLate });
    try {
      return await underDeadline(request.limits.processingMs, (signal) => procedure.print(instance, request, { ...tools, signal, asked }));
    } finally {
      supervisor.afterDocument(instance);
    }
  };

  const printAlone = (procedure: Procedure, request: PrintRequest, { asked }: Waiting): Promise<Printed> =>
    isolatedBrowsers.within(procedure.browser, (instance) => underDeadline(request.limits.processingMs, (signal) => procedure.print(instance, request, { ...tools, signal, asked })));

  const healthOf = (kind: RenderMode): BrowserHealth => {
    const instance = supervisors[kind].current();
    const own = kind === 'static' ? [queues.kept, queues.static] : [queues[kind]];
    const sum = (of: (queue: FairQueue) => number) => own.reduce((total, queue) => total + of(queue), 0);
    return {
      kind, up: instance !== undefined, version: instance?.browser.version ?? null, documents: instance?.documents ?? 0,
      running: sum((queue) => queue.running()), waiting: sum((queue) => queue.waiting()), starts: supervisors[kind].starts(), crashes: supervisors[kind].crashes(), memoryMb: instance?.browser.memory.megabytes ?? 0, processGroup: instance?.browser.processGroup ?? null,
    };
  };
  const ready = () => !closing && all.every((supervisor) => supervisor.current() !== undefined);

  return {
    print: async (request) => {
      if (closing) throw new BrowserGone('The printer is closing.');
      refuseRefresh(request);
      const procedure = procedureFor(request);
      const asked = performance.now();
      const { processingMs, waitMs = processingMs } = request.limits;
      const [queue, printer] = request.alone ? [isolated, printAlone] : [queues[procedure.queue], printIn];
      const tooLate = () => tooBusy('No browser was free for the document', waitMs);
      return queue.add(request.group ?? '', () => printer(procedure, request, { asked, endsAt: asked + waitMs, tooLate }), { waitMs, tooLate });
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

const allOrNone = async (starts: readonly Promise<Supervisor>[]): Promise<Supervisor[]> => {
  const outcomes = await Promise.allSettled(starts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  const up = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (!failed) return up;
  await Promise.all(up.map((supervisor) => supervisor.close()));
  throw failed.reason;
};

const tooLate = (milliseconds: number) => {
  const seconds = Math.ceil(milliseconds / 1000);
  return Problem.of('processing_timeout', `The document could not be finished within ${seconds} s.`, { timeout_seconds: seconds });
};

// A command that the browser refuses has nothing to do with the document: another page may take it.
const asFailure = (error: unknown) => (error instanceof CommandFailed ? new BrowserGone(error.message, { cause: error }) : error);

/** Runs the work, and fails with processing_timeout once the milliseconds are over, whether the work notices its signal or not. */
export const underDeadline = async <T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  try {
    return await withTimeout(Math.max(0, milliseconds), work, { error: () => tooLate(milliseconds) });
  } catch (error) {
    throw asFailure(error);
  }
};
