import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeAbandonedFolders, withTemporaryFolder } from './temporary-folder.ts';

it.each(['parts', 'render'] as const)(
  'A folder of a killed process is removed, also if this process has its id; a folder in use is not: %s',
  async (content) => {
    const left = join(tmpdir(), `colophon-${content}-${process.pid}-left00`);
    mkdirSync(left);
    writeFileSync(join(left, '0.pdf'), '');
    const inUse = await withTemporaryFolder(content, async (folder) => {
      removeAbandonedFolders();
      expect([existsSync(left), existsSync(folder)]).toEqual([false, true]);
      return folder;
    });
    expect(existsSync(inUse)).toBe(false);
  },
);
