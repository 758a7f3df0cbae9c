import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLeaderLease, replaceLeaderLease } from '#libs/leader-election/leader-lease.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { isOnServers } from '../support/environment.ts';

let installation: TestInstallation;
beforeEach(async () => void (installation = await openTestInstallation()));
afterEach(() => installation.remove());

describe.skipIf(isOnServers)('The embedded engines', () => {
  it('serve one service process: a second one cannot start until the first has ended, but commands can run', async () => {
    const first = await installation.start();
    const second = await installation.runProcess('start');
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/Another process uses .*log\.db: .* Stop the other one, or .*COLOPHON_DATA_DIR/);
    const key = await createUnlimitedKey(installation);
    await createClient(first.url, key).render('html', '<p>beside the command');
    await first.stop('SIGKILL');
    const third = await installation.start();
    await createClient(third.url, key).render('html', '<p>after a sudden end');
    expect((await third.stop('SIGTERM')).code).toBe(0);
  });

  it('need no leader election: all roles work although the read store has leases of another process', async () => {
    const roles = ['relay', 'projector', 'sweeper'];
    const holder = { id: 'other', name: 'other', pid: 1, pidNamespace: null };
    await withInstallationEngines(installation, async ({ reads }) => {
      for (const role of roles) expect(await replaceLeaderLease(reads, role, 0, holder)).toBe(true);
    });
    const service = await installation.start();
    const key = await createUnlimitedKey(installation);
    const jobs = createJobClient(createClient(service.url, key));
    expect((await jobs.waitUntilEnded((await jobs.submitAsync()).job_id)).status).toBe('DONE');
    await withInstallationEngines(installation, async ({ reads }) => {
      for (const role of roles) expect(await readLeaderLease(reads, role)).toEqual({ renewals: 1, holder });
    });
    expect((await service.stop('SIGTERM')).code).toBe(0);
  });

  it('cannot be used by a process with only some roles, and the error says what to do', async () => {
    const refused = await installation.runProcess('start', 'renderer', 'relay');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      new RegExp(
        '^"colophon start renderer relay" needs engines that processes can share.* Run "colophon start".*' +
          ' EVENT_STORE_URL, BUS_URL and READ_STORE_URL\\.\n$',
      ),
    );
  });
});
