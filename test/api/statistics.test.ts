import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'csv-parse/sync';
import type { BreakdownResponse, StatisticsResponse } from '#contracts/http/statistics.ts';
import { apiKeyIdOf, bareId, personIdOf, renderIdOf, templateIdOf } from '#contracts/names.ts';
import { newId } from '#libs/ids/ulids.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { appendDelivery, appendRender, type EndedRender } from '../support/renders/append-histories.ts';

let api: InProcessApi;
const start = '2026-05-20T12:30:00.000Z';
beforeAll(async () => void (api = await openInProcessApi(start)));
beforeEach(() => void (api.clock.now = new Date(start)));
afterAll(() => api.closeAndRemove());

const openAccount = async () => {
  const accountId = await api.createAccount();
  const { id: keyId, secret } = await api.createKey(accountId);
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await api.request(secret, 'GET', `/api/v1${path}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body as T;
  };
  return {
    accountId,
    keyId,
    secret,
    statistics: (query = '') => get<StatisticsResponse>(`/statistics${query}`),
    breakdown: (query = '') => get<BreakdownResponse>(`/usage/breakdown${query}`),
    append: async (...renders: Omit<EndedRender, 'accountId'>[]) => {
      const ids: string[] = [];
      for (const render of renders)
        ids.push((await appendRender(api.engines.store, { accountId, keyId, ...render })).id);
      await api.catchUpReadModels();
      return ids;
    },
    createTemplate: async (name: string) => {
      const body = { name, content: '<p>{{x}}</p>' };
      return bareId('tpl', String((await api.request(secret, 'POST', '/api/v1/templates', body)).body.id))!;
    },
  };
};
const error = async (secret: string, path: string) => {
  const { status, body } = await api.request(secret, 'GET', `/api/v1${path}`);
  return [status, body.error, body.field];
};
const wrongTemplateData = { name: 'template_render_error', message: 'The data has no value for x.' } as const;

describe('The statistics of an account', () => {
  it('count renders, durations and errors in the interval of their acceptance', async () => {
    const { append, statistics } = await openAccount();
    await append(
      { at: '2026-05-19T23:59:59.000Z', totalMs: 900 },
      { at: '2026-05-20T00:00:00.000Z', totalMs: 100, pages: 3, bytes: 5_000 },
      { at: '2026-05-20T12:00:00.000Z', totalMs: 100 },
      { at: '2026-05-20T12:00:00.000Z', failure: wrongTemplateData },
      { at: '2026-05-20T12:00:01.000Z', isRunning: true },
    );
    const month = await statistics();
    expect(month).toMatchObject({
      since: '2026-05-01T00:00:00.000Z',
      until: '2026-05-21T00:00:00.000Z',
      interval: 'day',
    });
    expect(month.totals).toMatchObject({
      renders: 5,
      succeeded: 3,
      failed: 1,
      running: 1,
      success_rate: 0.75,
      pages: 5,
      pdf_bytes: 7_000,
      quota_used: 5,
    });
    expect(month.failures).toEqual([{ error: 'template_render_error', count: 1 }]);
    expect([month.series.length, month.series[18]!.renders, month.series[19]!.renders]).toEqual([20, 1, 4]);
    const { p50_ms: p50, p95_ms: p95 } = month.totals;
    expect([Math.abs(p50! - 100) < 5, Math.abs(p95! - 900) < 45]).toEqual([true, true]);
    const today = await statistics('?interval=hour');
    expect(today.series.map(({ renders }) => renders)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
    expect(today.totals).toMatchObject({ renders: 4, success_rate: 0.6667 });
  });

  it('have the render that was just accepted, and no template test', async () => {
    const { append, statistics, secret } = await openAccount();
    await append({ at: start, templateId: newId(), templateTest: true });
    await api.request(secret, 'POST', '/api/v1/render', htmlRequest);
    expect((await statistics()).totals).toMatchObject({ renders: 1, running: 1, success_rate: null, p50_ms: null });
  });

  it('take a render that failed through the service out of the quota, and count no test key in it', async () => {
    const { append, statistics } = await openAccount();
    await append(
      { at: start, failure: { name: 'internal_error', message: 'no' } },
      { at: start, keyType: 'test' },
      { at: start },
    );
    expect((await statistics()).totals).toMatchObject({ renders: 3, quota_used: 1 });
  });

  it('know the state of callbacks, and the receivers that fail', async () => {
    const { accountId, statistics } = await openAccount();
    const deliver = (endpoint: string, status: number | null, at = start) =>
      appendDelivery(api.engines.store, { accountId, at, endpoint, status });
    await deliver('ok.example/hook', 500, '2026-05-20T10:00:00.000Z');
    await deliver('ok.example/hook', 200);
    await deliver('down.example/hook', 200, '2026-05-20T08:00:00.000Z');
    await deliver('down.example/hook', 503, '2026-05-20T09:00:00.000Z');
    await deliver('down.example/hook', 404, '2026-05-20T11:00:00.000Z');
    await deliver('new.example/hook', null);
    await deliver('ok.example/hook', 200, '2026-04-30T11:00:00.000Z');
    await api.catchUpReadModels();
    const { webhooks, attention } = await statistics();
    expect(webhooks).toEqual({
      requested: 6,
      delivered: 2,
      failed: 3,
      attempts: 5,
      failed_attempts: 3,
      pending: 1,
    });
    expect(attention.webhook_endpoints).toEqual([
      {
        endpoint: 'down.example/hook',
        consecutive_failures: 2,
        failing_since: '2026-05-20T09:00:00.000Z',
        last_attempt_at: '2026-05-20T11:00:00.000Z',
        last_error: 'The receiver responded with status 404.',
      },
    ]);
  });

  it('leave out a template that failed only while the clock was a day ahead', async () => {
    const { append, statistics, createTemplate } = await openAccount();
    const template = await createTemplate('Ahead');
    await append({ at: '2026-05-21T10:00:00.000Z', templateId: template, failure: wrongTemplateData });
    expect((await statistics()).attention.templates).toEqual([]);
    api.clock.now = new Date('2026-05-21T00:00:00.000Z');
    expect((await statistics()).attention.templates).toMatchObject([{ name: 'Ahead', failed: 1 }]);
  });

  it('say which templates fail, which keys expire, and that the quota is nearly used', async () => {
    const { accountId, append, statistics, createTemplate } = await openAccount();
    const [bad, good] = [await createTemplate('Bad'), await createTemplate('Good')];
    const expiring = await api.createKey(accountId, { name: 'soon', expiresAt: '2026-06-01T00:00:00.000Z' });
    await api.createKey(accountId, { expiresAt: '2026-07-01T00:00:00.000Z' });
    await append(
      { at: '2026-05-13T10:00:00.000Z', templateId: bad, failure: wrongTemplateData },
      { at: '2026-05-18T10:00:00.000Z', templateId: bad },
      { at: '2026-05-18T10:00:00.000Z', templateId: bad },
    );
    const [, failed] = await append(
      { at: '2026-05-19T10:00:00.000Z', templateId: bad, failure: wrongTemplateData },
      { at: '2026-05-20T10:00:00.000Z', templateId: bad, failure: wrongTemplateData },
      { at: '2026-05-20T10:00:00.000Z', templateId: newId(), failure: wrongTemplateData },
      ...Array.from({ length: 21 }, () => ({ at: start, templateId: good })),
      { at: start, templateId: good, failure: wrongTemplateData },
    );
    const { attention } = await statistics();
    expect(attention.templates).toEqual([
      {
        template_id: templateIdOf(bad),
        name: 'Bad',
        renders: 4,
        failed: 2,
        failure_rate: 0.5,
        last_error: {
          error: 'template_render_error',
          message: wrongTemplateData.message,
          at: '2026-05-20T10:00:00.000Z',
          render_id: renderIdOf(failed!),
        },
      },
    ]);
    expect(attention.keys).toMatchObject([
      { key_id: apiKeyIdOf(expiring.id), name: 'soon', expires_at: '2026-06-01T00:00:00.000Z' },
    ]);
    expect(attention.quota).toBeNull();
    await api.updateAccount(accountId, {
      type: 'changePlan',
      plan: 'free',
      overrides: { requestsPerMonth: 35, requestsPerMinute: 1_000 },
      reason: null,
    });
    expect((await statistics()).attention.quota).toEqual({
      limit: 35,
      used: 28,
      share: 0.8,
      resets_at: '2026-06-01T00:00:00.000Z',
    });
  });

  it.each([
    ['?since=2026-05-21', 'since'],
    ['?since=2026-05-10&until=2026-05-10', 'until'],
    ['?since=2025-01-01', 'since'],
    ['?interval=hour&since=2026-05-01', 'since'],
    ['?interval=week', 'interval'],
    ['?since=yesterday', 'since'],
  ])('reject a wrong range: %s', async (query, field) => {
    const { secret } = await openAccount();
    expect(await error(secret, `/statistics${query}`)).toEqual([400, 'invalid_request', field]);
  });

  it('are those of no other account', async () => {
    const [first, second] = [await openAccount(), await openAccount()];
    await first.append({ at: start, templateId: newId() });
    expect((await second.statistics()).totals.renders).toBe(0);
    expect((await second.breakdown('?by=template')).rows).toEqual([]);
  });
});

describe('The breakdown of the usage', () => {
  it('by day and month has all of them, with the days of the range only', async () => {
    const { append, breakdown } = await openAccount();
    await append(
      { at: '2026-04-10T00:00:00.000Z' },
      { at: '2026-04-11T00:00:00.000Z' },
      { at: '2026-05-02T00:00:00.000Z' },
    );
    const range = '&since=2026-04-11&until=2026-05-04';
    const days = await breakdown(`?by=day${range}`);
    expect(days).toMatchObject({ since: '2026-04-11', until: '2026-05-04', by: 'day', next_cursor: null });
    expect(days.rows.map(({ value }) => value)).toHaveLength(23);
    expect(days.rows.filter(({ renders }) => renders > 0).map(({ value }) => value)).toEqual([
      '2026-04-11',
      '2026-05-02',
    ]);
    const months = await breakdown(`?by=month${range}`);
    expect(months.rows.map(({ value, renders }) => [value, renders])).toEqual([
      ['2026-04', 1],
      ['2026-05', 1],
    ]);
  });

  it('by key, template and input type has names, and the same sums for months and for days', async () => {
    const { append, breakdown, keyId, createTemplate } = await openAccount();
    const [offer, deleted] = [await createTemplate('Offer'), newId()];
    const personId = newId();
    await append(
      { at: '2026-03-31T10:00:00.000Z', templateId: offer },
      { at: '2026-04-01T10:00:00.000Z', templateId: offer },
      { at: '2026-04-30T10:00:00.000Z', templateId: deleted, failure: wrongTemplateData },
      { at: '2026-05-20T10:00:00.000Z', keyId: null, personId },
    );
    const rows = async (query: string) =>
      (await breakdown(query)).rows.map(({ value, name, renders, failed }) => [value, name, renders, failed]);
    for (const range of ['&since=2026-03-01', '&since=2026-03-02', '&since=2026-03-31']) {
      expect(await rows(`?by=template${range}`)).toEqual(
        [
          [templateIdOf(offer), 'Offer', 2, 0],
          [templateIdOf(deleted), null, 1, 1],
        ].toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
      );
      expect(await rows(`?by=key${range}`)).toEqual([
        [apiKeyIdOf(keyId), 'tests', 3, 1],
        [personIdOf(personId), null, 1, 0],
      ]);
      expect(await rows(`?by=input_type${range}`)).toEqual([['html', null, 1, 0]]);
    }
    expect(await rows('?by=template&since=2026-04-01&until=2026-04-30')).toEqual([
      [templateIdOf(offer), 'Offer', 1, 0],
    ]);
  });

  it('of many templates comes in pages that have each of them once, with all of its renders', async () => {
    const { append, breakdown } = await openAccount();
    const templates = Array.from({ length: 25 }, () => newId()).toSorted();
    await append(
      ...templates.flatMap((templateId, index) => [
        { at: '2026-05-01T00:00:00.000Z', templateId },
        ...(index % 3 === 0 ? [{ at: '2026-04-02T00:00:00.000Z', templateId }] : []),
      ]),
    );
    const found: [string, number][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: BreakdownResponse = await breakdown(
        `?by=template&since=2026-04-02&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      expect(page.rows.length).toBeLessThanOrEqual(3);
      found.push(...page.rows.map(({ value, renders }): [string, number] => [value, renders]));
      cursor = page.next_cursor;
    }
    expect(found).toEqual(templates.map((id, index) => [templateIdOf(id), index % 3 === 0 ? 2 : 1]));
  });

  it('as CSV is a file with all rows, and its names are no formulas', async () => {
    const { append, createTemplate, secret } = await openAccount();
    const ids = [await createTemplate('=HYPERLINK("https://example.com","a")'), await createTemplate('Größe, "neu"')];
    await append({ at: start, templateId: ids[0]! }, { at: start, templateId: ids[1]!, totalMs: 10 });
    const { headers, body } = await api.request(secret, 'GET', '/api/v1/usage/breakdown?by=template&format=csv');
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="usage-by-template-2026-05-01-2026-05-20.csv"',
      'cache-control': 'private, no-store',
    });
    const text = body as unknown as string;
    expect(text.startsWith('template,name,renders,succeeded,failed,success_rate,p50_ms,p95_ms,')).toBe(true);
    const records = parse<Record<string, string>>(text, { columns: true, record_delimiter: '\r\n' });
    // Templates of the same millisecond have ids in any order.
    const found = new Map(records.map(({ template, name, renders }) => [template, [name, renders]]));
    expect([...found.keys()]).toEqual(ids.map(templateIdOf).toSorted());
    expect(found.get(templateIdOf(ids[0]!))).toEqual(['\'=HYPERLINK("https://example.com","a")', '1']);
    expect(found.get(templateIdOf(ids[1]!))).toEqual(['Größe, "neu"', '1']);
  });

  it('is CSV for a caller that prefers it, unless the query says JSON', async () => {
    const { secret } = await openAccount();
    const contentType = async (query: string, accept: string) =>
      (
        await api.app.inject({
          url: `/api/v1/usage/breakdown${query}`,
          headers: { authorization: `Bearer ${secret}`, accept },
        })
      ).headers['content-type'];
    expect(await contentType('', 'text/csv')).toContain('text/csv');
    expect(await contentType('', 'application/json, text/csv;q=0.5')).toContain('application/json');
    expect(await contentType('?format=json', 'text/csv')).toContain('application/json');
  });

  it.each(['?cursor=x/y', '?by=person', '?limit=1001', '?format=xml', '?cursor=render_01JR04W1PD2M5S8V3Q6X9Z7TKF'])(
    'rejects %s',
    async (query) => {
      const { secret } = await openAccount();
      expect((await error(secret, `/usage/breakdown${query}`))[0]).toBe(400);
    },
  );
});
