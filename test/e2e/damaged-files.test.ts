import { openSync, closeSync, writeSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freeKey } from './accounts.ts';
import { clientOf } from './client.ts';
import { jobsOf } from './jobs.ts';
import { type House, openHouse } from './service.ts';
import { isProduction } from './world.ts';

const patienceMs = 180_000;

let house: House;
beforeEach(async () => void (house = await openHouse()));
afterEach(() => house.remove());

const fileOf = (name: string): string => join(house.dataDir, name);
const overwrite = (file: string, at: number, bytes: Uint8Array): void => {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.byteLength, at);
  closeSync(handle);
};
const garbage = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => (index * 37 + 11) % 256);
const pageBytes = 4096;

const damages = {
  'whose beginning was overwritten': (file: string) => overwrite(file, 0, garbage(16)),
  'with a page overwritten': (file: string) => overwrite(file, 2 * pageBytes, garbage(pageBytes)),
  'that is empty, with leftovers of its write-ahead log': (file: string) => {
    writeFileSync(file, '');
    writeFileSync(`${file}-wal`, garbage(3 * pageBytes));
    writeFileSync(`${file}-shm`, garbage(32_768));
  },
} as const;
type Damage = keyof typeof damages;
const ofBeginning: Damage = 'whose beginning was overwritten';

describe.skipIf(isProduction)('A damaged database', () => {
  it.each([
    ...(Object.keys(damages) as Damage[]).map((damage) => ['read-models.db', damage] as const),
    ['bus.db', ofBeginning], ['limits.db', ofBeginning],
  ] as const)('%s %s is built anew from the event log', async (name, damage) => {
    const key = await freeKey(house);
    const first = await house.start();
    const done = await jobsOf(clientOf(first.url, key)).later();
    await jobsOf(clientOf(first.url, key)).ended(done.job_id);
    // Still in the queue when the process ends.
    const open = await jobsOf(clientOf(first.url, key)).later({ wait_time: 5_000 });
    await first.end('SIGKILL');
    const sound = readFileSync(fileOf(name));
    for (const rest of ['-wal', '-shm']) writeFileSync(fileOf(name) + rest, '');
    if (sound.byteLength < 4 * pageBytes) throw new Error(`${name} is too small to be damaged`);
    damages[damage](fileOf(name));

    const second = await house.start();
    const jobs = jobsOf(clientOf(second.url, key));
    expect((await jobs.ended(done.job_id)).status).toBe('DONE');
    expect((await jobs.ended(open.job_id)).status).toBe('DONE');
    expect((await jobs.events(done.job_id)).filter(({ type }) => type === 'RenderStarted')).toHaveLength(1);
    if (!damage.startsWith('that is empty')) {
      const line = second.said().split('\n').find((one) => one.includes('a damaged database was set aside'));
      expect(line).toContain(fileOf(name));
      expect((await readdir(house.dataDir)).filter((one) => one.startsWith(`${name}.damaged-`) && !/-(wal|shm)$/.test(one))).toHaveLength(1);
    }
    await clientOf(second.url, key).render('html', '<p>x</p>');
    expect((await second.end('SIGTERM')).code).toBe(0);
  }, patienceMs);

  it.each([
    ['log.db', ofBeginning], ['log.db', 'with a page overwritten'], ['blobs/small.db', ofBeginning],
  ] as const)('%s %s is never set aside: the start names it and says what to do', async (name, damage) => {
    const key = await freeKey(house);
    const first = await house.start();
    await clientOf(first.url, key).render('html', '<p>x</p>');
    expect((await first.end('SIGTERM')).code).toBe(0);
    damages[damage](fileOf(name));
    const before = readFileSync(fileOf(name));
    const { code, stdout } = await house.command('start');
    expect(code).toBe(1);
    expect(stdout).toContain(`The database ${fileOf(name)} is damaged`);
    expect(stdout).toContain('restore this file from a backup');
    expect(readFileSync(fileOf(name)).equals(before)).toBe(true);
    const command = await house.command('account', 'list');
    expect([command.code, command.stderr]).toEqual([1, expect.stringContaining(`The database ${fileOf(name)} is damaged`)]);
  }, patienceMs);

  it('that can be built anew is left as it is by commands, which say what to do', async () => {
    await freeKey(house);
    damages[ofBeginning](fileOf('read-models.db'));
    const { code, stderr } = await house.command('account', 'list');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/read-models\.db is damaged: .*"colophon start" sets it aside/)]);
  }, patienceMs);
});
