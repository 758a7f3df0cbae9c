import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { requireOnlyProcess } from './only-process.ts';

test('A folder in place of a database file is refused, and nothing is made beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'only-process-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const urls = {
    dataDir: folder,
    eventStoreUrl: `sqlite:${folder}`,
    busUrl: 'memory:',
    readStoreUrl: 'sqlite:',
    blobStoreUrl: 'file:',
  };
  expect(() => requireOnlyProcess(urls as never)).toThrow(`${folder} is a folder; EVENT_STORE_URL`);
  expect(readdirSync(dirname(folder))).not.toContain(`${basename(folder)}.lock`);
});
