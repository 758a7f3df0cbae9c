import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeFileError } from './file-errors.ts';
import { makeFolder } from './make-folder.ts';

test('A folder is made with those above it, once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'make-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const inner = join(folder, 'a', 'b');
  makeFolder(inner);
  makeFolder(inner);
  expect(existsSync(inner)).toBe(true);
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(folder, 'file', 'a'))).toThrow('ENOTDIR');
});

test.skipIf(process.platform !== 'linux')('A folder that the file system refuses is an error', () => {
  expect(() => makeFolder('/proc/nothing/here')).toThrow('ENOENT');
  const described = ((): string | null => {
    try {
      makeFolder('/proc/nothing');
      return null;
    } catch (error) {
      return describeFileError(error);
    }
  })();
  expect(described).toBe('/proc/nothing cannot be used: no folder can be made there.');
});
