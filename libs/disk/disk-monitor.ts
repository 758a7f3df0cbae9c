import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDamageError } from '#libs/sqlite/damage.ts';

/** The disk takes no more: it is full, a quota is reached, or it can only be read. Nothing of what was to be written is there. */
export class DiskWriteError extends Error {
  constructor(cause: unknown) {
    super(`the disk refuses to be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'DiskRefusal';
  }
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html): an extended one has the primary one in its last byte. */
const unwritableSqliteCodes: ReadonlySet<number> = new Set([
  8 /* READONLY */, 10 /* IOERR */, 13 /* FULL */, 14 /* CANTOPEN */,
]);
const unwritableSystemCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']);

/** Whether an error of SQLite or of the file system says that the disk takes no more. */
const isUnwritableError = (error: unknown): boolean => {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return (
    (typeof errcode === 'number' && unwritableSqliteCodes.has(errcode % 256)) ||
    (typeof code === 'string' && unwritableSystemCodes.has(code))
  );
};

/** What the system says of a file system: sizes in blocks of `bsize` bytes, and the files that there may be; no number of files where it does not count them. */
export type FileSystemStats = { bsize: number; blocks: number; bavail: number; files: number; ffree: number };

export type DiskMonitor = {
  /** What is wrong, in a sentence that names the folder; null where nothing is. Looks at every call. */
  missing(): string | null;
  /** Whether something could not be written, and cannot be yet. */
  isUnwritable(): boolean;
  /** The error as it is to be raised. Damage is remembered; what says that the disk takes no more becomes a DiskRefusal, and is remembered until the disk takes something again. */
  recordError(error: unknown): unknown;
  /** What was found damaged, in sentences that name the file. */
  damageProblems(): string[];
  close(): void;
};

export type DiskMonitorDependencies = {
  readStats: (folder: string) => FileSystemStats;
  probe: (folder: string) => Promise<void>;
  probeIntervalMs: number;
};

const mebibyte = 1024 * 1024;
/** So much is left for work that has been accepted; of a small disk less. */
const maxReservedBytes = 16 * mebibyte;
const reservedFraction = 1 / 20;
const minFreeFiles = 32;
const maxDamageProblems = 10;

const probeBytes = new Uint8Array(64 * 1024);

/** Writes a file that takes some blocks, and removes it. Rejects where that fails. */
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
  probe: writeAndRemove,
  probeIntervalMs: 1_000,
};

const formatMb = (bytes: number): string => (bytes / mebibyte).toFixed(1);

/** What is wrong with the space of a folder; null where there is enough, and where the folder cannot be looked at. */
const spaceProblem = (folder: string, look: DiskMonitorDependencies['readStats']): string | null => {
  let seen: FileSystemStats;
  try {
    seen = look(folder);
  } catch {
    return null;
  }
  const free = seen.bavail * seen.bsize;
  const reserved = Math.min(maxReservedBytes, seen.blocks * seen.bsize * reservedFraction);
  if (free < reserved)
    return `The disk of ${folder} is full: ${formatMb(free)} MB are free, and the last ${formatMb(reserved)} MB are kept for work that was accepted. Free some space; the service goes on by itself.`;
  if (seen.files > 0 && seen.ffree < minFreeFiles)
    return `The disk of ${folder} takes no more files: ${seen.ffree} of ${seen.files} are free. Remove some; the service goes on by itself.`;
  return null;
};

/** Watches the disks of some folders. Once one has refused to be written it is tried every `probeEveryMs` until it takes something again. */
export const openDiskMonitor = (
  folders: readonly string[],
  { readStats, probe, probeIntervalMs }: DiskMonitorDependencies = defaultDependencies,
): DiskMonitor => {
  let refused: string | null = null;
  const damages = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const probeAll = async (): Promise<void> => {
    for (const folder of folders) {
      try {
        await probe(folder);
      } catch (error) {
        refused = `The disk of ${folder} refuses to be written: ${(error as Error).message}. The service goes on by itself once it can be.`;
        return;
      }
    }
    refused = null;
    clearInterval(timer);
    timer = undefined;
  };
  const missing = (): string | null =>
    folders.map((folder) => spaceProblem(folder, readStats)).find((sentence) => sentence !== null) ?? refused;

  return {
    missing,
    isUnwritable: () => refused !== null,
    damageProblems: () => [...damages],
    recordError: (error) => {
      if (isDamageError(error) && damages.size < maxDamageProblems)
        damages.add(
          `A database is damaged: ${(error as Error).message}. Restart the process: it builds anew what can be built anew, and says what to do about the rest.`,
        );
      if (error instanceof DiskWriteError || !isUnwritableError(error)) return error;
      const refusal = new DiskWriteError(error);
      refused ??= `${folders.join(', ')}: ${refusal.message}. The service goes on by itself once there is room again.`;
      timer ??= setInterval(() => void probeAll(), probeIntervalMs).unref();
      return refusal;
    },
    close: () => clearInterval(timer),
  };
};
