import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes durable what was added to a folder or taken from it. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Makes a folder within one that is there; durable when it resolves. */
export const createDurableFolder = async (folder: string): Promise<void> => {
  const made = await mkdir(folder, { recursive: true });
  if (made !== undefined) await syncFolder(dirname(folder));
};

const writeSyncedFile = async (path: string, bytes: Uint8Array): Promise<void> => {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Puts a file at `path` as a whole or not at all, by way of `incoming` on the same file system; durable when it resolves. */
export const writeDurably = async (path: string, incoming: string, bytes: Uint8Array): Promise<void> => {
  const temporary = join(incoming, `${randomUUID()}.part`);
  try {
    await writeSyncedFile(temporary, bytes);
    await createDurableFolder(dirname(path));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
};

// A younger one may be in the hands of another process.
const abandonedAfterMs = 60 * 60 * 1000;

/** Removes what a crash left in `incoming`. */
export const removeAbandonedFiles = async (incoming: string): Promise<void> => {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const changed = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (Date.now() - changed > abandonedAfterMs) await rm(path, { force: true });
  }
};
