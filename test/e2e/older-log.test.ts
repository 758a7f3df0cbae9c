import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readModels } from '#contracts/names.ts';
import { openAccount as openAccountInLog } from '#application/accounts/commands.ts';
import { freeKey } from './accounts.ts';
import { clientOf } from './client.ts';
import { lookInto } from './engines.ts';
import { type House, openHouse, type Service } from './service.ts';
import { until } from './until.ts';
import { isProduction } from './world.ts';

const patienceMs = 180_000;

let house: House;
beforeEach(async () => void (house = await openHouse()));
afterEach(() => house.remove());

const readiness = async ({ url }: Service): Promise<{ status: number; missing: string }> => {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, missing: (((await response.json()) as { missing?: string[] }).missing ?? []).join(' ') };
};
const told = (service: Service, sentence: RegExp): Promise<string> =>
  until(`readiness says ${sentence}`, async () => {
    const { status, missing } = await readiness(service);
    return status === 503 && sentence.test(missing) && missing;
  });
const ready = (service: Service): Promise<boolean> => until('the service is ready', async () => (await readiness(service)).status === 200);

/** What every caller is told while the log is older than what was built from it. */
const refuses = async (service: Service, key: string): Promise<void> => {
  const { status, headers, body } = await clientOf(service.url, key).convert('html', '<p>x</p>');
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '5']);
  expect(body.message).toContain('colophon rebuild');
};

describe('An event log that ends before a checkpoint', () => {
  it.each([
    ['of a read model', readModels.renders, 'the read models (renders)'],
  ])('%s makes the service not ready, until "colophon rebuild" has run beside it', async (_of, model, named) => {
    const key = await freeKey(house);
    await lookInto(house, async ({ reads, store }) => reads.moveCheckpoints({ [model]: '' }, (await store.head()) + 1_000_000));
    const service = await house.startUnready();
    expect(await told(service, /older copy/)).toContain(`but ${named} were built from it up to position`);
    await refuses(service, key);
    const refusal = await house.command('account', 'create', '--name', 'never seen', '--plan', 'free');
    expect([refusal.code, refusal.stderr]).toEqual([2, expect.stringContaining(named)]);
    expect(await house.colophon('rebuild')).toMatchObject({ older_log: true });
    await ready(service);
    await clientOf(service.url, key).render('html', '<p>x</p>');
    expect((await service.end('SIGTERM')).code).toBe(0);
  }, patienceMs);
});

/** The event log as a file, put back as it was. */
const logFile = () => {
  const file = join(house.dataDir, 'log.db');
  return {
    file,
    keep: () => copyFile(file, `${file}.kept`),
    restore: async () => {
      for (const rest of ['-wal', '-shm']) await rm(file + rest, { force: true });
      await copyFile(`${file}.kept`, file);
    },
  };
};

describe.skipIf(isProduction)('A restored copy of the event log', () => {
  it('is noticed at start, and the service works on it after "colophon rebuild"', async () => {
    const key = await freeKey(house, '--requests-per-month', '100');
    const { keep, restore } = logFile();
    await keep();
    const first = await house.start();
    for (let n = 0; n < 3; n += 1) await clientOf(first.url, key).render('html', `<p>${n}</p>`);
    expect((await first.end('SIGTERM')).code).toBe(0);
    await restore();
    const second = await house.startUnready();
    expect(await told(second, /older copy/)).toMatch(/the read models \(accounts, apiKeys, renders, .*\) were built/);
    await refuses(second, key);
    expect((await house.command('rebuild', 'renders')).stderr).toContain('Name no model');
    await house.colophon('rebuild');
    await ready(second);
    const client = clientOf(second.url, key);
    // The three renders that the log no longer has do not count.
    expect((await client.convert('html', '<p>again</p>')).headers.get('x-quota-remaining')).toBe('99');
    const usage = await until('the render is counted', async () => {
      const { status, body } = await client.ask('GET', '/api/v1/usage');
      return status === 200 && (body as { quota: { used: number } }).quota;
    });
    expect(usage.used).toBe(1);
    expect((await second.end('SIGTERM')).code).toBe(0);
  }, patienceMs);

  it('is noticed also where it has grown past all checkpoints since', async () => {
    const key = await freeKey(house);
    const { keep, restore } = logFile();
    await keep();
    const first = await house.start();
    await clientOf(first.url, key).render('html', '<p>x</p>');
    expect((await first.end('SIGTERM')).code).toBe(0);
    const before = await lookInto(house, ({ store }) => store.head());
    await restore();
    await lookInto(house, async ({ store }) => {
      const log = { store, now: () => new Date() };
      while ((await store.head()) <= before) await openAccountInLog(log, { kind: 'person', name: 'tests' }, { name: 'more', plan: 'free', overrides: {} });
    });
    const second = await house.startUnready();
    expect(await told(second, /no longer has the event/)).toContain('colophon rebuild');
    await refuses(second, key);
    await house.colophon('rebuild');
    await ready(second);
    await clientOf(second.url, key).render('html', '<p>x</p>');
    expect((await second.end('SIGTERM')).code).toBe(0);
  }, patienceMs);

  it('is noticed while the service runs, which has to be restarted after "colophon rebuild"', async () => {
    const key = await freeKey(house);
    const service = await house.start();
    const before = await lookInto(house, ({ store }) => store.head());
    await clientOf(service.url, key).render('html', '<p>x</p>');
    const database = new DatabaseSync(logFile().file, { timeout: 10_000 });
    database.prepare('DELETE FROM events WHERE position > ?').run(before);
    database.close();
    expect(await told(service, /older copy/)).toContain('restart it afterwards');
    await refuses(service, key);
    await house.colophon('rebuild');
    expect((await readiness(service)).status).toBe(503);
    expect((await service.end('SIGTERM')).code).toBe(0);
    const again = await house.start();
    await clientOf(again.url, key).render('html', '<p>x</p>');
    expect((await again.end('SIGTERM')).code).toBe(0);
  }, patienceMs);
});
