import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findDamage } from '#libs/sqlite/damage.ts';
import { openDatabase } from '#libs/sqlite/database.ts';
import { type SetAsideFile, undamagedOrSetAside } from './damaged-files.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'damaged-files-'));
  file = join(folder, 'limits.db');
  writeFileSync(file, 'no database');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setAsideFiles: SetAsideFile[] = [];
const onSetAside = (what: SetAsideFile): number => setAsideFiles.push(what);
beforeEach(() => void setAsideFiles.splice(0));

it('A damaged database is renamed once', () => {
  expect([undamagedOrSetAside(file, onSetAside), undamagedOrSetAside(file, onSetAside)]).toEqual([true, false]);
  expect(setAsideFiles.map(({ kept_as }) => readFileSync(kept_as, 'utf8'))).toEqual(['no database']);
});

it('A database that another process has rebuilt in between is not renamed', () => {
  const rebuild = (): void => {
    renameSync(file, `${file}.damaged-by-the-other`);
    openDatabase(file, 'normal').close();
  };
  let checks = 0;
  const find = (path: string): string | null => {
    const reason = findDamage(path);
    if (++checks === 1) rebuild();
    return reason;
  };
  expect(undamagedOrSetAside(file, onSetAside, new Date(), find)).toBe(false);
  expect([setAsideFiles, findDamage(file), readdirSync(folder).toSorted()]).toEqual([
    [],
    null,
    ['limits.db', 'limits.db.damaged-by-the-other'],
  ]);
});
