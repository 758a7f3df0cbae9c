import { spawnSync } from 'node:child_process';
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobResponse } from '#contracts/http/jobs.ts';
import { readLeaderLease, replaceLeaderLease } from '#libs/leader-election/leader-lease.ts';
import { createUnlimitedKey, issueKeyByCommand, openAccountByCommand } from '../support/service/accounts.ts';
import type { ProcessResult } from '../support/service/colophon-process.ts';
import { createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { stopService } from '../support/service/for-test-file.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { readStoredText } from '../support/service/stored-text.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';

const token = 'a-token-for-prometheus-0123456789';
const roles = ['relay', 'projector', 'sweeper'];
const holder = { id: 'other', name: 'other', pid: 1, pidNamespace: null };
const nobody = 65534;
/** Too large for the database of small blobs. */
const large = { mode: 'CONVERT', input_type: 'html', data: `<p>large</p><!-- ${'x'.repeat(100_000)} -->` };

let installation: TestInstallation;
let service: RunningService;
const render = async (key: string) => (await createClient(service.url, key).convert('html', '<p>x</p>')).status;

const openToOthers = async (): Promise<string[]> => {
  const entries = await readdir(installation.dataDir, { recursive: true, withFileTypes: true });
  const paths = [installation.dataDir, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
  const modes = await Promise.all(paths.map(async (path) => ((await stat(path)).mode & 0o077) !== 0));
  return paths.filter((_, index) => modes[index]);
};
/** Reads the event log as the user of the browsers. */
const readAsNobody = (): number | null =>
  spawnSync('cat', [join(installation.dataDir, 'log.db')], { uid: nobody, gid: nobody }).status;

/** The first service of the installation, which is killed. */
let first: {
  statuses: Record<string, number>;
  jobs: JobResponse[];
  files: string[];
  openToOthers: string[];
  secondStart: ProcessResult;
};
/** Between the first service and the second one, when all users may read the data. */
let between: { key: string; isReadable: boolean };

const useFirst = async (): Promise<typeof first> => {
  service = await installation.start();
  const printed = (type: string): string =>
    new RegExp(`^ *${type} +(svc_${type}_\\w+)$`, 'm').exec(service.output())?.[1] ?? 'not printed';
  const statuses = { live: await render(printed('live')), test: await render(printed('test')) };
  const secondStart = await installation.runProcess('start');
  const key = await createUnlimitedKey(installation);
  const jobs = createJobClient(createClient(service.url, key));
  const queued = [await jobs.submitAsync(), await jobs.submitAsync({}, large)];
  const ended = await Promise.all(queued.map(({ job_id }) => jobs.waitUntilEnded(job_id)));
  const files = await readdir(installation.dataDir);
  const seen = { statuses, jobs: ended, files, openToOthers: await openToOthers(), secondStart };
  await service.stop('SIGKILL');
  return seen;
};

beforeAll(async () => {
  installation = await openTestInstallation({ METRICS_TOKEN: token });
  first = await useFirst();
  await withInstallationEngines(installation, async ({ reads }) => {
    for (const role of roles) await replaceLeaderLease(reads, role, 0, holder);
  });
  const account = await openAccountByCommand(installation);
  between = { key: (await issueKeyByCommand(installation, account)).key, isReadable: false };
  await chmod(installation.dataDir, 0o755);
  for (const name of ['log.db', 'read-models.db']) await chmod(join(installation.dataDir, name), 0o644);
  await chmod(join(installation.dataDir, 'blobs'), 0o755);
  between.isReadable = process.getuid!() === 0 && readAsNobody() === 0;
  service = await installation.start();
});
afterAll(async () => {
  try {
    await stopService(service);
  } finally {
    await installation.remove();
  }
});

describe('The embedded engines', () => {
  it('serve one service process: a second one cannot start until the first has ended, but commands can run', async () => {
    expect(first.secondStart.code).toBe(1);
    expect(first.secondStart.stderr).toMatch(
      /Another process uses .*log\.db: .* Stop the other one, or .*COLOPHON_DATA_DIR/,
    );
    expect(await render(await createUnlimitedKey(installation))).toBe(200);
  });

  it('need no leader election: all roles work although the read store has leases of another process', async () => {
    const jobs = createJobClient(createClient(service.url, between.key));
    expect((await jobs.waitUntilEnded((await jobs.submitAsync()).job_id)).status).toBe('DONE');
    await withInstallationEngines(installation, async ({ reads }) => {
      for (const role of roles) expect(await readLeaderLease(reads, role)).toEqual({ renewals: 1, holder });
    });
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

describe('The data folder', () => {
  it('can be read by its own user alone, and documents are rendered', () => {
    expect(first.jobs.map(({ status }) => status)).toEqual(['DONE', 'DONE']);
    expect(first.files).toEqual(expect.arrayContaining(['blobs', 'log.db', 'log.db-wal', 'secret.key']));
    expect(first.openToOthers).toEqual([]);
  });

  it('is closed to other users at the next start, with a warning', async () => {
    expect(await openToOthers()).toEqual([]);
    expect(service.output()).toContain(`"restricted":["${installation.dataDir}"`);
  });

  it.runIf(process.getuid!() === 0)('is closed to the user of the browsers', () => {
    expect(between.isReadable).toBe(true);
    expect(readAsNobody()).not.toBe(0);
  });

  it('makes the start fail if all users can write to it', async () => {
    const open = await openTestInstallation();
    try {
      await chmod(open.dataDir, 0o1777);
      const { code, stderr } = await open.runProcess('account', 'create', '--name', 'x', '--plan', 'free');
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('Set COLOPHON_DATA_DIR to a folder for Colophon only'),
      ]);
    } finally {
      await open.remove();
    }
  });
});

describe('Keys', () => {
  it('that the first start prints work', () => {
    expect(first.statuses).toEqual({ live: 200, test: 200 });
  });

  it('are issued by the command line without a service, and work once it starts', async () => {
    expect(await render(between.key)).toBe(200);
  });

  it('are shown once and stored nowhere', async () => {
    const { key } = await issueKeyByCommand(installation, await openAccountByCommand(installation));
    expect(await render(key)).toBe(200);
    const files = await readStoredText(installation);
    expect(files.length).toBeGreaterThan(3);
    for (const issued of [key, between.key]) {
      for (const file of files) expect(file.includes(issued)).toBe(false);
      expect(service.output()).not.toContain(issued);
    }
  });
});

describe('The metrics', () => {
  it('need the metrics token if it is set', async () => {
    for (const key of [null, 'wrong', `${token}x`]) {
      const response = await createClient(service.url, key).request('GET', '/metrics');
      expectErrorResponse(response, 'invalid_metrics_token');
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
    const allowed = await createClient(service.url, token).request('GET', '/metrics');
    expect([allowed.status, allowed.text]).toEqual([200, expect.stringContaining('# TYPE')]);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    expectErrorResponse(await createClient(service.url, null).request('POST', '/metrics'), 'method_not_allowed', {
      allowed: ['GET', 'HEAD'],
    });
    expectErrorResponse(await createClient(service.url, null).request('GET', '/nothing'), 'not_found');
    expect(service.output()).not.toContain(token);
    expect(service.output()).not.toContain('reachable from other machines without TLS');
  });
});
