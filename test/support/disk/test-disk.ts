import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvironmentVariables } from '../service/colophon-process.ts';
import type { RunningService } from '../service/installation.ts';

/** A disk that a test can fill and free. */
export type TestDisk = {
  settings: EnvironmentVariables;
  fill(service: RunningService): void;
  free(service: RunningService): void;
  remove(): Promise<void>;
};

const size = '32m';

const mountTmpfs = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status === 0;

/** Writes until the disk is full. */
const fillUp = (file: string): void => {
  const handle = openSync(file, 'w');
  try {
    for (const bytes of [64 * 1024, 1024, 1]) {
      try {
        for (;;) writeSync(handle, Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(handle);
  }
};

/** Mounts a small file system; null if the user may not mount one. */
export const mountSmallDisk = async (): Promise<TestDisk | null> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-disk-'));
  if (!mountTmpfs(folder)) {
    await rm(folder, { recursive: true });
    return null;
  }
  const file = join(folder, 'full');
  return {
    settings: { COLOPHON_DATA_DIR: join(folder, 'data') },
    fill: () => fillUp(file),
    free: () => rmSync(file, { force: true }),
    remove: async () => {
      execFileSync('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const limitFileSize = (pid: number, bytes: string): void =>
  void execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);

/**
 * The usual disk with a limit on the file size of the service's process: while it is full, writes fail with EFBIG. Needs no
 * privileges.
 */
export const openWriteLimitedDisk = (): Omit<TestDisk, 'remove'> => ({
  settings: { NODE_OPTIONS: `--import=${fileURLToPath(new URL('./ignore-file-size-signal.mjs', import.meta.url))}` },
  fill: ({ pid }) => limitFileSize(pid, '1'),
  free: ({ pid }) => limitFileSize(pid, 'unlimited'),
});
