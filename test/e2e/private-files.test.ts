import { spawnSync } from 'node:child_process';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { isOnServers } from '../support/environment.ts';

let installation: TestInstallation;
beforeEach(async () => void (installation = await openTestInstallation()));
afterEach(() => installation.remove());

const nobody = 65534;
const openToOthers = async (): Promise<string[]> => {
  const entries = await readdir(installation.dataDir, { recursive: true, withFileTypes: true });
  const paths = [installation.dataDir, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
  const modes = await Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o077) !== 0));
  return paths.filter((_, index) => modes[index]);
};
/** Too large for the database of small blobs. */
const large = { mode: 'CONVERT', input_type: 'html', data: `<p>large</p><!-- ${'x'.repeat(100_000)} -->` };

// Only the embedded engines have files.
describe.skipIf(isOnServers)('The data folder', () => {
  it('can be read by its own user alone, and documents are rendered', async () => {
    const client = createClient((await installation.start()).url, await createUnlimitedKey(installation));
    const jobs = createJobClient(client);
    for (const source of [smallRequest, large])
      expect(await jobs.waitUntilEnded((await jobs.submitAsync({}, source)).job_id)).toMatchObject({ status: 'DONE' });
    expect((await readdir(installation.dataDir)).toSorted()).toEqual(
      expect.arrayContaining(['blobs', 'log.db', 'log.db-wal', 'secret.key']),
    );
    expect(await openToOthers()).toEqual([]);
  });

  it('is closed to other users at the next start, with a warning', async () => {
    await createUnlimitedKey(installation);
    await chmod(installation.dataDir, 0o755);
    for (const name of ['log.db', 'read-models.db']) await chmod(join(installation.dataDir, name), 0o644);
    await chmod(join(installation.dataDir, 'blobs'), 0o755);
    const service = await installation.start();
    expect(await openToOthers()).toEqual([]);
    expect(service.output()).toContain(`"restricted":["${installation.dataDir}"`);
  });

  it('makes the start fail if all users can write to it', async () => {
    await createUnlimitedKey(installation);
    await chmod(installation.dataDir, 0o1777);
    const { code, stderr } = await installation.runProcess('account', 'list');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Set COLOPHON_DATA_DIR to a folder for Colophon only')]);
  });

  it.runIf(process.getuid!() === 0)('is closed to the user of the browsers', async () => {
    await createUnlimitedKey(installation);
    await chmod(installation.dataDir, 0o755);
    await chmod(join(installation.dataDir, 'log.db'), 0o644);
    const read = () => spawnSync('cat', [join(installation.dataDir, 'log.db')], { uid: nobody, gid: nobody }).status;
    expect(read()).toBe(0);
    await installation.start();
    expect(read()).not.toBe(0);
  });
});
