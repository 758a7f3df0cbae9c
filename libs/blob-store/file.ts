import { readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createDurableFolder,
  createDurably,
  removeAbandonedFiles,
  removeDurably,
  syncFolder,
  writeDurably,
} from './durable-file.ts';
import { BlobNotFound, type BlobStore } from './port.ts';
import { isSha256, sha256Of } from './sha256.ts';

/** The result for a file; undefined if it does not exist. */
const ifExists = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
const readIfExists = (path: string): Promise<Uint8Array | undefined> => ifExists(readFile(path));

/** Sets the time of a file to now. False if it does not exist. */
const touch = async (path: string): Promise<boolean> => {
  const now = new Date();
  return (await ifExists(utimes(path, now, now).then(() => true))) ?? false;
};

/** Up to this size the bytes are copied, so that the caller may change the buffer while the file is written. */
const maxCopiedBytes = 64 * 1024;

/** A blob per file in a folder. Processes on one machine can share it. */
export const openFileBlobStore = async (folder: string): Promise<BlobStore> => {
  const incoming = join(folder, 'incoming');
  await createDurableFolder(folder);
  await createDurableFolder(incoming);
  await removeAbandonedFiles(incoming);

  const folderOf = (sha256: string): string => join(folder, sha256.slice(0, 2));
  const pathOf = (sha256: string): string => join(folderOf(sha256), sha256);
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  const write = async (bytes: Uint8Array): Promise<string> => {
    const sha256 = await sha256Of(bytes);
    const path = pathOf(sha256);
    const stored = await readIfExists(path);
    if (stored && (await sha256Of(stored)) === sha256 && (await touch(path))) await syncFolder(folderOf(sha256));
    else await writeDurably(path, incoming, bytes);
    return sha256;
  };

  const idFile = join(folder, 'installation-id');
  const installationId = async (): Promise<string | null> => {
    const id = await readIfExists(idFile);
    return id === undefined ? null : Buffer.from(id).toString('utf8');
  };

  return {
    maxAppendedBytes: 0,
    put: async (bytes) => {
      if (isClosed) throw new Error(`the blob store ${folder} is closed`);
      const size = bytes.byteLength;
      const writing = write(size > maxCopiedBytes ? bytes : new Uint8Array(bytes));
      running.add(writing);
      try {
        return { sha256: await writing, size };
      } finally {
        running.delete(writing);
      }
    },
    get: async (sha256) => {
      const bytes = isSha256(sha256) ? await readIfExists(pathOf(sha256)) : undefined;
      if (!bytes || (await sha256Of(bytes)) !== sha256) throw new BlobNotFound(sha256);
      return bytes;
    },
    has: async (sha256) => isSha256(sha256) && (await ifExists(stat(pathOf(sha256)))) !== undefined,
    delete: async (sha256, storedBefore) => {
      if (!isSha256(sha256)) return true;
      const path = pathOf(sha256);
      if (storedBefore && ((await ifExists(stat(path)))?.mtime ?? 0) >= storedBefore) return false;
      await removeDurably(path);
      return true;
    },
    installationId,
    setInstallationId: async (id) => {
      await createDurably(idFile, incoming, Buffer.from(id));
      return (await installationId())!;
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(running);
    },
  };
};
