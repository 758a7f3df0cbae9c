import { spawnSync } from 'node:child_process';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freeKey } from './accounts.ts';
import { clientOf } from './client.ts';
import { jobsOf, small } from './jobs.ts';
import { type House, openHouse } from './service.ts';
import { isProduction } from './world.ts';

let house: House;
beforeEach(async () => void (house = await openHouse()));
afterEach(() => house.remove());

const nobody = 65534;
const openToOthers = async (): Promise<string[]> => {
  const entries = await readdir(house.dataDir, { recursive: true, withFileTypes: true });
  const paths = [house.dataDir, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
  const modes = await Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o077) !== 0));
  return paths.filter((_, index) => modes[index]);
};
/** More than goes into a row of the database of small blobs. */
const large = { mode: 'CONVERT', input_type: 'html', data: `<p>large</p><!-- ${'x'.repeat(100_000)} -->` };

// Files are there with the embedded engines alone.
describe.skipIf(isProduction)('What a service and its commands write', () => {
  it('can be read by their own user alone, and documents are rendered all the same', async () => {
    const client = clientOf((await house.start()).url, await freeKey(house));
    const jobs = jobsOf(client);
    for (const source of [small, large]) expect(await jobs.ended((await jobs.later({}, source)).job_id)).toMatchObject({ status: 'DONE' });
    expect((await readdir(house.dataDir)).toSorted()).toEqual(expect.arrayContaining(['blobs', 'log.db', 'log.db-wal', 'secret.key']));
    expect(await openToOthers()).toEqual([]);
  });

  it('is closed to other users at the next start where it was open, which is said', async () => {
    await freeKey(house);
    await chmod(house.dataDir, 0o755);
    for (const name of ['log.db', 'read-models.db']) await chmod(join(house.dataDir, name), 0o644);
    await chmod(join(house.dataDir, 'blobs'), 0o755);
    const service = await house.start();
    expect(await openToOthers()).toEqual([]);
    expect(service.said()).toContain(`"restricted":["${house.dataDir}"`);
  });

  it('stops a start on a folder that all users write to', async () => {
    await freeKey(house);
    await chmod(house.dataDir, 0o1777);
    const { code, stderr } = await house.command('account', 'list');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Give Colophon a folder of its own')]);
  });

  it.runIf(process.getuid!() === 0)('is closed to the user of the browsers', async () => {
    await freeKey(house);
    await chmod(house.dataDir, 0o755);
    await chmod(join(house.dataDir, 'log.db'), 0o644);
    const read = () => spawnSync('cat', [join(house.dataDir, 'log.db')], { uid: nobody, gid: nobody }).status;
    expect(read()).toBe(0);
    await house.start();
    expect(read()).not.toBe(0);
  });
});
