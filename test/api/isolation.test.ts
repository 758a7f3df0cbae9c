import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeMembers } from '#application/members/commands.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { personIdOf } from '#contracts/names.ts';
import { newId } from '#libs/ids/ulids.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob, verifyNext } from '../support/api/stub-renderer.ts';

const madeUp = {
  template: 'tpl_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
  job: 'job_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
  render: 'render_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
  key: 'key_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
  event: '01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
  person: 'person_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
  invitation: 'inv_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
};
type Ids = typeof madeUp;
type Route = { method: string; url: string };

const collectRoutes = () => {
  const routes: Route[] = [];
  const listen = (message: unknown): void => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url, config }: RouteOptions) => {
      // These act for a person, not for an account.
      if (config?.route?.session) return;
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
  ':id': (url, ids) => {
    if (url.startsWith('/api/v1/templates/')) return ids.template;
    if (url.startsWith('/api/v1/keys/')) return ids.key;
    if (url.startsWith('/api/v1/events/')) return ids.event;
    return url.startsWith('/api/v1/renders/') ? ids.render : 'no rule for this path';
  },
  ':job_id': (_, ids) => ids.job,
  ':render_id': (_, ids) => ids.render,
  ':version': () => '1',
  ':person_id': (_, ids) => ids.person,
  ':invitation_id': (_, ids) => ids.invitation,
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
    'PUT /api/v1/members/:person_id': { role: 'developer' },
  };
  return bodies[`${method} ${url}`];
};

/** Routes without an id, which concern the calling account. Their content is tested below. */
const ofTheCaller = new Set([
  'GET /api/v1/templates',
  'POST /api/v1/templates',
  'POST /api/v1/templates/validate',
  'POST /api/v1/templates/preview',
  'GET /api/v1/templates/examples',
  'GET /api/v1/jobs',
  'GET /api/v1/renders',
  'GET /api/v1/deliveries',
  'POST /api/v1/deliveries/redeliver',
  'GET /api/v1/webhook-secret',
  'POST /api/v1/webhook-secret/rotate',
  'POST /api/v1/webhooks/test',
  'GET /api/v1/search',
  'POST /api/v1/jobs/redeliver',
  'GET /api/v1/usage',
  'GET /api/v1/usage/breakdown',
  'GET /api/v1/statistics',
  'GET /api/v1/events/live',
  'GET /api/v1/account',
  'GET /api/v1/account/events',
  'GET /api/v1/account/settings',
  'PUT /api/v1/account/settings',
  'GET /api/v1/members',
  'GET /api/v1/invitations',
  'POST /api/v1/invitations',
  'GET /api/v1/keys',
  'POST /api/v1/keys',
  'GET /api/v1/events',
]);

const collected = collectRoutes();
let api: InProcessApi;
let ownAccount: string;
let owner: string;
let stranger: string;
let theirs: Ids;

/** A template, a key, an event, a member, an invitation and a finished asynchronous render of an account, by their ids. */
const things = async (secret: string, accountId: string): Promise<Ids> => {
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
  const key = (await api.request(secret, 'POST', '/api/v1/keys', { name: 'other', type: 'test' })).body.id!;
  const { events } = (await api.request(secret, 'GET', '/api/v1/events?limit=1')).body as unknown as {
    events: { id: string }[];
  };
  const personId = newId();
  const cause = newCause({ kind: 'person', name: 'tests' }, accountId);
  const join = { type: 'join', personId, role: 'viewer', source: 'link' } as const;
  await changeMembers(api.eventLog, accountId, join, cause);
  const invited = { email: `${personId}@example.com`, role: 'viewer' };
  const invitation = (await api.request(secret, 'POST', '/api/v1/invitations', invited)).body.id!;
  await api.catchUpReadModels();
  return {
    template,
    job,
    render: job.replace('job_', 'render_'),
    key,
    event: events[0]!.id,
    person: personIdOf(personId),
    invitation,
  };
};

beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  collected.stop();
  ownAccount = await api.createAccount('pro');
  [owner, stranger] = [
    (await api.createKey(ownAccount)).secret,
    (await api.createKey(await api.createAccount('pro'))).secret,
  ];
  theirs = await things(owner, ownAccount);
});
afterAll(() => api.closeAndRemove());

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
      const own = await things(owner, ownAccount);
      const verifying = route.url.endsWith('/verify') ? verifyNext(api, own.render) : null;
      const response = await ask(owner, route, own);
      await verifying;
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
    for (const route of [
      '/templates',
      '/jobs',
      '/renders',
      '/usage',
      '/account',
      '/account/events',
      '/keys',
      '/events',
      '/members',
      '/invitations',
    ]) {
      const { status, body } = await api.request(stranger, 'GET', `/api/v1${route}`);
      expect(status, route).toBe(200);
      for (const id of Object.values(theirs)) expect(JSON.stringify(body), route).not.toContain(id);
    }
    expect((await api.request(stranger, 'GET', '/api/v1/templates')).body).toMatchObject({ templates: [], total: 0 });
    expect((await api.request(stranger, 'GET', '/api/v1/jobs')).body).toMatchObject({ jobs: [] });
    expect((await api.request(stranger, 'GET', '/api/v1/renders')).body).toMatchObject({ renders: [] });
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
