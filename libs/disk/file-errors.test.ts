import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkIntegrity, findDamage } from '#libs/sqlite/damage.ts';
import { openDatabase } from '#libs/sqlite/database.ts';
import { lockFile } from '#libs/sqlite/lock.ts';
import { describeFileError } from './file-errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'colophon-file-errors-'));
const file = join(folder, 'file');
writeFileSync(file, '');
afterAll(() => rmSync(folder, { recursive: true }));

/** SQLite cannot open a folder. */
const unopened = new RegExp(`^${folder}: unable to open database file\\. Check that this user may write`);

const errorOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
};

it.each<[string, () => unknown, RegExp]>([
  [
    'a file in place of a folder',
    () => readdirSync(file),
    /file cannot be used: a part of its path is not a folder\. TMPDIR/,
  ],
  [
    'a folder that is missing',
    () => mkdtempSync(join(folder, 'gone', 'x-')),
    /gone\/x-.* cannot be used: its folder does not exist\. TMPDIR/,
  ],
  [
    'a file that no user may write',
    () => writeFileSync('/proc/sys/kernel/ostype', 'x'),
    /^\/proc\/sys\/kernel\/ostype cannot be used: (access is denied|the file system is read-only)\.$/,
  ],
  ['a database that cannot be opened', () => openDatabase(folder, 'full'), unopened],
  ['a database that cannot be checked for damage', () => findDamage(folder), unopened],
  ['a database that cannot be checked as a whole', () => checkIntegrity(folder), unopened],
  ['a file that cannot be locked', () => lockFile(folder), unopened],
])('%s is described for the user', (_what, work, expected) => {
  expect(describeFileError(errorOf(work))).toMatch(expected);
});

it('A file of the program that is missing, too many watched files, and other errors are not', () => {
  const tooManyWatches = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'watch', path: folder });
  const errors = [errorOf(() => readFileSync(join(folder, 'gone'))), tooManyWatches, new Error('x'), 'x', undefined];
  expect(errors.map(describeFileError)).toEqual(errors.map(() => null));
});
