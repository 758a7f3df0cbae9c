import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findDamage } from '#libs/sqlite/damage.ts';
import { openDatabase } from '#libs/sqlite/database.ts';
import { type SetAside, soundOrSetAside } from './sound-files.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sound-files-'));
  file = join(folder, 'limits.db');
  writeFileSync(file, 'no database');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const set: SetAside[] = [];
const tell = (what: SetAside): number => set.push(what);
beforeEach(() => void set.splice(0));

it('A damaged database is set aside, once', () => {
  expect([soundOrSetAside(file, tell), soundOrSetAside(file, tell)]).toEqual([true, false]);
  expect(set.map(({ kept_as }) => readFileSync(kept_as, 'utf8'))).toEqual(['no database']);
});

it('A database that another process has built anew meanwhile is left as it is', () => {
  const built = (): void => {
    renameSync(file, `${file}.damaged-by-the-other`);
    openDatabase(file, 'normal').close();
  };
  let looks = 0;
  const find = (one: string): string | null => {
    const reason = findDamage(one);
    if (++looks === 1) built();
    return reason;
  };
  expect(soundOrSetAside(file, tell, new Date(), find)).toBe(false);
  expect([set, findDamage(file), readdirSync(folder).toSorted()]).toEqual([[], null, ['limits.db', 'limits.db.damaged-by-the-other']]);
});
