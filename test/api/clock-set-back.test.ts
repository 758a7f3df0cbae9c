import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idOfStream } from '#contracts/names.ts';
import { newId } from '#libs/ids/ulids.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { getDiagnostics } from '#application/renders/diagnostics.ts';
import { openLimitsCorrection } from '../../services/sweeper/correct-limits.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { stubPrint, renderJob } from '../support/api/stub-renderer.ts';

const start = '2026-05-20T12:00:30.000Z';
const hourMs = 3_600_000;

let api: InProcessApi;
let secret: string;
beforeAll(async () => {
  api = await openInProcessApi(start);
  secret = (await api.createKey(await api.createAccount('pro'))).secret;
});
beforeEach(() => void (api.clock.now = new Date(start)));
afterAll(() => api.closeAndRemove());

const setBack = (): void => void (api.clock.now = new Date(api.clock.now.getTime() - hourMs));

/** Runs a request in a process that fails after its first append to a stream of this kind. */
const dyingAfter = async (kind: string, act: () => Promise<unknown>): Promise<void> => {
  const { store } = api.engines;
  const append = store.append.bind(store);
  let isDead = false;
  store.append = async (stream, ...given) => {
    if (isDead) throw new Error('the process is dead');
    isDead = stream.startsWith(kind);
    return append(stream, ...given);
  };
  await act();
  store.append = append;
};

describe('After the clock is set back by an hour', () => {
  it('an Idempotency-Key of a request that crashed is free at once', async () => {
    const ask = async () => {
      const headers = {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
      };
      return (
        await api.app.inject({
          method: 'POST',
          url: '/api/v1/render/async',
          headers,
          payload: JSON.stringify(htmlRequest),
        })
      ).statusCode;
    };
    await dyingAfter('idempotency-', ask);
    expect(await ask()).toBe(409);
    setBack();
    expect(await ask()).toBe(200);
  });

  it('a template name of a request that crashed is free at once', async () => {
    const create = () => api.request(secret, 'POST', '/api/v1/templates', { name: 'Invoice', content: '<p>x</p>' });
    await dyingAfter('templateName-', create);
    setBack();
    expect((await create()).status).toBe(201);
  });

  it('a pending diagnosis is requested again', async () => {
    const { job_id: id } = (await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest)).body as unknown as {
      job_id: string;
    };
    const stream = await renderJob(api, id);
    const cause = newCause({ kind: 'service', name: 'tests' }, null);
    const estimates = { estimate: async () => ({ waitMs: 0, workMs: 0, pendingRenders: 0 }) };
    const diagnose = () =>
      getDiagnostics(
        { eventLog: api.eventLog, blobs: api.engines.blobs, estimator: estimates },
        idOfStream(stream),
        cause,
        AbortSignal.abort(),
      );
    const asked = async () =>
      (await api.engines.store.read(stream)).filter(({ type }) => type === 'DiagnosisRequested').length;
    await diagnose();
    await diagnose();
    expect(await asked()).toBe(1);
    setBack();
    await diagnose();
    expect(await asked()).toBe(2);
  });

  it('a running render has a duration between zero and one hour', async () => {
    const { job_id: id } = (await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest)).body as unknown as {
      job_id: string;
    };
    await renderJob(api, id, async (request) => {
      setBack();
      return stubPrint(request);
    });
    await api.catchUpReadModels();
    const { body } = await api.request(secret, 'GET', `/api/v1/jobs/${id}`);
    expect(body).toMatchObject({
      status: 'DONE',
      duration_ms: expect.toSatisfy((ms: number) => ms >= 0 && ms < hourMs),
    });
  });
});

it.each([
  ['stays', 0],
  ['is set back by an hour', -hourMs],
  ['is set forward by an hour', hourMs],
])('A counted render that was never accepted is released after 20 s if the clock %s', async (_, byMs) => {
  const account = await api.createAccount();
  const caller = (await api.createKey(account)).secret;
  const left = async () => Number((await api.request(caller, 'GET', '/api/v1/account')).headers['x-quota-remaining']);
  await api.request(caller, 'POST', '/api/v1/render/async', htmlRequest);
  const { limits } = api.engines;
  await limits.countRender({ id: newId(), accountId: account, perMonth: 100, at: api.clock.now });
  let uptimeMs = 0;
  const settle = openLimitsCorrection({ eventLog: api.eventLog, limits }, () => uptimeMs);
  api.clock.now = new Date(api.clock.now.getTime() + byMs);
  await settle();
  uptimeMs = 19_999;
  await settle();
  expect(await left()).toBe(98);
  uptimeMs = 20_000;
  await settle();
  expect(await left()).toBe(99);
});
