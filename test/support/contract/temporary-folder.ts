import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder for a test. */
export const temporaryFolder = async (): Promise<{ folder: string; remove: () => Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-contract-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
};

/** Opens an engine in a temporary folder, for the contract tests. */
export const openInTemporaryFolder = async <Engine extends { close(): Promise<void> }>(
  open: (folder: string) => Engine | Promise<Engine>,
) => {
  const { folder, remove } = await temporaryFolder();
  const all = [await open(folder)];
  const closeAll = async (): Promise<void> => {
    for (const engine of all) await engine.close();
  };
  return {
    folder,
    engine: all[0]!,
    reopen: async (): Promise<Engine> => {
      await closeAll();
      const again = await open(folder);
      all.push(again);
      return again;
    },
    /** Opens the same storage again while the others are open. */
    another: async (): Promise<Engine> => {
      const more = await open(folder);
      all.push(more);
      return more;
    },
    close: async (): Promise<void> => {
      await closeAll();
      await remove();
    },
  };
};
