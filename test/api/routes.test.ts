import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../services/api/routes.ts';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

let api: InProcessApi;
let powerless: string;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  powerless = (await api.createKey(await api.createAccount(), { permissions: [] })).secret;
});
afterAll(() => api.closeAndRemove());

const guarded = routes.flatMap((route) => (route.permission ? [{ ...route, permission: route.permission }] : []));
const titled = guarded.map((route) => [`${route.method} ${route.path}`, route] as const);

const send = async ({ method, path, request }: (typeof guarded)[number], secret: string | null) => {
  const [example] = Object.values(request?.examples ?? {});
  const { statusCode, headers, body } = await api.app.inject({
    method,
    url: path.replaceAll(/\{\w+\}/g, 'render_01JR04W1PD2M5S8V3Q6X9Z7TKF'),
    headers: secret === null ? {} : { authorization: `Bearer ${secret}` },
    // The only route that needs a parameter in its query.
    ...(path === '/api/v1/search' && { query: { q: 'invoice' } }),
    ...(example && { payload: example.value as object }),
  });
  return { statusCode, headers, body: JSON.parse(body) as Record<string, unknown> };
};

it('Every route of the API needs a permission or a session, or starts one', () => {
  const open = routes.filter(({ path, permission, session }) => path.startsWith('/api/') && !permission && !session);
  expect(open).toEqual([]);
  const starts = routes
    .filter(({ session }) => session === 'start' || session === 'callback')
    .map(({ operationId }) => operationId);
  expect(starts.toSorted()).toEqual([
    'acceptInvitation',
    'finishOidcSignIn',
    'listSignInMethods',
    'previewInvitation',
    'signIn',
    'signInWithPasskey',
    'startOidcSignIn',
    'startPasskeySignIn',
  ]);
});

describe('Every route', () => {
  it.each(titled)('%s rejects a request without a key', async (_, route) => {
    const { statusCode, body } = await send(route, null);
    expect([statusCode, body.error]).toEqual([401, 'missing_authorization']);
  });

  it.each(titled)('%s rejects a key without its permission, and counts the request', async (_, route) => {
    const { statusCode, headers, body } = await send(route, powerless);
    expect([statusCode, body.required_permission]).toEqual([403, route.permission]);
    expect(headers).toHaveProperty('x-ratelimit-remaining');
  });
});

it.each(titled.filter(([, { request }]) => request?.body && !request.bodyIsOptional))(
  '%s needs a body',
  async (_, route) => {
    const { statusCode, body } = await send({ ...route, request: {} }, powerless);
    expect([statusCode, body.error]).toEqual([400, 'invalid_request']);
  },
);
