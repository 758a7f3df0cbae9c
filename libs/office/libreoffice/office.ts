import { availableParallelism } from 'node:os';
import { ApiError } from '#contracts/http/api-error.ts';
import { openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { defaultSlowAfterMs } from '#libs/concurrency/permits.ts';
import { tooBusyError } from '#libs/concurrency/too-busy-error.ts';
import type { Office, OfficeRequest, OfficeResult } from '../port.ts';
import { conversionError, crashError, timeoutError } from './errors.ts';
import { findLibreOffice, noLibreOffice } from './find.ts';
import { launchOffice, OfficeGone, type OfficeProcess, type Reply } from './process.ts';
import type { Frame } from './frames.ts';

type ExportOptions = Record<string, { type: string; value: string }>;

const flag = (value: boolean) => ({ type: 'boolean', value: String(value) });

/** The options of LibreOffice's PDF export (help: "PDF Export Command Line Parameters"). */
const exportOptions = ({ tagged, outline, pageRanges }: OfficeRequest): ExportOptions => ({
  UseTaggedPDF: flag(tagged || outline),
  ExportBookmarks: flag(outline),
  ExportNotes: flag(false),
  ExportFormFields: flag(false),
  ReduceImageResolution: flag(false),
  Quality: { type: 'long', value: '92' },
  ...(pageRanges !== undefined && { PageRange: { type: 'string', value: pageRanges } }),
});

type LogMethod = (fields: object, message: string) => void;
export type OfficeOptions = {
  /** The folder of LibreOffice, if it is not at its usual place; `none` for no LibreOffice. */
  folder?: string | undefined;
  /** The memory limit of one process. */
  memoryMb: number;
  logger: { info: LogMethod; warn: LogMethod };
  /** For tests. */
  tuning?: Partial<typeof defaultTuning>;
};

const defaultTuning = {
  documentsPerProcess: 200,
  startTimeoutMs: 60_000,
  /** A document that takes longer is slow: others start beside it. */
  slowAfterMs: defaultSlowAfterMs,
  /** A process that still holds more than this share of its memory limit after a document is replaced. */
  retainedMemoryShare: 0.6,
};

/** How many documents are converted at once while none is slow. */
const processes = Math.max(1, Math.min(8, Math.floor(availableParallelism() / 2)));
/** The number of additional processes for the documents of others while some are slow. */
const additionalProcesses = 2;
/** The number of additional idle processes after documents were slow. */
const spareProcesses = 1;

type Slot = { process: OfficeProcess; documents: number; busy: boolean; memoryMb: number };

/**
 * A pool of LibreOffice processes. They start when they are needed, are kept for further documents, and each is
 * replaced after a number of documents, after an error, after a document with fonts of its own, and when it holds much
 * memory.
 */
export const openOffice = ({ folder, memoryMb, logger, tuning = {} }: OfficeOptions): Office => {
  const { documentsPerProcess, startTimeoutMs, slowAfterMs, retainedMemoryShare } = { ...defaultTuning, ...tuning };
  const installation = findLibreOffice(folder);
  // A folder that the operator named is expected to be right; a machine without LibreOffice is not an error.
  if ('missing' in installation && folder !== undefined && folder !== noLibreOffice)
    logger.warn({ setting: 'LIBREOFFICE_FOLDER' }, installation.missing);
  const maxProcesses = processes + additionalProcesses;
  const queue = openFairQueue({
    maxQuick: processes,
    maxTotal: maxProcesses,
    slowAfterMs,
    maxPerGroup: maxProcesses - 1,
  });
  const slots = new Set<Slot>();
  const counts = { starts: 0, crashes: 0, documents: 0 };
  let starting = 0;
  let warned = false;
  let spare: Promise<Slot | null> | null = null;
  let closing = false;

  const remove = (slot: Slot): void => {
    slots.delete(slot);
    slot.process.kill();
  };
  const warnAboutIsolation = ({ isolation }: OfficeProcess): void => {
    if (warned || (isolation.network && isolation.files)) return;
    warned = true;
    logger.warn(
      { ...isolation },
      'LibreOffice is not fully isolated: allow unprivileged user namespaces, or use a kernel with Landlock',
    );
  };
  const open = async (): Promise<Slot> => {
    if ('missing' in installation) throw notInstalledError(installation.missing);
    counts.starts += 1;
    starting += 1;
    const process = await launchOffice({ ...installation, memoryMb, startTimeoutMs }).finally(() => (starting -= 1));
    warnAboutIsolation(process);
    const slot: Slot = { process, documents: 0, busy: true, memoryMb: 0 };
    slots.add(slot);
    void process.ended.then(() => slots.delete(slot));
    logger.info({ version: process.version, process_group: process.processGroup }, 'LibreOffice started');
    return slot;
  };
  /** Starts a process before the next document needs it: a start takes much longer than most documents. */
  const startSpare = (): void => {
    const hasIdle = [...slots].some(({ busy }) => !busy);
    if (spare || closing || hasIdle || slots.size + starting >= maxProcesses) return;
    const started = open().catch((error: unknown) => {
      logger.warn({ error: String(error) }, 'LibreOffice could not be started ahead');
      return null;
    });
    spare = started;
    void started.then((slot) => {
      if (spare !== started) return;
      spare = null;
      if (slot) release(slot, true);
    });
  };
  const take = async (isolated: boolean): Promise<Slot> => {
    if (isolated) return open();
    const idle = [...slots].find(({ busy }) => !busy);
    if (idle) {
      idle.busy = true;
      return idle;
    }
    // The first document that needs a process gets the one that is starting.
    const claimed = spare;
    spare = null;
    return (await claimed) ?? open();
  };
  const release = (slot: Slot, isReusable: boolean): void => {
    slot.busy = false;
    const idle = [...slots].filter(({ busy }) => !busy).length;
    const isWorn = slot.documents >= documentsPerProcess || slot.memoryMb > memoryMb * retainedMemoryShare;
    if (!isReusable || isWorn || idle > processes + spareProcesses) remove(slot);
  };

  const convertIn = async (slot: Slot, request: OfficeRequest, processingMs: number): Promise<Frame<Reply>> => {
    slot.documents += 1;
    counts.documents += 1;
    let isReusable = false;
    let hasFonts = false;
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      slot.process.kill();
    }, processingMs);
    try {
      const reply = await slot.process.convert(
        {
          fileName: `${request.title}.${request.format}`,
          requestedAtMs: Math.floor(request.requestedAt.getTime() / 1000) * 1000,
          exportOptions: exportOptions(request),
        },
        request.file,
      );
      slot.memoryMb = reply.header.memoryMb;
      hasFonts = reply.header.hasFonts;
      isReusable = reply.header.error === undefined && !request.isolated && !hasFonts;
      return reply;
    } catch (error) {
      if (timedOut) throw timeoutError(request.limits.processingMs);
      counts.crashes += 1;
      throw error;
    } finally {
      clearTimeout(timer);
      release(slot, isReusable);
      if (hasFonts && !request.isolated) startSpare();
    }
  };

  /** A crash may be the fault of other documents or programs, so a fresh process tries once more. */
  const convertOnce = async (request: OfficeRequest, queuedAt: number): Promise<OfficeResult> => {
    const slot = await take(request.isolated);
    const startedAt = performance.now();
    const spareTimer = setTimeout(startSpare, slowAfterMs);
    const remainingMs = (): number => Math.max(0, request.limits.processingMs - (performance.now() - startedAt));
    const { version } = slot.process;
    const { header, content } = await convertIn(slot, request, remainingMs())
      .catch(async (error: unknown) => {
        if (!(error instanceof OfficeGone)) throw error;
        return convertIn(await open(), request, remainingMs()).catch((again: unknown) => {
          throw again instanceof OfficeGone ? crashError(request.format, memoryMb) : again;
        });
      })
      .finally(() => clearTimeout(spareTimer));
    if (header.error !== undefined) throw conversionError(request.format, header.error, header.reason ?? '');
    return {
      pdf: content,
      version,
      timings: { waitMs: startedAt - queuedAt, loadMs: header.loadMs ?? 0, printMs: header.saveMs ?? 0 },
    };
  };

  return {
    missing: () => ('missing' in installation ? installation.missing : null),
    convert: async (request) => {
      const queuedAt = performance.now();
      const { waitTimeoutMs: timeoutMs } = request.limits;
      return queue.add(request.group, () => convertOnce(request, queuedAt), {
        timeoutMs,
        createError: () => tooBusyError('No LibreOffice was free for the document', timeoutMs),
      });
    },
    health: () => ({
      processes: slots.size,
      running: queue.running(),
      waiting: queue.waiting(),
      ...counts,
      memoryMb: [...slots].reduce((sum, slot) => sum + slot.memoryMb, 0),
    }),
    close: async () => {
      closing = true;
      await queue.idle();
      await spare;
      const ends = [...slots].map(({ process }) => process.ended);
      for (const slot of slots) remove(slot);
      await Promise.all(ends);
    },
  };
};

/** The error of a document that needs LibreOffice where there is none. */
const notInstalledError = (reason: string): ApiError =>
  ApiError.of('office_not_installed', `The document cannot be laid out as its office program does. ${reason}`, {
    details: { reason: 'not installed' },
  });
