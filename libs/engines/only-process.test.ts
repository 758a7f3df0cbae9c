import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { requireOnlyProcess } from './only-process.ts';

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'only-process-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

const urlsIn = (dataDir: string) => ({
  dataDir,
  eventStoreUrl: 'sqlite:',
  busUrl: 'memory:',
  readStoreUrl: 'sqlite:',
  blobStoreUrl: 'file:',
});

test('One file for the event log and the read models is refused', () => {
  const folder = temporaryFolder();
  const urls = { ...urlsIn(folder), readStoreUrl: `sqlite:${folder}/./log.db` };
  expect(() => requireOnlyProcess(urls)).toThrow(`both name ${join(folder, 'log.db')}; allowed are two files.`);
});

test('A folder in place of a database file is refused, and nothing is made beside it', () => {
  const folder = temporaryFolder();
  const urls = { ...urlsIn(folder), eventStoreUrl: `sqlite:${folder}` };
  expect(() => requireOnlyProcess(urls)).toThrow(`${folder} is a folder; EVENT_STORE_URL`);
  expect(readdirSync(dirname(folder))).not.toContain(`${basename(folder)}.lock`);
});
