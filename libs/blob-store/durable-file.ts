import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes the entries of a folder durable. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Creates a folder, if it is missing. Returns false if the one above it is missing. */
const createFolder = async (folder: string): Promise<boolean> => {
  try {
    await mkdir(folder);
    await syncFolder(dirname(folder));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  }
  return true;
};

/**
 * Creates a folder with those above it; durable when it resolves. Node's `recursive` does not end where a file system
 * refuses a folder with ENOENT, as in /proc. @throws the error of the file system
 */
export const createDurableFolder = async (folder: string): Promise<void> => {
  if (await createFolder(folder)) return;
  if (dirname(folder) !== folder) await createDurableFolder(dirname(folder));
  if (!(await createFolder(folder))) await mkdir(folder);
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

/** Writes a file in the folder `incoming`, on the same file system, then moves it to `path`; durable when it resolves. */
const writeAndMove = async (
  path: string,
  incoming: string,
  bytes: Uint8Array,
  move: (temporary: string) => Promise<void>,
): Promise<void> => {
  const temporary = join(incoming, `${randomUUID()}.part`);
  try {
    await writeSyncedFile(temporary, bytes);
    await createDurableFolder(dirname(path));
    await move(temporary);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
};

/** Writes a file atomically; durable when it resolves. `incoming` is a folder on the same file system. */
export const writeDurably = (path: string, incoming: string, bytes: Uint8Array): Promise<void> =>
  writeAndMove(path, incoming, bytes, (temporary) => rename(temporary, path));

/** The same for a file that is written once: if it exists, it stays as it is. */
export const createDurably = (path: string, incoming: string, bytes: Uint8Array): Promise<void> =>
  writeAndMove(path, incoming, bytes, async (temporary) => {
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(temporary);
  });

/** Removes a file; durable when it resolves. A missing file is no error, and costs no sync. */
export const removeDurably = async (path: string): Promise<void> => {
  try {
    await rm(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await syncFolder(dirname(path));
};

// Another process may still be writing a newer one.
const abandonedAfterMs = 60 * 60 * 1000;

/** Removes files that a crash left in `incoming`. */
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
