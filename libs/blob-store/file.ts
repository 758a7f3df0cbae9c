import { readFile, stat } from 'node:fs/promises';
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

/** Undefined if the file does not exist. */
const readIfExists = (path: string): Promise<Uint8Array | undefined> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

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
    const stored = await readIfExists(pathOf(sha256));
    if (stored && (await sha256Of(stored)) === sha256) await syncFolder(folderOf(sha256));
    else await writeDurably(pathOf(sha256), incoming, bytes);
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
    has: async (sha256) =>
      isSha256(sha256) &&
      stat(pathOf(sha256)).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
          throw error;
        },
      ),
    delete: async (sha256) => {
      if (isSha256(sha256)) await removeDurably(pathOf(sha256));
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
