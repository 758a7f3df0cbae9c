import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#libs/ids/new-id.ts';
import { type Api, html, openApi } from '../api/harness.ts';
import { renderJob } from '../api/renderer.ts';
import { startProcess } from '../contract/other-process.ts';
import { type FerretDb, isFerretDbThere, startFerretDb } from '../ferretdb/server.ts';
import { openCorrection } from '../../services/sweeper/correct-limits.ts';

let server: FerretDb;
let api: Api;
const url = (): string => server.url('limits');
beforeEach(async () => {
  server = await startFerretDb();
  api = await openApi('2026-05-20T12:00:30.000Z', { readStoreUrl: url() });
});
afterEach(async () => {
  await api.close();
  await api.remove();
  await server.remove();
});

describe.runIf(isFerretDbThere)('A process that is killed between counting a render and accepting it', () => {
  it('costs the account nothing a minute later, and lets nobody through in between', async () => {
    const perMonth = 5;
    const account = await api.account('free', { requestsPerMonth: perMonth, requestsPerMinute: 1_000 });
    const { secret } = await api.key(account);
    const render = async () => (await api.ask(secret, 'POST', '/api/v1/render', html)).status;
    const left = async () => Number((await api.ask(secret, 'GET', '/api/v1/account')).headers['x-quota-remaining']);
    expect(await render()).toBe(200);
    const renders = Array.from({ length: 3 }, () => ({ id: newId(), accountId: account, perMonth, at: api.clock.now }));
    const killed = startProcess('../faults/count-and-stop.ts', { url: url(), renders });
    await killed.wrote(3);
    expect(killed.lines).toEqual(['true', 'true', 'true']);
    await killed.kill();

    let uptimeMs = 0;
    const correct = openCorrection({ log: api.log, limits: api.engines.limits }, () => uptimeMs);
    // The sweeper corrects every 10 s.
    for (const [atMs, remaining] of [[0, 1], [10_000, 1], [19_999, 1], [30_000, 4]] as const) {
      uptimeMs = atMs;
      await correct();
      expect(await left()).toBe(remaining);
    }
    const answers = await Promise.all(Array.from({ length: 9 }, render));
    expect(answers.filter((status) => status === 200)).toHaveLength(4);
  });
});

describe.runIf(isFerretDbThere)('Counters that several processes correct at once', () => {
  it('give back what the service itself failed, once', async () => {
    const account = await api.account('free', { requestsPerMonth: 4, requestsPerMinute: 1_000 });
    const { secret } = await api.key(account);
    for (let number = 0; number < 2; number += 1) await api.ask(secret, 'POST', '/api/v1/render/async', html);
    const failed = (await api.ask(secret, 'POST', '/api/v1/render/async', html)).body.job_id!;
    await renderJob(api, failed, () => Promise.reject(new Error('no browser')));
    await api.settled();
    const corrections = Array.from({ length: 3 }, () => openCorrection({ log: api.log, limits: api.engines.limits }));
    await Promise.all(corrections.map((correct) => correct()));
    expect((await api.ask(secret, 'GET', '/api/v1/account')).headers['x-quota-remaining']).toBe('2');
  });
});
