import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '#libs/processes/processes.ts';

/** The parts of a composed document, or the data of the service that `colophon render` starts. */
type Content = 'parts' | 'render';
const namePattern = /^colophon-(?:parts|render)-(\d+)-/;
/** The folders that this process uses now. */
const used = new Set<string>();
const remove = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // Another user's folder cannot be removed; its own service does it.
  }
};

// A process can exit in the middle of its work: a command does when the reader of its output has ended.
process.once('exit', () => used.forEach(remove));

/** Runs the work with a new folder for temporary files, and removes the folder when the work ends or fails. */
export const withTemporaryFolder = async <T>(content: Content, work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), `colophon-${content}-${process.pid}-`));
  used.add(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    used.delete(folder);
  }
};

/**
 * Removes the folders that processes left behind when they were killed. A process in another container looks ended. After
 * a restart in a container this process has the id of the killed one.
 */
export const removeAbandonedFolders = (): void => {
  for (const entry of readdirSync(tmpdir(), { withFileTypes: true })) {
    const pid = entry.isDirectory() ? namePattern.exec(entry.name)?.[1] : undefined;
    if (pid === undefined) continue;
    const folder = join(tmpdir(), entry.name);
    if (Number(pid) === process.pid ? used.has(folder) : isAlive(Number(pid))) continue;
    remove(folder);
  }
};
