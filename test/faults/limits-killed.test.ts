import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#libs/ids/ulids.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob } from '../support/api/stub-renderer.ts';
import { startProgram } from '../support/processes/other-process.ts';
import { type FerretDb, isFerretDbAvailable, startFerretDb } from '../support/ferretdb/server.ts';
import { openLimitsCorrection } from '../../services/sweeper/correct-limits.ts';

let server: FerretDb;
let api: InProcessApi;
const url = (): string => server.url('limits');
beforeEach(async () => {
  server = await startFerretDb();
  api = await openInProcessApi('2026-05-20T12:00:30.000Z', { readStoreUrl: url() });
});
afterEach(async () => {
  await api.closeAndRemove();
  await server.remove();
});

describe.runIf(isFerretDbAvailable)('A process that is killed between counting a render and accepting it', () => {
  it('does not cost the account quota half a minute later, and counts until then', async () => {
    const perMonth = 5;
    const account = await api.createAccount('free', { requestsPerMonth: perMonth, requestsPerMinute: 1_000 });
    const { secret } = await api.createKey(account);
    const render = async () => (await api.request(secret, 'POST', '/api/v1/render', htmlRequest)).status;
    const readRemaining = async () =>
      Number((await api.request(secret, 'GET', '/api/v1/account')).headers['x-quota-remaining']);
    expect(await render()).toBe(200);
    const renders = Array.from({ length: 3 }, () => ({ id: newId(), accountId: account, perMonth, at: api.clock.now }));
    const killed = startProgram('../programs/count-renders.ts', { url: url(), renders });
    await killed.waitForLines(3);
    expect(killed.lines).toEqual(['true', 'true', 'true']);
    await killed.kill();

    let uptimeMs = 0;
    const correct = openLimitsCorrection({ eventLog: api.eventLog, limits: api.engines.limits }, () => uptimeMs);
    // The sweeper corrects every 10 s.
    for (const [atMs, remaining] of [
      [0, 1],
      [10_000, 1],
      [19_999, 1],
      [30_000, 4],
    ] as const) {
      uptimeMs = atMs;
      await correct();
      expect(await readRemaining()).toBe(remaining);
    }
    const statuses = await Promise.all(Array.from({ length: 9 }, render));
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
  });
});

describe.runIf(isFerretDbAvailable)('Counters that several processes correct at once', () => {
  it('give back once what the service itself failed to render', async () => {
    const account = await api.createAccount('free', { requestsPerMonth: 4, requestsPerMinute: 1_000 });
    const { secret } = await api.createKey(account);
    for (let number = 0; number < 2; number += 1)
      await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest);
    const failed = (await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest)).body.job_id!;
    await renderJob(api, failed, () => Promise.reject(new Error('no browser')));
    await api.catchUpReadModels();
    const corrections = Array.from({ length: 3 }, () =>
      openLimitsCorrection({ eventLog: api.eventLog, limits: api.engines.limits }),
    );
    await Promise.all(corrections.map((correct) => correct()));
    expect((await api.request(secret, 'GET', '/api/v1/account')).headers['x-quota-remaining']).toBe('2');
  });
});
