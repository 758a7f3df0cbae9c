import { availableParallelism, totalmem } from 'node:os';
import PQueue from 'p-queue';
import { BrowserGone } from './devtools/gone.ts';
import { underDeadline } from './deadline.ts';
import { type BrowserKind, browserKinds } from './flags.ts';
import { openHermitages } from './hermitage.ts';
import { openHouse, type House } from './house.ts';
import { bandSetter } from './band-setter.ts';
import { type Line, openLine } from './line.ts';
import { laneOf, type Lane, type LaneTools } from './lanes.ts';
import type { PrintRequest, Printed, PrinterLog } from './request.ts';
import type { Warning } from './resources.ts';
import { supervise, type Supervisor } from './supervisor.ts';
import { findCertutil } from './trust.ts';
import { watchOver } from './watch.ts';

export { BrowserGone };
export type { Printed, PrinterLog, PrintRequest, Warning };

export type BrowserHealth = { kind: BrowserKind; up: boolean; version: string | null; documents: number; running: number; waiting: number; starts: number; crashes: number; memoryMb: number; processGroup: number | null };
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
  /** `http://127.0.0.1:port`: the only way out of the browsers. */
  proxy: string;
  /** PEM file of further certificates to be trusted. */
  caFile?: string | undefined;
  /** How many documents are usually worked on at once in each browser; twice as many where some take long. */
  pages?: number | undefined;
  /** What the processes of one browser may hold together. */
  memoryMb?: number | undefined;
  log: PrinterLog;
  /** For tests. */
  tuning?: Partial<Tuning>;
};

type Tuning = { documentsPerPage: number; documentsPerBrowser: number; memoryEveryMs: number; pulseEveryMs: number; pulseWithinMs: number };

const usualTuning: Tuning = { documentsPerPage: 1000, documentsPerBrowser: 20_000, memoryEveryMs: 500, pulseEveryMs: 5000, pulseWithinMs: 15_000 };

/** A page more than there are cores keeps them busy while one waits for the processes of the browser; more bring nothing. */
const usualPages = () => Math.max(2, Math.min(16, availableParallelism() + 1));
const usualMemoryMb = () => Math.min(2048, Math.floor(totalmem() / 2 ** 20 / 3));

/** Starts the browsers, and resolves once they are up. Throws where no browser comes up, saying what to do. */
export const openPrinter = async (settings: PrinterSettings): Promise<Printer> => {
  const { executable, proxy, caFile, log, pages = usualPages(), memoryMb = usualMemoryMb() } = settings;
  const tuning = { ...usualTuning, ...settings.tuning };
  if (caFile && !(await findCertutil()))
    log.warn({ ca_file: caFile }, 'certutil is missing (Debian: libnss3-tools): of the further authorities only servers that send the authority in their chain are trusted, and those without proof');
  const replacements = new PQueue({ concurrency: 1 });
  const keep = (kind: BrowserKind) =>
    supervise({
      open: () => openHouse({ executable, kind, proxy, caFile, memoryMb, keptPages: kind === 'still' ? pages : 0, documentsPerPage: tuning.documentsPerPage }),
      documentsPerBrowser: tuning.documentsPerBrowser, log,
      oneAtATime: (work) => replacements.add(work),
    });
  const all = await allOrNone(browserKinds.map(keep));
  const supervisors = Object.fromEntries(browserKinds.map((kind, index) => [kind, all[index]])) as Record<BrowserKind, Supervisor>;
  const hermitages = openHermitages((kind) => openHouse({ executable, kind, proxy, caFile, memoryMb, keptPages: kind === 'still' ? 1 : 0, documentsPerPage: 1 }));
  const lines: Record<Lane['queue'], Line> = { kept: openLine(pages), still: openLine(pages * 2), scripted: openLine(pages), moving: openLine(pages) };
  const lineOfOne = openLine(1);
  const stopWatching = watchOver({ houses: () => [...all.flatMap((supervisor) => supervisor.houses()), ...hermitages.houses()], log, ...tuning });
  const tools: LaneTools = { proxy, setBands: bandSetter({ stillHouse: () => supervisors.still.house(), proxy }) };
  let closing = false;

  const printIn = async (lane: Lane, request: PrintRequest, signal: AbortSignal, asked: number): Promise<Printed> => {
    signal.throwIfAborted();
    const supervisor = supervisors[lane.browser];
    const house: House = await supervisor.house();
    try {
      return await lane.print(house, request, { ...tools, signal, asked });
    } finally {
      supervisor.afterDocument(house);
    }
  };

  const printAlone = (lane: Lane, request: PrintRequest, signal: AbortSignal, asked: number): Promise<Printed> => {
    signal.throwIfAborted();
    return hermitages.within(lane.browser, (house) => lane.print(house, request, { ...tools, signal, asked }));
  };

  const healthOf = (kind: BrowserKind): BrowserHealth => {
    const house = supervisors[kind].current();
    const own = kind === 'still' ? [lines.kept, lines.still] : [lines[kind]];
    const sum = (of: (line: Line) => number) => own.reduce((total, line) => total + of(line), 0);
    return {
      kind, up: house !== undefined, version: house?.browser.version ?? null, documents: house?.documents ?? 0,
      running: sum((line) => line.running()), waiting: sum((line) => line.waiting()), starts: supervisors[kind].starts(), crashes: supervisors[kind].crashes(), memoryMb: house?.browser.memory.megabytes ?? 0, processGroup: house?.browser.processGroup ?? null,
    };
  };
  const ready = () => !closing && all.every((supervisor) => supervisor.current() !== undefined);

  return {
    print: async (request) => {
      if (closing) throw new BrowserGone('The printer is closing.');
      const lane = laneOf(request);
      const asked = performance.now();
      const [line, printer] = request.alone ? [lineOfOne, printAlone] : [lines[lane.queue], printIn];
      return underDeadline(request.limits.processingMs, (signal) => line.add(request.group ?? '', () => printer(lane, request, signal, asked)));
    },
    ready,
    health: () => ({ ready: ready(), browsers: browserKinds.map(healthOf) }),
    close: async () => {
      closing = true;
      await Promise.all([lineOfOne, ...Object.values(lines)].map((line) => line.idle()));
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
