import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '#libs/concurrency/pause.ts';
import { isDamageError } from '#libs/sqlite/damage.ts';
import { hasResultCode } from '#libs/sqlite/result-codes.ts';

/** The disk cannot be written: it is full, a quota is reached, or it is read-only. Nothing was written. */
export class DiskWriteError extends Error {
  constructor(cause: unknown) {
    super(`the disk cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'DiskWriteError';
  }
}

const unwritableSystemCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']);

const isUnwritableError = (error: unknown): boolean => {
  const { code } = error as { code?: unknown };
  return (
    hasResultCode(error, 'readOnly', 'ioError', 'full', 'cannotOpen') ||
    (typeof code === 'string' && unwritableSystemCodes.has(code))
  );
};

/** As in `fs.StatsFs`: sizes in blocks of `bsize` bytes. `files` is 0 on file systems that do not limit them. */
export type FileSystemStats = { bsize: number; blocks: number; bavail: number; files: number; ffree: number };

export type DiskMonitor = {
  /** A sentence that names the problem and the folder, or null. */
  missing(): string | null;
  /** Whether a write failed and the disk still cannot be written. */
  isUnwritable(): boolean;
  /** Records damage and failed writes, and returns the error to throw: a DiskWriteError when the disk cannot be written. */
  recordError(error: unknown): unknown;
  /** Sentences on the damage that was found, with the file. */
  damageProblems(): string[];
  close(): void;
};

/** `statsMaxAgeMs`: how long the free space of a folder stays valid before it is read again. */
export type DiskMonitorDependencies = {
  readStats: (folder: string) => FileSystemStats;
  statsMaxAgeMs: number;
  probe: (folder: string) => Promise<void>;
  probeIntervalMs: number;
};

const mebibyte = 1024 * 1024;
/** Space that is kept free for accepted work; less on a small disk. */
const maxReservedBytes = 16 * mebibyte;
const reservedFraction = 1 / 20;
const minFreeFiles = 32;
const maxDamageProblems = 10;

const probeBytes = new Uint8Array(64 * 1024);

/** Writes a file of several blocks and removes it. */
const writeAndRemove = async (folder: string): Promise<void> => {
  const file = join(folder, `.probe-${randomUUID()}`);
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(probeBytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } finally {
    await rm(file, { force: true });
  }
};

const defaultDependencies: DiskMonitorDependencies = {
  readStats: (folder) => statfsSync(folder),
  // Every accepted request asks twice. In this time, a caller cannot fill the reserved space.
  statsMaxAgeMs: 50,
  probe: writeAndRemove,
  probeIntervalMs: 1_000,
};

const formatMb = (bytes: number): string => (bytes / mebibyte).toFixed(1);

/** A sentence on missing space, or null: there is enough, or the folder cannot be read (then its engine reports that). */
const spaceProblem = (folder: string, readStats: DiskMonitorDependencies['readStats']): string | null => {
  let stats: FileSystemStats;
  try {
    stats = readStats(folder);
  } catch {
    return null;
  }
  const free = stats.bavail * stats.bsize;
  const reserved = Math.min(maxReservedBytes, stats.blocks * stats.bsize * reservedFraction);
  if (free < reserved)
    return (
      `The disk of ${folder} is full: ${formatMb(free)} MB are free, and the last ${formatMb(reserved)} MB are reserved ` +
      'for accepted work. Free some space; then the service continues automatically.'
    );
  if (stats.files > 0 && stats.ffree < minFreeFiles)
    return (
      `The disk of ${folder} cannot store more files: ${stats.ffree} of ${stats.files} are free. ` +
      'Remove some; then the service continues automatically.'
    );
  return null;
};

/**
 * Monitors the disks of folders. After a failed write it tries to write, `probeIntervalMs` after each attempt, until that
 * succeeds.
 */
export const openDiskMonitor = (
  folders: readonly string[],
  { readStats, statsMaxAgeMs, probe, probeIntervalMs }: DiskMonitorDependencies = defaultDependencies,
): DiskMonitor => {
  let writeProblem: string | null = null;
  const damages = new Set<string>();
  const closing = new AbortController();
  let isProbing = false;

  const probeAll = async (): Promise<void> => {
    for (const folder of folders) {
      try {
        await probe(folder);
      } catch (error) {
        writeProblem =
          `The disk of ${folder} cannot be written: ${(error as Error).message}. ` +
          'The service continues automatically when it can be.';
        return;
      }
    }
    writeProblem = null;
  };
  // One attempt at a time: on a slow disk, an older one could fail after a newer one has succeeded.
  const probeUntilWritable = async (): Promise<void> => {
    if (isProbing) return;
    isProbing = true;
    while (writeProblem !== null && !closing.signal.aborted) {
      await pause(probeIntervalMs, closing.signal, { ref: false });
      await probeAll();
    }
    isProbing = false;
  };
  let space: { readAt: number; problem: string | null } = { readAt: -Infinity, problem: null };
  const findSpaceProblem = (): string | null => {
    const now = performance.now();
    if (now - space.readAt >= statsMaxAgeMs)
      space = {
        readAt: now,
        problem: folders.map((folder) => spaceProblem(folder, readStats)).find((problem) => problem !== null) ?? null,
      };
    return space.problem;
  };
  const missing = (): string | null => findSpaceProblem() ?? writeProblem;

  return {
    missing,
    isUnwritable: () => writeProblem !== null,
    damageProblems: () => [...damages],
    recordError: (error) => {
      if (isDamageError(error) && damages.size < maxDamageProblems)
        damages.add(
          `A database is damaged: ${(error as Error).message}. Restart the process: it rebuilds what it can, ` +
            'and says what to do about the rest.',
        );
      if (error instanceof DiskWriteError || !isUnwritableError(error)) return error;
      const writeError = new DiskWriteError(error);
      writeProblem ??= `${folders.join(', ')}: ${writeError.message}. The service continues automatically when it can be written.`;
      void probeUntilWritable();
      return writeError;
    },
    close: () => closing.abort(),
  };
};
