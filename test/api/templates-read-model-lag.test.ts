import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareId, streams } from '#contracts/names.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
let secret: string;
beforeEach(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  secret = (await api.createKey(await api.createAccount('pro'))).secret;
});
afterEach(() => api.closeAndRemove());

const template = { name: 'Letter', content: '<p>{{x}}</p>' };
const create = async (fields: object = {}): Promise<string> => {
  const { status, body } = await api.request(secret, 'POST', '/api/v1/templates', { ...template, ...fields });
  expect(status).toBe(201);
  return `/api/v1/templates/${String(body.id)}`;
};

/** Stops the read models. The returned function lets them continue. */
const holdReadModels = async (): Promise<() => void> => {
  // The monthly quota is initialised from a read model once.
  expect((await api.request(secret, 'GET', '/api/v1/templates')).status).toBe(200);
  const {
    projectorReads: projected,
    engines: { reads },
  } = api;
  const [{ write }, { waitForCheckpoint }] = [projected, reads];
  const released = Promise.withResolvers<void>();
  Object.assign(projected, {
    write: (...given: Parameters<typeof write>) => released.promise.then(() => write(...given)),
  });
  Object.assign(reads, { waitForCheckpoint: async () => false });
  return () => {
    Object.assign(projected, { write });
    Object.assign(reads, { waitForCheckpoint });
    released.resolve();
  };
};

describe('A template that no read model shows yet', () => {
  it('can be changed, restored, read as history and deleted', async () => {
    const release = await holdReadModels();
    try {
      const path = await create();
      expect((await api.request(secret, 'PUT', path, { content: '<p>2</p>' })).body).toMatchObject({ version: 2 });
      expect((await api.request(secret, 'POST', `${path}/restore`, { version: 1 })).body).toMatchObject({ version: 3 });
      expect((await api.request(secret, 'POST', `${path}/restore`, { version: 4 })).status).toBe(404);
      expect((await api.request(secret, 'GET', `${path}/events`)).body.events).toHaveLength(3);
      expect((await api.request(secret, 'DELETE', path)).status).toBe(204);
      expect((await api.request(secret, 'PUT', path, { content: '<p>2</p>' })).status).toBe(404);
    } finally {
      release();
    }
  });

  it('makes reads wait and then fail with 503, not with 404 or a list without it', async () => {
    const release = await holdReadModels();
    try {
      const path = await create();
      for (const url of [path, `${path}/versions`, `${path}/versions/1`, '/api/v1/templates']) {
        expect((await api.request(secret, 'GET', url)).body, url).toMatchObject({
          error: 'service_unavailable',
          retry_after: 1,
        });
      }
      expect(
        (
          await api.request(secret, 'POST', '/api/v1/render', {
            mode: 'RENDER',
            template_id: path.split('/').at(-1),
            data: {},
          })
        ).body,
      ).toMatchObject({ error: 'service_unavailable' });
    } finally {
      release();
    }
  });
});

describe('A cached template, as on servers', () => {
  it('is rendered in its latest version, and not after its deletion', async () => {
    await api.closeAndRemove();
    api = await openInProcessApi('2026-05-20T12:00:30.000Z', { templatesKnownForMs: 300 });
    secret = (await api.createKey(await api.createAccount('pro'))).secret;
    const path = await create();
    const render = (template_version?: number) =>
      api.request(secret, 'POST', '/api/v1/render/async', {
        mode: 'RENDER',
        template_id: path.split('/').at(-1),
        data: {},
        ...(template_version && { template_version }),
      });
    const versionRendered = async (wanted?: number): Promise<unknown> => {
      const { body } = await render(wanted);
      const [requested] = await api.eventLog.store.read(streams.render(bareId('render', String(body.id))!));
      return (requested!.data as { source: { templateVersion: number } }).source.templateVersion;
    };
    expect(await versionRendered()).toBe(1);
    expect((await api.request(secret, 'PUT', path, { content: '<p>2</p>' })).status).toBe(200);
    expect([await versionRendered(), await versionRendered(1), await versionRendered(2)]).toEqual([2, 1, 2]);
    expect((await api.request(secret, 'POST', `${path}/restore`, { version: 1 })).status).toBe(200);
    expect(await versionRendered()).toBe(3);
    expect((await api.request(secret, 'DELETE', path)).status).toBe(204);
    expect((await render()).body).toMatchObject({ error: 'template_not_found' });
  });
});

describe('The changes of a version', () => {
  it('are the text of the caller, or the names of the changed fields', async () => {
    const path = await create({ description: 'plain', variables: [{ name: 'x', type: 'string' }] });
    const updates = [
      [{ ...template, description: 'plain' }, 'nothing'],
      [{}, 'nothing'],
      [
        { name: 'Letter', description: 'new', variables: [{ name: 'x', type: 'string', required: false }] },
        'description',
      ],
      [{ content: '<p>{{y}}</p>', default_options: { page_size: 'A3' } }, 'content, default_options'],
      [{ content: '<p>{{z}}</p>', changes: 'Another letter' }, 'Another letter'],
    ] as const;
    for (const [update] of updates) expect((await api.request(secret, 'PUT', path, update)).status).toBe(200);
    const { versions } = (await api.request(secret, 'GET', `${path}/versions`)).body as unknown as {
      versions: { changes: string }[];
    };
    expect(versions.toReversed().map(({ changes }) => changes)).toEqual([
      'created',
      ...updates.map(([, changes]) => changes),
    ]);
  });
});

describe('A version that is not kept', () => {
  it('is an error that says which versions are kept', async () => {
    const path = await create();
    const messageOf = async (method: string, url: string, body?: object) =>
      (await api.request(secret, method, url, body)).body.message;
    expect(await messageOf('GET', `${path}/versions/latest`)).toMatch(/kept\. Only version 1 is kept\.$/);
    for (let version = 2; version <= 12; version += 1) await api.request(secret, 'PUT', path, { description: 'x' });
    const hint = expect.stringMatching(/kept\. Versions 3 to 12 are kept\.$/);
    const render = { mode: 'RENDER', template_id: path.split('/').at(-1), template_version: 2, data: {} };
    expect([
      await messageOf('GET', `${path}/versions/2`),
      await messageOf('POST', `${path}/restore`, { version: 13 }),
      await messageOf('POST', '/api/v1/render', render),
    ]).toEqual([hint, hint, hint]);
  });
});

describe('A name that is taken', () => {
  it('is rejected before the content is stored', async () => {
    await create();
    const { status } = await api.request(secret, 'POST', '/api/v1/templates', { ...template, content: 'never stored' });
    expect(status).toBe(409);
    expect(await api.engines.blobs.has(createHash('sha256').update('never stored').digest('hex'))).toBe(false);
  });
});

describe('The first response to an Idempotency-Key', () => {
  it('is not sent again to a key without the permission', async () => {
    const account = await api.createAccount('pro');
    const [writer, reader] = [
      await api.createKey(account),
      await api.createKey(account, { permissions: ['templates:read'] }),
    ];
    const post = (key: string) =>
      api.app.inject({
        method: 'POST',
        url: '/api/v1/templates',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
        payload: JSON.stringify(template),
      });
    expect((await post(writer.secret)).statusCode).toBe(201);
    const refused = await post(reader.secret);
    expect([refused.statusCode, refused.json<{ required_permission: string }>().required_permission]).toEqual([
      403,
      'templates:write',
    ]);
    expect(refused.headers).not.toHaveProperty('idempotency-replayed');
    expect((await post(writer.secret)).headers).toMatchObject({ 'idempotency-replayed': 'true' });
  });
});

describe('A render or template test that no read model shows yet', () => {
  it.each(['/api/v1/render', 'its test'])(
    'makes the list of renders wait and then fail with 503 (%s)',
    async (path) => {
      const created = await create();
      const [url, body] =
        path === 'its test' ? [`${created}/test`, { data: { x: 1 } }] : [path, { ...htmlRequest, data: '<p>y' }];
      expect((await api.request(secret, 'GET', '/api/v1/renders')).status).toBe(200);
      const release = await holdReadModels();
      try {
        expect((await api.request(secret, 'POST', url, body)).status).toBe(200);
        expect((await api.request(secret, 'GET', '/api/v1/renders')).body).toMatchObject({
          error: 'service_unavailable',
          retry_after: 1,
        });
      } finally {
        release();
      }
      expect((await api.request(secret, 'GET', '/api/v1/renders')).body.renders).toHaveLength(1);
    },
  );
});
