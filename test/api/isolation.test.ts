import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob } from '../support/api/stub-renderer.ts';

const madeUp = {
  template: 'tpl_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
  job: 'job_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
  render: 'render_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
};
type Ids = typeof madeUp;
type Route = { method: string; url: string };

const collectRoutes = () => {
  const routes: Route[] = [];
  const listen = (message: unknown): void => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
      for (const one of [method].flat())
        if (one !== 'HEAD' && url.startsWith('/api/')) routes.push({ method: one, url });
    });
  };
  subscribe('fastify.initialization', listen);
  return { routes, stop: () => unsubscribe('fastify.initialization', listen) };
};

const content = { name: 'Letter', content: '<p>{{x}}</p>' };

/** The meaning of each path parameter. A new parameter must be added here. */
const idsOf: Record<string, (url: string, ids: Ids) => string> = {
  ':id': (url, ids) => (url.startsWith('/api/v1/templates/') ? ids.template : 'no rule for this path'),
  ':job_id': (_, ids) => ids.job,
  ':render_id': (_, ids) => ids.render,
  ':version': () => '1',
};

const pathOf = (url: string, ids: Ids): string =>
  url.replaceAll(/:\w+/g, (parameter) => {
    const id = idsOf[parameter]?.(url, ids);
    if (!id || id.startsWith('no rule')) throw new Error(`${url}: say here what ${parameter} stands for`);
    return id;
  });

/** Valid bodies, so that only the ids can be wrong. Other routes are called without a body. */
const bodyOf = ({ method, url }: Route, ids: Ids): unknown => {
  const bodies: Record<string, unknown> = {
    'POST /api/v1/render': { mode: 'RENDER', template_id: ids.template, data: { x: 1 } },
    'POST /api/v1/render/async': { mode: 'RENDER', template_id: ids.template, template_version: 1, data: { x: 1 } },
    'PUT /api/v1/templates/:id': { description: 'other' },
    'POST /api/v1/templates/:id/test': { data: { x: 1 } },
    'POST /api/v1/templates/:id/restore': { version: 1 },
  };
  return bodies[`${method} ${url}`];
};

/** Routes without an id, which concern the calling account. Their content is tested below. */
const ofTheCaller = new Set([
  'GET /api/v1/templates',
  'POST /api/v1/templates',
  'POST /api/v1/templates/validate',
  'GET /api/v1/jobs',
  'POST /api/v1/jobs/redeliver',
  'GET /api/v1/usage',
  'GET /api/v1/account',
  'GET /api/v1/account/events',
]);

const collected = collectRoutes();
let api: InProcessApi;
let owner: string;
let stranger: string;
let theirs: Ids;

/** A template and a finished asynchronous render of an account, by their ids. */
const things = async (secret: string): Promise<Ids> => {
  const template = (
    await api.request(secret, 'POST', '/api/v1/templates', { ...content, name: `Letter ${Math.random()}` })
  ).body.id!;
  const job = (
    await api.request(secret, 'POST', '/api/v1/render/async', {
      ...htmlRequest,
      webhook_url: 'https://example.com/hook',
    })
  ).body.job_id! as string;
  await renderJob(api, job);
  await api.catchUpReadModels();
  return { template, job, render: job.replace('job_', 'render_') };
};

beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  collected.stop();
  [owner, stranger] = [
    (await api.createKey(await api.createAccount('pro'))).secret,
    (await api.createKey(await api.createAccount('pro'))).secret,
  ];
  theirs = await things(owner);
});
afterAll(async () => {
  await api.close();
  await api.remove();
});

const ask = async (secret: string, route: Route, ids: Ids) => {
  const { status, body } = await api.request(secret, route.method, pathOf(route.url, ids), bodyOf(route, ids));
  return { status, body };
};

/** A response without the values that differ in every response, and without the ids that the caller sent. */
const comparable = ({ status, body }: { status: number; body: unknown }, ids: Ids) => {
  const text = Object.values(ids).reduce((shown, id) => shown.replaceAll(id, '<id>'), JSON.stringify(body));
  return { status, text: text.replaceAll(/req_\w+/g, '<request>') };
};

describe('Objects of another account', () => {
  it('are tested on every route', () => {
    expect(collected.routes.length).toBeGreaterThanOrEqual(20);
    for (const { method, url } of collected.routes)
      expect(
        ofTheCaller.has(`${method} ${url}`) || url.includes(':') || url.startsWith('/api/v1/render'),
        `${method} ${url}`,
      ).toBe(true);
  });

  it('give the same response as objects that do not exist, except to their owner', async () => {
    for (const route of collected.routes.filter(({ method, url }) => !ofTheCaller.has(`${method} ${url}`))) {
      const name = `${route.method} ${route.url}`;
      const [foreign, absent] = [await ask(stranger, route, theirs), await ask(stranger, route, madeUp)];
      expect(foreign.status, name).toBeGreaterThanOrEqual(400);
      expect(foreign.status, name).toBeLessThan(500);
      expect(comparable(foreign, theirs), name).toEqual(comparable(absent, madeUp));
      const own = await things(owner);
      const response = await ask(owner, route, own);
      expect(comparable(response, own), `${name} tells the owner what it tells a stranger`).not.toEqual(
        comparable(foreign, theirs),
      );
    }
  });

  it('do not change', async () => {
    expect((await api.request(owner, 'GET', `/api/v1/templates/${theirs.template}`)).body).toMatchObject({
      version: 1,
      content: content.content,
      usage_count: 0,
    });
    expect((await api.request(owner, 'GET', `/api/v1/jobs/${theirs.job}`)).body).toMatchObject({
      status: 'DONE',
      webhook_attempts: 0,
    });
  });

  it('are in no list of another account', async () => {
    for (const route of ['/templates', '/jobs', '/usage', '/account', '/account/events']) {
      const { status, body } = await api.request(stranger, 'GET', `/api/v1${route}`);
      expect(status, route).toBe(200);
      for (const id of Object.values(theirs)) expect(JSON.stringify(body), route).not.toContain(id);
    }
    expect((await api.request(stranger, 'GET', '/api/v1/templates')).body).toMatchObject({ templates: [], total: 0 });
    expect((await api.request(stranger, 'GET', '/api/v1/jobs')).body).toMatchObject({ jobs: [] });
    expect((await api.request(stranger, 'GET', '/api/v1/usage')).body).toMatchObject({ quota: { used: 0 } });
    expect(
      (await api.request(stranger, 'POST', '/api/v1/jobs/redeliver', { since: '2026-01-01T00:00:00Z' })).body,
    ).toMatchObject({ redelivered: 0 });
  });

  it('do not reserve names in another account', async () => {
    expect((await api.request(owner, 'POST', '/api/v1/templates', { ...content, name: 'Shared' })).status).toBe(201);
    expect((await api.request(stranger, 'POST', '/api/v1/templates', { ...content, name: 'Shared' })).status).toBe(201);
  });
});
