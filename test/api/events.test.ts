import { PassThrough } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '#contracts/events/metadata.ts';
import { eventListResponse, eventResponse } from '#contracts/http/events.ts';
import { accountIdOf, apiKeyIdOf, streams } from '#contracts/names.ts';
import { newAggregate } from '#application/command-handling/aggregate.ts';
import { hashSecret } from '#application/api-keys/secret.ts';
import { newId } from '#libs/ids/ulids.ts';
import { person } from '#libs/domain/person.ts';
import { createEventDownloadLimiter, downloadPages, maxDownloads } from '../../services/api/events/download.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob } from '../support/api/stub-renderer.ts';

const start = '2026-05-20T12:00:00.000Z';
let api: InProcessApi;
let account: string;
let owner: { id: string; secret: string };
let shop: { id: string; secret: string };
let job: string;
let template: string;

/** Sets the clock to this many minutes after the start. */
const setMinute = (minutes: number): void => void (api.clock.now = new Date(Date.parse(start) + minutes * 60_000));

beforeAll(async () => {
  api = await openInProcessApi(start);
  account = await api.createAccount('pro');
  owner = await api.createKey(account, { name: 'owner' });
  setMinute(1);
  shop = await api.createKey(account, { name: '=SUM(A1)' });
  setMinute(2);
  const requested = await api.request(shop.secret, 'POST', '/api/v1/render/async', {
    ...htmlRequest,
    webhook_url: 'https://example.com/hook',
  });
  job = String(requested.body['job_id']);
  await renderJob(api, job);
  setMinute(3);
  template = String(
    (await api.request(owner.secret, 'POST', '/api/v1/templates', { name: 'Letter', content: '<p>{{x}}</p>' })).body[
      'id'
    ],
  );
  setMinute(4);
  await api.updateAccount(account, { type: 'changePlan', plan: 'business', overrides: {}, reason: 'grown' });
  await api.catchUpReadModels();
});
afterAll(() => api.closeAndRemove());

const list = async (query = '', secret = owner.secret) => {
  const { status, body } = await api.request(secret, 'GET', `/api/v1/events${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return eventListResponse.parse(body);
};
const types = async (query: string) => (await list(query)).events.map(({ type }) => type);
const download = (query: string, headers: Record<string, string> = {}) =>
  api.app.inject({
    method: 'GET',
    url: `/api/v1/events${query}`,
    headers: { authorization: `Bearer ${owner.secret}`, ...headers },
  });

const allTypes = [
  'AccountOpened',
  'ApiKeyIssued',
  'ApiKeyIssued',
  'RenderRequested',
  'RenderStarted',
  'RenderCompleted',
  'TemplateSlotTaken',
  'TemplateNameReserved',
  'TemplateCreated',
  'PlanChanged',
];

describe('GET /events', () => {
  it('has every event of the account in order, with who did it to what', async () => {
    const { events, next_cursor: next } = await list('?order=oldest');
    expect(events.map(({ type }) => type).toSorted()).toEqual(allTypes.toSorted());
    expect(next).toBeNull();
    expect((await list()).events).toEqual(events.toReversed());
    expect(events[3]).toMatchObject({
      type: 'RenderRequested',
      kind: 'render',
      subject: job.replace('job_', 'render_'),
      time: '2026-05-20T12:02:00.000Z',
      actor: { kind: 'key', id: apiKeyIdOf(shop.id), name: '=SUM(A1)' },
      revision: 0,
      data: { key_id: apiKeyIdOf(shop.id), source: { input_type: 'html' } },
    });
    expect(events[4]).toMatchObject({ type: 'RenderStarted', actor: { kind: 'service' }, revision: 1 });
    expect(events[0]).toMatchObject({ subject: accountIdOf(account), actor: { kind: 'person', name: 'tests' } });
  });

  it.each([
    ['?kind=key', ['ApiKeyIssued', 'ApiKeyIssued']],
    ['?kind=render', ['RenderCompleted', 'RenderStarted', 'RenderRequested']],
    ['?type=PlanChanged', ['PlanChanged']],
    ['?type=PlanChanged&kind=key', []],
    ['?type=PlanChanged&kind=account', ['PlanChanged']],
    ['?kind=render&order=oldest', ['RenderRequested', 'RenderStarted', 'RenderCompleted']],
    ['?actor=service', ['RenderCompleted', 'RenderStarted']],
    ['?actor=service&type=RenderStarted', ['RenderStarted']],
    ['?actor=command_line&kind=account', ['PlanChanged', 'AccountOpened']],
    ['?actor=command_line', ['PlanChanged', 'ApiKeyIssued', 'ApiKeyIssued', 'AccountOpened']],
    ['?since=2026-05-20T12:04:00Z', ['PlanChanged']],
    ['?until=2026-05-20T12:00:00.001Z', ['ApiKeyIssued', 'AccountOpened']],
    ['?since=2026-05-20T12:00:30Z&until=2026-05-20T12:02:00Z', ['ApiKeyIssued']],
    [
      '?since=2026-05-20T14:02:00%2B02:00&until=2026-05-20T12:03:00Z&kind=render&order=oldest&limit=1',
      ['RenderRequested'],
    ],
    ['?since=2026-05-21', []],
    ['?until=2026-05-20', []],
    ['?subject=person_01K6ZC5B8Q4XJ0N9T2V7RWHE3M', []],
  ])('filters: %s', async (query, expected) => {
    expect(await types(query)).toEqual(expected);
  });

  it('finds the events of an actor and about a thing', async () => {
    expect(await types(`?actor=${apiKeyIdOf(shop.id)}`)).toEqual(['RenderRequested']);
    const ofRender = ['RenderRequested', 'RenderStarted', 'RenderCompleted'];
    expect(await types(`?subject=${job}&order=oldest`)).toEqual(ofRender);
    expect(await types(`?subject=${job.replace('job_', 'render_')}&order=oldest&limit=2`)).toEqual(
      ofRender.slice(0, 2),
    );
    expect(await types(`?subject=${job}&actor=service&type=RenderStarted`)).toEqual(['RenderStarted']);
    expect(await types(`?subject=${template}`)).toEqual(['TemplateCreated']);
    expect(await types(`?subject=${apiKeyIdOf(shop.id)}`)).toEqual(['ApiKeyIssued']);
    expect(await types(`?subject=${accountIdOf(account)}`)).toEqual(['PlanChanged', 'AccountOpened']);
    expect(await types(`?subject=${accountIdOf(account)}&since=2026-05-20T12:04:00Z`)).toEqual(['PlanChanged']);
  });

  it.each([
    '',
    '&kind=render',
    '&actor=service',
    '&actor=service&kind=render',
    '&order=oldest',
    '&since=2026-05-20T12:00:01Z',
  ])('pages without gaps and repeats: %s', async (query) => {
    const whole = (await list(`?limit=100${query}`)).events.map(({ id }) => id);
    const paged: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null; pages += 1) {
      expect(pages).toBeLessThan(20);
      const page = await list(`?limit=2${query}${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.events.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(whole);
  });

  it('pages about a thing', async () => {
    const first = await list(`?limit=2&subject=${job}`);
    const second = await list(`?limit=2&subject=${job}&cursor=${first.next_cursor}`);
    expect([...first.events, ...second.events].map(({ type }) => type)).toEqual([
      'RenderCompleted',
      'RenderStarted',
      'RenderRequested',
    ]);
    expect(second.next_cursor).toBeNull();
  });

  it('rejects what no filter can be', async () => {
    const other = await api.createKey(await api.createAccount());
    const [foreign] = (await list('', other.secret)).events;
    for (const query of [
      '?kind=x',
      '?type=InstallationCreated',
      '?actor=key_1',
      '?subject=x',
      '?order=up',
      '?limit=101',
      '?cursor=x',
      '?cursor=01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
      `?cursor=${foreign!.id}`,
      '?since=yesterday',
      '?format=xml',
    ])
      expect((await api.request(owner.secret, 'GET', `/api/v1/events${query}`)).body, query).toMatchObject({
        error: 'invalid_request',
      });
  });

  it('has no events of another account, and no secret or hash of one', async () => {
    const text = JSON.stringify((await list('?limit=100')).events);
    for (const hidden of [owner.secret, shop.secret, hashSecret(shop.secret), 'hash', 'worker'])
      expect(text).not.toContain(hidden);
    const other = await api.createKey(await api.createAccount());
    expect((await list('', other.secret)).events).toHaveLength(2);
    expect((await list(`?subject=${job}`, other.secret)).events).toEqual([]);
    expect((await list(`?subject=${accountIdOf(account)}`, other.secret)).events).toEqual([]);
  });
});

describe('GET /events/{id}', () => {
  it('has one event of the account', async () => {
    const [event] = (await list('?type=PlanChanged')).events;
    const { status, body } = await api.request(owner.secret, 'GET', `/api/v1/events/${event!.id}`);
    expect([status, eventResponse.parse(body)]).toEqual([200, event]);
    const other = await api.createKey(await api.createAccount());
    for (const [secret, id] of [
      [other.secret, event!.id],
      [owner.secret, '01K6ZC5B8Q4XJ0N9T2V7RWHE3M'],
      [owner.secret, 'x'],
    ] as const)
      expect((await api.request(secret, 'GET', `/api/v1/events/${id}`)).body).toMatchObject({
        error: 'event_not_found',
      });
  });
});

describe('A download of events', () => {
  it('has all events that match as JSON lines, by the format or the header Accept', async () => {
    const { events } = await list('?limit=100&kind=render');
    const byFormat = await download('?format=jsonl&kind=render&limit=1');
    expect(byFormat.headers['content-type']).toBe('application/jsonl; charset=utf-8');
    expect(byFormat.headers['content-disposition']).toBe('attachment; filename="events-2026-05-20.jsonl"');
    expect(
      byFormat.body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(events);
    expect((await download('?kind=render', { accept: 'application/x-ndjson' })).body).toBe(byFormat.body);
    expect((await download('?kind=render', { accept: 'image/png' })).json()).toMatchObject({ events });
  });

  it('has as many pages as it takes', async () => {
    const many = await api.createAccount('pro');
    const { secret } = await api.createKey(many);
    await api.requestRenders(many, 250, 'wait');
    const { body } = await download('?format=jsonl&order=oldest', { authorization: `Bearer ${secret}` });
    const lines = body.trimEnd().split('\n');
    expect(lines).toHaveLength(252);
    expect(new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id)).size).toBe(252);
    expect(lines[0]).toContain('AccountOpened');
  });

  it('ends before the next page when the caller may no longer read events', async () => {
    const many = await api.createAccount('pro');
    await api.requestRenders(many, 250, 'wait');
    await api.catchUpReadModels();
    const answers = [true, false];
    const request = { filter: {}, range: {}, order: 'oldest', format: 'jsonl' } as const;
    const pages = downloadPages({ eventLog: api.eventLog, reads: api.engines.reads }, many, request, async () =>
      answers.shift()!,
    );
    expect((await pages.next()).value).toContain('AccountOpened');
    expect((await pages.next()).done).toBe(false);
    await expect(pages.next()).rejects.toMatchObject({ fields: { name: 'insufficient_permissions' } });
  });

  it('is CSV without formulas', async () => {
    const { headers, body } = await download('?order=oldest', { accept: 'text/csv' });
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const records = parse<Record<string, string>>(body, { columns: true });
    expect(records.map(({ type }) => type).toSorted()).toEqual(allTypes.toSorted());
    expect(records[3]).toMatchObject({ time: '2026-05-20T12:02:00.000Z', actor_name: "'=SUM(A1)" });
    expect(JSON.parse(records[3]!['data']!)).toMatchObject({ key_id: apiKeyIdOf(shop.id) });
  });

  it('runs beside one other of the account', async () => {
    const limiter = createEventDownloadLimiter();
    const begin = (accountId: string) => {
      const response = new PassThrough();
      limiter.begin(accountId, response as never);
      return response;
    };
    const running = Array.from({ length: maxDownloads }, () => begin('a'));
    expect(() => begin('a')).toThrow(/downloads of events at once/);
    begin('b');
    const closed = new Promise((resolve) => void running[0]!.once('close', resolve));
    running[0]!.destroy();
    await closed;
    begin('a');
    expect(() => begin('a')).toThrow(/downloads of events at once/);
    for (let number = 0; number <= maxDownloads; number += 1) limiter.begin('c', { closed: true } as never);
    begin('c');
  });

  it('is counted until it has ended', async () => {
    for (let number = 0; number < maxDownloads + 1; number += 1)
      expect((await download('?format=csv')).statusCode).toBe(200);
  });
});

it('Events of people in the account have the person as actor', async () => {
  const id = newId();
  const actor: Actor = { kind: 'person', name: 'Ada', id };
  const cause = { actor, accountId: account, correlationId: 'c', causationId: null, traceparent: null };
  await newAggregate(api.eventLog, person, streams.person(id)).execute(
    { type: 'register', email: 'ada@example.com', name: 'Ada' },
    cause,
  );
  expect((await list(`?actor=person_${id}`)).events).toMatchObject([
    { type: 'PersonRegistered', subject: `person_${id}`, actor: { kind: 'person', id: `person_${id}`, name: 'Ada' } },
  ]);
});
