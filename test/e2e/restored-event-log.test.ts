import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareId, readModels } from '#contracts/names.ts';
import { openAccount as appendAccount } from '#application/accounts/commands.ts';
import { neverRebuilt } from '../support/contract/read-store-documents.ts';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { appendRender } from '../support/renders/append-histories.ts';
import { createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { isOnServers } from '../support/environment.ts';

const timeoutMs = 300_000;

let installation: TestInstallation;
beforeEach(async () => void (installation = await openTestInstallation()));
afterEach(() => installation.remove());

const readiness = async ({ url }: RunningService): Promise<{ status: number; missing: string }> => {
  const response = await fetch(`${url}/health/ready`);
  return {
    status: response.status,
    missing: (((await response.json()) as { missing?: string[] }).missing ?? []).join(' '),
  };
};
const waitUntilNotReady = (service: RunningService, sentence: RegExp): Promise<string> =>
  waitUntil(`readiness says ${sentence}`, async () => {
    const { status, missing } = await readiness(service);
    return status === 503 && sentence.test(missing) && missing;
  });
const ready = (service: RunningService): Promise<boolean> =>
  waitUntil('the service is ready', async () => (await readiness(service)).status === 200);

/** Expects the error that every caller gets while the event log is older than its read models. */
const refuses = async (service: RunningService, key: string): Promise<void> => {
  const { status, headers, body } = await createClient(service.url, key).convert('html', '<p>x</p>');
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '5']);
  expect(body.message).toContain('colophon rebuild');
};

/** What commands say about the read models that are ahead. */
const expectRefusedCommands = async (named: string): Promise<void> => {
  const checked = await installation.runCommand('check');
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining(named)]);
  const refusal = await installation.runCommand('account', 'create', '--name', 'never seen', '--plan', 'free');
  expect([refusal.code, refusal.stderr]).toEqual([2, expect.stringContaining(named)]);
};

describe.skipIf(!isOnServers)('An event log that ends before a checkpoint', () => {
  it(
    'makes the service not ready, until "colophon rebuild" has run beside it',
    async () => {
      const named = 'the read models (renders)';
      const key = await createUnlimitedKey(installation);
      await withInstallationEngines(installation, async ({ reads, store }) =>
        reads.moveCheckpoints({ [readModels.renders]: neverRebuilt }, (await store.head()) + 1_000_000),
      );
      const service = await installation.startWithoutWaiting();
      expect(await waitUntilNotReady(service, /older copy/)).toContain(
        `but ${named} were built from it up to position`,
      );
      await refuses(service, key);
      await expectRefusedCommands(named);
      expect(await installation.runJsonCommand('rebuild')).toMatchObject({ older_event_log: true });
      await ready(service);
      await createClient(service.url, key).render('html', '<p>x</p>');
      expect((await service.stop('SIGTERM')).code).toBe(0);
    },
    timeoutMs,
  );
});

/** Copies the file of the event log and restores it. */
const logFile = () => {
  const file = join(installation.dataDir, 'log.db');
  return {
    file,
    keep: () => copyFile(file, `${file}.kept`),
    restore: async () => {
      for (const rest of ['-wal', '-shm']) await rm(file + rest, { force: true });
      await copyFile(`${file}.kept`, file);
    },
  };
};

describe.skipIf(isOnServers)('A restored copy of the event log', () => {
  it(
    'is detected at start and while the service runs until "colophon rebuild", also if it has grown past all checkpoints since',
    async () => {
      const account = await openAccount(installation, '--requests-per-month', '100');
      const { key } = await issueKey(installation, account);
      const { file, keep, restore } = logFile();
      await keep();
      const accountId = bareId('acc', account)!;
      await withInstallationEngines(installation, async ({ store }) => {
        for (let n = 0; n < 3; n += 1) await appendRender(store, { accountId, at: new Date().toISOString() });
      });
      // A command brings the read models up to date.
      await createUnlimitedKey(installation);
      await restore();

      const service = await installation.startWithoutWaiting();
      expect(await waitUntilNotReady(service, /older copy/)).toMatch(
        /the read models \(accounts, apiKeys, renders, .*\) were built/,
      );
      await refuses(service, key);
      await expectRefusedCommands('the read models (accounts, apiKeys, renders, ');
      expect((await installation.runCommand('rebuild', 'renders')).stderr).toContain('without a model');
      expect(await installation.runJsonCommand('rebuild')).toMatchObject({ older_event_log: true });
      await ready(service);
      const before = await withInstallationEngines(installation, ({ store }) => store.head());
      const client = createClient(service.url, key);
      // The three renders that the log no longer has do not count.
      expect((await client.convert('html', '<p>again</p>')).headers.get('x-quota-remaining')).toBe('99');
      const usage = await waitUntil('the render is counted', async () => {
        const { status, body } = await client.request('GET', '/api/v1/usage');
        return status === 200 && (body as { quota: { used: number } }).quota;
      });
      expect(usage.used).toBe(1);

      const database = new DatabaseSync(file, { timeout: 10_000 });
      database.prepare('DELETE FROM events WHERE position > ?').run(before);
      database.close();
      expect(await waitUntilNotReady(service, /older copy/)).toContain('restart it afterwards');
      await refuses(service, key);
      await installation.runJsonCommand('rebuild');
      expect((await readiness(service)).status).toBe(503);
      expect((await service.stop('SIGTERM')).code).toBe(0);
      const again = await installation.start();
      await createClient(again.url, key).render('html', '<p>x</p>');
      expect((await again.stop('SIGTERM')).code).toBe(0);

      const end = await withInstallationEngines(installation, ({ store }) => store.head());
      await restore();
      await withInstallationEngines(installation, async ({ store }) => {
        const log = { store, now: () => new Date() };
        while ((await store.head()) <= end)
          await appendAccount(log, { kind: 'person', name: 'tests' }, { name: 'more', plan: 'free', overrides: {} });
      });
      await expectRefusedCommands('The event log no longer has the event');
      await installation.runJsonCommand('rebuild');
      expect((await installation.runCommand('check')).code).toBe(0);
    },
    timeoutMs,
  );
});
