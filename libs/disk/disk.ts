import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDamage } from '#libs/sqlite/damage.ts';

/** The disk takes no more: it is full, a quota is reached, or it can only be read. Nothing of what was to be written is there. */
export class DiskRefusal extends Error {
  constructor(cause: unknown) {
    super(`the disk refuses to be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'DiskRefusal';
  }
}

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html): an extended one has the primary one in its last byte. */
const sqliteCodes: ReadonlySet<number> = new Set([8 /* READONLY */, 10 /* IOERR */, 13 /* FULL */, 14 /* CANTOPEN */]);
const systemCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS']);

/** Whether an error of SQLite or of the file system says that the disk takes no more. */
const isRefusal = (error: unknown): boolean => {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return (typeof errcode === 'number' && sqliteCodes.has(errcode % 256)) || (typeof code === 'string' && systemCodes.has(code));
};

/** What the system says of a file system: sizes in blocks of `bsize` bytes, and the files that there may be; no number of files where it does not count them. */
export type FileSystem = { bsize: number; blocks: number; bavail: number; files: number; ffree: number };

export type Disk = {
  /** What is wrong, in a sentence that names the folder; null where nothing is. Looks at every call. */
  missing(): string | null;
  /** Whether something could not be written, and cannot be yet. */
  refuses(): boolean;
  /** The error as it is to be raised. Damage is remembered; what says that the disk takes no more becomes a DiskRefusal, and is remembered until the disk takes something again. */
  raised(error: unknown): unknown;
  /** What was found damaged, in sentences that name the file. */
  damaged(): string[];
  close(): void;
};

export type DiskParts = { look: (folder: string) => FileSystem; probe: (folder: string) => Promise<void>; probeEveryMs: number };

const mebibyte = 1024 * 1024;
/** So much is left for work that has been accepted; of a small disk less. */
const mostReserved = 16 * mebibyte;
const reservedShare = 1 / 20;
const fewestFiles = 32;
const mostDamages = 10;

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

const usualParts: DiskParts = { look: (folder) => statfsSync(folder), probe: writeAndRemove, probeEveryMs: 1_000 };

const inMb = (bytes: number): string => (bytes / mebibyte).toFixed(1);

/** What is wrong with the space of a folder; null where there is enough, and where the folder cannot be looked at. */
const shortage = (folder: string, look: DiskParts['look']): string | null => {
  let seen: FileSystem;
  try {
    seen = look(folder);
  } catch {
    return null;
  }
  const free = seen.bavail * seen.bsize;
  const reserved = Math.min(mostReserved, seen.blocks * seen.bsize * reservedShare);
  if (free < reserved) return `The disk of ${folder} is full: ${inMb(free)} MB are free, and the last ${inMb(reserved)} MB are kept for work that was accepted. Free some space; the service goes on by itself.`;
  if (seen.files > 0 && seen.ffree < fewestFiles) return `The disk of ${folder} takes no more files: ${seen.ffree} of ${seen.files} are free. Remove some; the service goes on by itself.`;
  return null;
};

/** Watches the disks of some folders. Once one has refused to be written it is tried every `probeEveryMs` until it takes something again. */
export const openDisk = (folders: readonly string[], { look, probe, probeEveryMs }: DiskParts = usualParts): Disk => {
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
  const missing = (): string | null => folders.map((folder) => shortage(folder, look)).find((sentence) => sentence !== null) ?? refused;

  return {
    missing,
    refuses: () => refused !== null,
    damaged: () => [...damages],
    raised: (error) => {
      if (isDamage(error) && damages.size < mostDamages) damages.add(`A database is damaged: ${(error as Error).message}. Restart the process: it builds anew what can be built anew, and says what to do about the rest.`);
      if (error instanceof DiskRefusal || !isRefusal(error)) return error;
      const refusal = new DiskRefusal(error);
      refused ??= `${folders.join(', ')}: ${refusal.message}. The service goes on by itself once there is room again.`;
      timer ??= setInterval(() => void probeAll(), probeEveryMs).unref();
      return refusal;
    },
    close: () => clearInterval(timer),
  };
};
