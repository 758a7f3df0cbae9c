import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
afterAll(() => api.closeAndRemove());

const render = (secret: string, body: unknown = htmlRequest) => api.request(secret, 'POST', '/api/v1/render', body);

describe('A used-up quota', () => {
  it('rejects a render before anything of it is stored, but not with a test key', async () => {
    const account = await api.createAccount('free', { requestsPerMonth: 1, requestsPerMinute: 1_000 });
    const [live, test] = [await api.createKey(account), await api.createKey(account, { keyType: 'test' })];
    expect((await render(live.secret)).status).toBe(200);
    const unseen = '<p>never stored</p>';
    expect((await render(live.secret, { ...htmlRequest, data: unseen })).body).toMatchObject({
      error: 'quota_exceeded',
      quota_used: 1,
    });
    expect(await api.engines.blobs.has(hash('sha256', unseen, 'hex'))).toBe(false);
    expect((await render(test.secret)).status).toBe(200);
  });

  it('does not reject a request that ends in the next month', async () => {
    const { secret } = await api.createKey(
      await api.createAccount('free', { requestsPerMonth: 1, requestsPerMinute: 1_000 }),
    );
    api.clock.now = new Date('2026-05-31T23:59:59.999Z');
    expect((await render(secret)).status).toBe(200);
    const slowly = async function* () {
      api.clock.now = new Date('2026-06-01T00:00:00.000Z');
      yield Buffer.from(JSON.stringify(htmlRequest));
    };
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    expect(
      (await api.app.inject({ method: 'POST', url: '/api/v1/render', headers, payload: Readable.from(slowly()) }))
        .statusCode,
    ).toBe(200);
  });
});
