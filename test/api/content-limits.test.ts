import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { bareId, streams } from '#contracts/names.ts';
import { type PlanName, plans, planNames } from '#contracts/plans.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { openBrowser } from '../support/people/browser.ts';

const mb = 1024 * 1024;
let api: InProcessApi;
const keys = {} as Record<PlanName, string>;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  for (const plan of planNames)
    keys[plan] = (await api.createKey(await api.createAccount(plan, { requestsPerMinute: 100_000 }))).secret;
});
afterAll(() => api.closeAndRemove());

const standard = planNames.filter((plan) => plan !== 'enterprise');
let number = 0;
const template = (fields: Record<string, unknown> = {}) => ({
  name: `Template ${(number += 1)}`,
  content: '<p>{{x}}</p>',
  ...fields,
});
const create = (secret: string, fields?: Record<string, unknown>) =>
  api.request(secret, 'POST', '/api/v1/templates', template(fields));
const variables = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `v${index}`, type: 'string' }));

describe('A render has the limits of the plan at its acceptance', () => {
  it.each(planNames)('on %s', async (plan) => {
    const { body } = await api.request(keys[plan], 'POST', '/api/v1/render/async', htmlRequest);
    const [requested] = await api.engines.store.read(streams.render(bareId('job', body.job_id!)!));
    const { limits } = requested!.data as EventData['RenderRequested'];
    const unlimited = plan === 'enterprise';
    expect(limits).toEqual({
      processingMs: unlimited ? 60_000 : 30_000,
      scriptMs: unlimited ? 10_000 : 5_000,
      maxPages: unlimited ? null : 100,
      maxImages: unlimited ? null : 50,
      maxPdfBytes: { free: 5 * mb, starter: 10 * mb, pro: 25 * mb, business: 50 * mb, enterprise: null }[plan],
    });
  });
});

describe('A request', () => {
  const ofSize = (bytes: number) => ({
    ...htmlRequest,
    data: `<p>${'x'.repeat(bytes - JSON.stringify({ ...htmlRequest, data: '<p></p>' }).length)}</p>`,
  });

  it('of somebody who signs in may have 64 KB, because anyone can send one', async () => {
    const { status, body } = await openBrowser(api.app).signIn('x'.repeat(64 * 1024));
    expect([status, body]).toEqual([
      413,
      expect.objectContaining({ error: 'payload_too_large', max_size_mb: 64 / 1024 }),
    ]);
  });

  it.each(standard)('on %s may have 10 MB and no byte more', async (plan) => {
    expect((await api.request(keys[plan], 'POST', '/api/v1/render', ofSize(10 * mb))).status).toBe(200);
    const { status, body } = await api.request(keys[plan], 'POST', '/api/v1/render', ofSize(10 * mb + 1));
    expect([status, body]).toEqual([
      413,
      expect.objectContaining({ error: 'payload_too_large', max_size_mb: 10, received_size_mb: 10.01 }),
    ]);
  });

  it('on enterprise may have 50 MB and no byte more', async () => {
    expect((await api.request(keys.enterprise, 'POST', '/api/v1/render', ofSize(50 * mb))).status).toBe(200);
    const { status, body } = await api.request(keys.enterprise, 'POST', '/api/v1/render', ofSize(50 * mb + 1));
    expect([status, body]).toEqual([413, expect.objectContaining({ error: 'payload_too_large', max_size_mb: 50 })]);
  });
});

describe('A template', () => {
  it.each([
    ['free', 1],
    ['business', 1],
    ['enterprise', 5],
  ] as const)('on %s may have %i MB and no byte more', async (plan, most) => {
    expect((await create(keys[plan], { content: 'x'.repeat(most * mb) })).status).toBe(201);
    const { status, body } = await create(keys[plan], { content: 'x'.repeat(most * mb + 1) });
    expect([status, body]).toEqual([413, expect.objectContaining({ error: 'template_too_large', max_size_mb: most })]);
  });

  it('may have 50 variables, on enterprise any number', async () => {
    expect((await create(keys.pro, { variables: variables(50) })).status).toBe(201);
    const { status, body } = await create(keys.pro, { variables: variables(51) });
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_request', field: 'variables', message: expect.stringContaining('50') }),
    ]);
    expect((await create(keys.enterprise, { variables: variables(51) })).status).toBe(201);
  });

  it.each([
    ['starter', 10],
    ['enterprise', 12],
  ] as const)('on %s keeps %i of 12 versions', async (plan, kept) => {
    const { body } = await create(keys[plan]);
    const path = `/api/v1/templates/${body.id}`;
    for (let version = 2; version <= 12; version += 1)
      await api.request(keys[plan], 'PUT', path, { description: `${version}` });
    const { versions } = (await api.request(keys[plan], 'GET', `${path}/versions`)).body as unknown as {
      versions: { version: number }[];
    };
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: kept }, (_, index) => 12 - index));
    const oldest = 12 - kept + 1;
    const render = (template_version: number) =>
      api.request(keys[plan], 'POST', '/api/v1/render', {
        mode: 'RENDER',
        template_id: body.id,
        template_version,
        data: { x: 1 },
      });
    expect((await render(oldest)).status).toBe(200);
    expect((await render(oldest - 1)).status).toBe(oldest === 1 ? 400 : 422);
  });

  it('is one of at most 100, on enterprise without limit; deleting one frees its place', async () => {
    const [pro, enterprise] = [
      (await api.createKey(await api.createAccount('pro'))).secret,
      (await api.createKey(await api.createAccount('enterprise', {}))).secret,
    ];
    for (let count = 0; count < 100; count += 1)
      for (const secret of [pro, enterprise]) expect((await create(secret)).status).toBe(201);
    const { status, body } = await create(pro);
    expect([status, body]).toEqual([403, expect.objectContaining({ error: 'template_limit_exceeded', limit: 100 })]);
    expect((await create(enterprise)).status).toBe(201);
    const { templates } = (await api.request(pro, 'GET', '/api/v1/templates')).body as unknown as {
      templates: { id: string }[];
    };
    expect((await api.request(pro, 'DELETE', `/api/v1/templates/${templates[0]!.id}`)).status).toBe(204);
    const responses = await Promise.all([1, 2, 3].map(() => create(pro)));
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 403, 403]);
  });
});

describe('A page of a list', () => {
  it('has 20 entries unless asked otherwise, and at most 100', async () => {
    expect((await api.request(keys.pro, 'GET', '/api/v1/templates')).body).toMatchObject({ limit: 20, page: 1 });
    expect((await api.request(keys.pro, 'GET', '/api/v1/templates?limit=100')).status).toBe(200);
    const { status, body } = await api.request(keys.pro, 'GET', '/api/v1/templates?limit=101');
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_request', field: 'limit', message: expect.stringContaining('100') }),
    ]);
  });
});

describe('The plans', () => {
  it('have the renders per month and requests per minute of the API specification', () => {
    expect(planNames.map((plan) => [plan, plans[plan].requestsPerMonth, plans[plan].requestsPerMinute])).toEqual([
      ['free', 100, 5],
      ['starter', 1_000, 20],
      ['pro', 10_000, 60],
      ['business', 100_000, 120],
      ['enterprise', null, null],
    ]);
  });
});
