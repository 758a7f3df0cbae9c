import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiKeyIdOf } from '#contracts/names.ts';
import { revokeKey } from '#application/api-keys/commands.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
let url: string;
const start = '2026-05-20T12:00:00.000Z';
beforeAll(async () => {
  api = await openInProcessApi(start, { liveHeartbeatMs: 50 });
  url = `${await api.app.listen({ port: 0, host: '127.0.0.1' })}/api/v1/events/live`;
});
beforeEach(() => void (api.clock.now = new Date(start)));
afterAll(() => api.closeAndRemove());

const openKey = async (options: Parameters<InProcessApi['createKey']>[1] = {}) => {
  const accountId = await api.createAccount();
  return { accountId, ...(await api.createKey(accountId, options)) };
};

/** Opens a stream. `until` reads on until the text since the last call has a part; `end` reads to the end. */
const follow = async (secret: string, lastEventId?: string) => {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${secret}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
    signal: controller.signal,
  });
  expect(response.status).toBe(200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const read = async (isEnough: (text: string) => boolean): Promise<string> => {
    for (let text = ''; ;) {
      const { value, done } = await reader.read();
      text += value ?? '';
      if (done || isEnough(text)) return text;
    }
  };
  return {
    response,
    until: (part: string) => read((text) => text.includes(part)),
    end: () => read(() => false),
    close: () => controller.abort(),
  };
};
const render = async (secret: string): Promise<string> => {
  const { body } = await api.request(secret, 'POST', '/api/v1/render', htmlRequest);
  return String(body.id);
};

describe('GET /api/v1/events/live', () => {
  it('sends each event of the account without its data, once queries show it', async () => {
    const { secret, accountId } = await openKey();
    const stream = await follow(secret);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    const other = await openKey();
    await render(other.secret);
    const id = await render(secret);
    const text = await stream.until('RenderRequested');
    expect(text).toMatch(new RegExp(`id: \\d+\\ndata: {"type":"RenderRequested","subject":"${id}"}\\n\\n`));
    expect(text.match(/RenderRequested/g)).toHaveLength(1);
    expect((await api.request(secret, 'GET', `/api/v1/renders/${id}`)).status).toBe(200);
    const key = await api.createKey(accountId);
    await stream.until(`data: {"type":"ApiKeyIssued","subject":"${apiKeyIdOf(key.id)}"}`);
    stream.close();
  });

  it('continues after the last event that the client has, and keeps idle connections open', async () => {
    const { secret } = await openKey();
    const first = await follow(secret);
    const seen = await render(secret);
    const [, position] = /id: (\d+)\ndata/.exec(await first.until(seen))!;
    first.close();
    const missed = await render(secret);
    const second = await follow(secret, position);
    const text = await second.until(missed);
    expect(text).not.toContain(seen);
    await second.until(': heartbeat\nid: ');
    second.close();
  });

  it('continues exactly there, whatever other accounts did meanwhile', async () => {
    const { secret } = await openKey();
    const first = await follow(secret);
    const seen = await render(secret);
    const [, position] = /id: (\d+)\ndata/.exec(await first.until(seen))!;
    first.close();
    const busy = await openKey();
    for (let request = 0; request < 21; request += 1) await api.requestRenders(busy.accountId, 100, 'poll');
    const missed = await render(secret);
    const second = await follow(secret, position);
    const text = await second.until(': heartbeat');
    expect(text.match(/"subject":"render_\w+"/g)).toEqual([`"subject":"${missed}"`]);
    expect(text).not.toContain('event: reset');
    second.close();
  });

  it('ends when its key is revoked', async () => {
    const { accountId, secret, id } = await openKey();
    const stream = await follow(secret);
    await revokeKey(api.eventLog, id, null, newCause({ kind: 'person', name: 'tests' }, accountId));
    expect(await stream.end()).toContain('event: end\ndata: {"reason":"access_ended"}\n\n');
  });

  it('ends when its key expires, and when its account is suspended', async () => {
    const temporary = await openKey({ expiresAt: '2026-05-20T13:00:00.000Z' });
    const suspended = await openKey();
    const streams = [await follow(temporary.secret), await follow(suspended.secret)] as const;
    api.clock.now = new Date('2026-05-20T13:00:00.000Z');
    expect(await streams[0].end()).toContain('"access_ended"');
    await api.updateAccount(suspended.accountId, { type: 'suspend', reason: 'unpaid' });
    expect(await streams[1].end()).toContain('"access_ended"');
  });

  it('is limited per key', async () => {
    const { secret } = await openKey();
    const streams = await Promise.all(Array.from({ length: 4 }, () => follow(secret)));
    const { status, headers, body } = await api.request(secret, 'GET', '/api/v1/events/live');
    expect([status, body.error, body.limit, headers['retry-after']]).toEqual([429, 'too_many_streams', 4, '30']);
    for (const stream of streams) stream.close();
  });

  it('answers HEAD without a stream', async () => {
    const { secret } = await openKey();
    const response = await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${secret}` } });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

it('A service that stops ends its live streams at once', async () => {
  const stopping = await openInProcessApi(start);
  const address = await stopping.app.listen({ port: 0, host: '127.0.0.1' });
  const { secret } = await stopping.createKey(await stopping.createAccount());
  const response = await fetch(`${address}/api/v1/events/live`, { headers: { authorization: `Bearer ${secret}` } });
  const [text] = await Promise.all([response.text(), stopping.close()]);
  expect(text).toContain('event: end\ndata: {"reason":"service_stopping"}\n\n');
  await stopping.remove();
});
