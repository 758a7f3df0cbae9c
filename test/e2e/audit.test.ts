import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CreatedKeyResponse } from '#contracts/http/keys.ts';
import type { EventListResponse } from '#contracts/http/events.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = sharedService();
let owner: ApiClient;
let created: CreatedKeyResponse;
let render: string;
beforeAll(async () => {
  const account = await openAccount(at.installation, '--requests-per-minute', '100000');
  owner = createClient(at.service.url, (await issueKey(at.installation, account)).key);
  const response = await owner.request('POST', '/api/v1/keys', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'web shop', type: 'test', permissions: ['render:create'] }),
  });
  created = response.body as unknown as CreatedKeyResponse;
  render = (await createClient(at.service.url, created.key).render('markdown', '# Hello')).id;
});

const list = async (query: string): Promise<EventListResponse> => {
  const { status, text, body } = await owner.request('GET', `/api/v1/events${query}`);
  expect(status, text).toBe(200);
  return body as unknown as EventListResponse;
};
const types = async (query: string) => (await list(query)).events.map(({ type }) => type);
const ofRender = ['RenderRequested', 'RenderStarted', 'RenderCompleted'];

describe('The events of an account', () => {
  it('are in order, and selected by each filter', async () => {
    const all = ['AccountOpened', 'ApiKeyIssued', 'ApiKeyIssued', ...ofRender];
    // The read model may lag behind the log.
    const { events } = await waitUntil('the events are shown', async () => {
      const page = await list('?order=oldest');
      return page.events.length === all.length && page;
    });
    expect(events.map(({ type }) => type)).toEqual(all);
    expect(await types('')).toEqual(all.toReversed());
    expect(await types('?kind=render&order=oldest')).toEqual(ofRender);
    expect(await types('?type=ApiKeyIssued')).toEqual(['ApiKeyIssued', 'ApiKeyIssued']);
    expect(await types(`?actor=${created.id}`)).toEqual(['RenderRequested']);
    expect(await types(`?subject=${render}&order=oldest`)).toEqual(ofRender);
    const [requested] = events.slice(3);
    expect(requested).toMatchObject({ subject: render, actor: { kind: 'key', id: created.id, name: 'web shop' } });
    expect(await types(`?since=${requested!.time}&order=oldest`)).toEqual(ofRender);
    expect(await types(`?until=${requested!.time}&order=oldest`)).toEqual(all.slice(0, 3));
    const paged = await list('?limit=4');
    expect(await types(`?limit=4&cursor=${paged.next_cursor}`)).toEqual(all.slice(0, 2).toReversed());
    const { body } = await owner.request('GET', `/api/v1/events/${requested!.id}`);
    expect(body).toEqual(requested);
    const download = await owner.request('GET', '/api/v1/events?format=csv&order=oldest');
    const records = parse<Record<string, string>>(download.text, { columns: true });
    expect(records.map(({ event_id: id }) => id)).toEqual(events.map(({ id }) => id));
  });

  it('say that a key was revoked, which is refused from then on', async () => {
    const revoked = await owner.request('DELETE', `/api/v1/keys/${created.id}?reason=lost`);
    expect(revoked.body).toMatchObject({ id: created.id, state: 'revoked', period: { renders: 1, succeeded: 1 } });
    const refused = await createClient(at.service.url, created.key).convert('markdown', 'x');
    expect([refused.status, refused.body.error]).toEqual([401, 'revoked_api_key']);
    await expect
      .poll(async () => (await list(`?subject=${created.id}&limit=1`)).events)
      .toMatchObject([{ type: 'ApiKeyRevoked', data: { reason: 'lost' } }]);
  });
});
