import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskRefusal } from '#libs/disk/refusal.ts';
import type { Limits } from '#libs/limits/port.ts';
import { openSqliteLimits } from '#libs/limits/sqlite.ts';
import { countedWithoutDisk } from './limits-on-disk.ts';

const noon = new Date('2026-05-20T12:00:30.000Z');
const nextMinute = new Date('2026-05-20T12:01:30.000Z');
const readMonth = async () => ({ used: 7, through: 1 });

let folder: string;
let stored: Limits;
let full: boolean;
let limits: Limits;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limits-'));
  stored = openSqliteLimits(join(folder, 'limits.db'), readMonth);
  full = false;
  const unlessFull = <G extends unknown[], T>(operation: (...given: G) => Promise<T>) => async (...given: G): Promise<T> => {
    if (full) throw new DiskRefusal(new Error('database or disk is full'));
    return operation(...given);
  };
  limits = countedWithoutDisk({ ...stored, admit: unlessFull(stored.admit), note: unlessFull(stored.note), renders: unlessFull(stored.renders), takeRender: unlessFull(stored.takeRender) }, readMonth);
});
afterEach(async () => {
  await stored.close();
  await rm(folder, { recursive: true, force: true });
});

const admit = (perMinute: number | null, now = noon) => limits.admit('a', { perMinute, perMonth: 10 }, now);

describe('Limits, while the disk takes no counts,', () => {
  it('go on from what was counted before, and let through no more than they may', async () => {
    await admit(5);
    await admit(5);
    full = true;
    const minutes = [];
    for (let n = 0; n < 5; n += 1) minutes.push((await admit(5)).minute);
    expect(minutes.map(({ allowed, used }) => [allowed, used])).toEqual([[true, 3], [true, 4], [true, 5], [false, 5], [false, 5]]);
    expect((await limits.requests('a', 5, noon)).used).toBe(5);
    expect((await admit(5, nextMinute)).minute).toMatchObject({ allowed: true, used: 1 });
  });

  it('tell of a month that was never counted as the log has it', async () => {
    full = true;
    expect((await admit(null)).month).toMatchObject({ allowed: true, limit: 10, used: 7 });
    expect(await limits.renders('a', { perMonth: 7 }, noon)).toMatchObject({ allowed: false, used: 7 });
  });

  it('keep what they are told of requests that none is refused for', async () => {
    full = true;
    await limits.note('a', 4, noon);
    expect((await limits.requests('a', null, noon)).used).toBe(4);
  });

  it('take no render, and raise any other error', async () => {
    full = true;
    await expect(limits.takeRender({ id: 'r', accountId: 'a' }, { perMonth: 10 }, noon)).rejects.toThrow(DiskRefusal);
    const broken = countedWithoutDisk({ ...stored, admit: () => Promise.reject(new Error('a mistake')) }, readMonth);
    await expect(broken.admit('a', { perMinute: 1, perMonth: 1 }, noon)).rejects.toThrow('a mistake');
  });
});
