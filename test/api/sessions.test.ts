import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SessionResponse } from '#contracts/http/session.ts';
import { permissionsOf } from '#contracts/roles.ts';
import { accountIdOf, streams } from '#contracts/names.ts';
import { personIdFrom } from '#application/people/identity.ts';
import { loadAggregate, newCause } from '#application/command-handling/aggregate.ts';
import { members, type MembersCommand } from '#libs/domain/members.ts';
import { routes } from '../../services/api/routes.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { type Browser, issueToken, type LinkOptions, openBrowser } from '../support/people/browser.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let api: InProcessApi;
let accountId: string;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
});
afterAll(() => api.closeAndRemove());
let emails = 0;
let email: string;
beforeEach(async () => {
  emails += 1;
  email = `person-${emails}@example.com`;
  accountId = await api.createAccount();
  await api.catchUpReadModels();
});

const advance = (ms: number): void => void (api.clock.now = new Date(api.clock.now.getTime() + ms));
const issue = (options: LinkOptions = {}): Promise<string> =>
  issueToken(api.eventLog, { email, accountId, ...options });
const signedIn = async (options: LinkOptions = {}): Promise<Browser> => {
  const browser = openBrowser(api.app);
  const { status, body } = await browser.signIn(await issue(options));
  expect([status, body['error']]).toEqual([201, undefined]);
  return browser;
};
const changeMembers = async (command: MembersCommand): Promise<void> => {
  const { aggregate } = await loadAggregate(api.eventLog, members, streams.members(accountId));
  await aggregate.execute(command, newCause({ kind: 'person', name: 'tests' }, accountId));
};
const outcome = async (response: Promise<{ status: number; body: Record<string, unknown> }>) => {
  const { status, body } = await response;
  return [status, body['error']];
};

describe('A one-time link', () => {
  it('signs a person in, as owner unless it says otherwise', async () => {
    const browser = openBrowser(api.app);
    const { status, headers, body } = await browser.signIn(await issue({ email: ` ${email.toUpperCase()} ` }));
    expect(status).toBe(201);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      person: { email, name: email, operator: false, passkeys: 0 },
      session: { method: 'link', expires_at: new Date(api.clock.now.getTime() + 12 * hourMs).toISOString() },
      accounts: [{ id: accountIdOf(accountId), name: 'tests', role: 'owner', state: 'active' }],
      account: { id: accountIdOf(accountId), permissions: [...permissionsOf('owner')] },
    });
    expect((await browser.request('GET', '/api/v1/session')).body).toEqual(body);
  });

  it('sets a cookie that scripts and other sites do not get, and Secure with TLS', async () => {
    const { headers } = await openBrowser(api.app).signIn(await issue());
    expect(headers['set-cookie']).toMatch(
      /^colophon_session=[0-9A-Z]{26}\.[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
  });

  it('works once, even for two requests at the same moment', async () => {
    const token = await issue();
    const both = await Promise.all([openBrowser(api.app).signIn(token), openBrowser(api.app).signIn(token)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
    expect(await outcome(openBrowser(api.app).signIn(token))).toEqual([401, 'used_sign_in_link']);
  });

  it('expires after 15 minutes', async () => {
    const token = await issue();
    advance(15 * minuteMs);
    expect(await outcome(openBrowser(api.app).signIn(token))).toEqual([401, 'expired_sign_in_link']);
  });

  it('tells nothing to those who guess: a used, an expired and an unknown link look the same', async () => {
    const token = await issue();
    const [id] = token.split('.');
    const guess = `${id}.${'A'.repeat(43)}`;
    const before = await openBrowser(api.app).signIn(guess);
    await openBrowser(api.app).signIn(token);
    const used = await openBrowser(api.app).signIn(guess);
    const unknown = await openBrowser(api.app).signIn(`01JR04W1PD2M5S8V3Q6X9Z7TKF.${'A'.repeat(43)}`);
    const malformed = await openBrowser(api.app).signIn('x');
    for (const { status, body } of [before, used, unknown, malformed])
      expect([status, body['error'], body['message']]).toEqual([401, 'invalid_sign_in_link', before.body['message']]);
  });

  it('is the same person for one email, and joins a further account', async () => {
    await signedIn();
    const other = await api.createAccount();
    await api.catchUpReadModels();
    const browser = await signedIn({ accountId: other, role: 'viewer' });
    const { body } = await browser.request('GET', '/api/v1/session', { account: other });
    expect(body).toMatchObject({
      accounts: [
        { id: accountIdOf(accountId), role: 'owner' },
        { id: accountIdOf(other), role: 'viewer' },
      ],
      account: { id: accountIdOf(other), role: 'viewer', permissions: [...permissionsOf('viewer')] },
    });
  });

  it('keeps the role of a member, or sets the one it names, except for the last owner', async () => {
    await signedIn({ email: 'first@example.com' });
    await signedIn({ role: 'developer' });
    const roleAfter = async (options: LinkOptions) =>
      ((await (await signedIn(options)).request('GET', '/api/v1/session')).body as SessionResponse).account?.role;
    expect(await roleAfter({})).toBe('developer');
    expect(await roleAfter({ role: 'viewer' })).toBe('viewer');
    const last = await signedIn({ email: 'first@example.com', role: 'viewer' });
    const { body } = await last.request('GET', '/api/v1/session', { account: accountId });
    expect((body as SessionResponse).account?.role).toBe('owner');
  });

  it('leaves no secret in the event log', async () => {
    const token = await issue();
    const browser = openBrowser(api.app);
    await browser.signIn(token);
    const [, secret] = token.split('.');
    const cookie = browser.cookies.get('colophon_session')!.split('.')[1]!;
    const log = JSON.stringify(await api.eventLog.store.readAll(0, 100_000));
    expect(log).toContain('SessionStarted');
    expect(log).not.toContain(secret);
    expect(log).not.toContain(cookie);
  });
});

describe('Failed sign-ins from one address', () => {
  const wrong = (browser: Browser) => outcome(browser.signIn('x'));

  it('are limited, and stop neither other addresses nor a right link', async () => {
    const [attacker, other] = [openBrowser(api.app, '192.0.2.7'), openBrowser(api.app, '192.0.2.8')];
    for (let count = 0; count < 20; count += 1) expect(await wrong(attacker)).toEqual([401, 'invalid_sign_in_link']);
    expect(await wrong(attacker)).toEqual([429, 'rate_limit_exceeded']);
    expect(await wrong(other)).toEqual([401, 'invalid_sign_in_link']);
    expect((await attacker.signIn(await issue())).status).toBe(201);
  });

  it('count for a whole network of IPv6', async () => {
    for (let count = 0; count < 20; count += 1) await wrong(openBrowser(api.app, `2001:db8:1:2::${count}`));
    expect(await wrong(openBrowser(api.app, '2001:db8:1:2:ffff:1:2:3'))).toEqual([429, 'rate_limit_exceeded']);
    expect(await wrong(openBrowser(api.app, '2001:db8:1:3::1'))).toEqual([401, 'invalid_sign_in_link']);
  });
});

describe('A session', () => {
  const read = (browser: Browser) => outcome(browser.request('GET', '/api/v1/account'));

  it('ends after twelve hours without a request, and lives on while it is used', async () => {
    const browser = await signedIn();
    for (let hours = 0; hours < 24; hours += 8) {
      advance(8 * hourMs);
      expect(await read(browser)).toEqual([200, undefined]);
    }
    advance(12 * hourMs);
    expect(await read(browser)).toEqual([401, 'invalid_session']);
  });

  it('is extended once in fifteen minutes, with its cookie', async () => {
    const browser = await signedIn();
    const cookieOf = async () => (await browser.request('GET', '/api/v1/account')).headers['set-cookie'];
    advance(15 * minuteMs - 1);
    expect(await cookieOf()).toBe(undefined);
    advance(1);
    const cookies = await Promise.all([cookieOf(), cookieOf(), cookieOf()]);
    expect(cookies.filter((cookie) => cookie !== undefined)).not.toEqual([]);
    expect(await cookieOf()).toBe(undefined);
    const stream = streams.session(browser.cookies.get('colophon_session')!.split('.')[0]!);
    expect((await api.eventLog.store.read(stream)).map(({ type }) => type)).toEqual([
      'SessionStarted',
      'SessionExtended',
    ]);
  });

  it('needs the right secret', async () => {
    const browser = await signedIn();
    const token = browser.cookies.get('colophon_session')!;
    for (const wrong of [`${token.slice(0, -2)}AA`, token.split('.')[0]!, 'x', `${token}A`]) {
      browser.cookies.set('colophon_session', wrong);
      expect(await read(browser)).toEqual([401, 'invalid_session']);
    }
  });

  it('ends at once when the person signs out', async () => {
    const browser = await signedIn();
    const token = browser.cookies.get('colophon_session')!;
    const { status, headers } = await browser.request('DELETE', '/api/v1/session');
    expect([status, headers['set-cookie']]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    browser.cookies.set('colophon_session', token);
    expect(await read(browser)).toEqual([401, 'invalid_session']);
  });

  it('that is revoked ends at its next request', async () => {
    const [browser, other] = [await signedIn(), await signedIn()];
    const { body } = await browser.request('GET', '/api/v1/session/sessions');
    const sessions = body['sessions'] as { id: string; current: boolean }[];
    expect(sessions.map(({ current }) => current).toSorted()).toEqual([false, true]);
    const { id } = sessions.find(({ current }) => !current)!;
    expect(await read(other)).toEqual([200, undefined]);
    expect(await outcome(browser.request('DELETE', `/api/v1/session/sessions/${id}`))).toEqual([200, undefined]);
    expect(await read(other)).toEqual([401, 'invalid_session']);
    expect(await outcome(browser.request('DELETE', `/api/v1/session/sessions/${id}`))).toEqual([
      404,
      'session_not_found',
    ]);
    expect(await read(browser)).toEqual([200, undefined]);
  });

  it('can end all others of the person, and none of anyone else', async () => {
    const [browser, second, third] = [await signedIn(), await signedIn(), await signedIn()];
    const stranger = await signedIn({ email: 'stranger@example.com' });
    const { body } = await browser.request('DELETE', '/api/v1/session/sessions');
    expect(body).toEqual({ revoked: 2 });
    expect(await Promise.all([browser, second, third, stranger].map(read))).toEqual([
      [200, undefined],
      [401, 'invalid_session'],
      [401, 'invalid_session'],
      [200, undefined],
    ]);
    const id = `session_${stranger.cookies.get('colophon_session')!.split('.')[0]}`;
    expect(await outcome(browser.request('DELETE', `/api/v1/session/sessions/${id}`))).toEqual([
      404,
      'session_not_found',
    ]);
    expect(await read(stranger)).toEqual([200, undefined]);
  });

  it('is not for a request with an API key', async () => {
    const browser = await signedIn();
    const { secret } = await api.createKey(accountId, { permissions: [] });
    const headers = { authorization: `Bearer ${secret}` };
    expect(await outcome(browser.request('GET', '/api/v1/account', { headers }))).toEqual([
      403,
      'insufficient_permissions',
    ]);
    const keyAlone = openBrowser(api.app);
    expect(await outcome(keyAlone.request('GET', '/api/v1/session', { headers }))).toEqual([401, 'invalid_session']);
  });
});

describe('A request of a person that changes something', () => {
  const send = (browser: Browser, headers: Record<string, string | undefined>) =>
    outcome(browser.request('POST', '/api/v1/render', { body: htmlRequest, headers }));

  it('must come from a page of the service', async () => {
    const browser = await signedIn();
    expect(await send(browser, {})).toEqual([200, undefined]);
    for (const origin of ['http://evil.example', 'http://localhost:81', 'https://localhost', 'null', undefined])
      expect(await send(browser, { origin })).toEqual([403, 'cross_origin_request']);
    const { body } = await browser.request('POST', '/api/v1/render', { body: htmlRequest, headers: { origin: 'x' } });
    expect(String(body['message'])).toMatch(/the header Origin: http:\/\/\S+\.$/);
    for (const site of ['cross-site', 'same-site'])
      expect(await send(browser, { 'sec-fetch-site': site })).toEqual([403, 'cross_origin_request']);
    expect(await send(browser, { 'sec-fetch-site': 'same-origin' })).toEqual([200, undefined]);
  });

  it('may use another name of the loopback interface, but no name that another site can have', async () => {
    const browser = await signedIn();
    const from = (host: string) => send(browser, { host, origin: `http://${host}` });
    for (const host of ['127.0.0.1:8080', 'localhost:3000', '[::1]:8080'])
      expect(await from(host)).toEqual([200, undefined]);
    const otherHosts = 'rebound.example:8080 127.0.0.1.example localhost.example 10.0.0.1 localhost:99999';
    for (const host of otherHosts.split(' ')) expect(await from(host)).toEqual([403, 'cross_origin_request']);
  });

  it('cannot sign a browser in from another site', async () => {
    const token = await issue();
    const headers = { origin: 'http://evil.example' };
    const attempt = openBrowser(api.app).request('POST', '/api/v1/session', { body: { token }, headers });
    expect(await outcome(attempt)).toEqual([403, 'cross_origin_request']);
    expect((await openBrowser(api.app).signIn(token)).status).toBe(201);
  });
});

describe('A member', () => {
  const request = (browser: Browser, method: string, url: string, account?: string) =>
    outcome(browser.request(method, url, account === undefined ? {} : { account }));

  it('sees 404 for the account of others, whether it exists or not', async () => {
    const browser = await signedIn();
    const foreign = await api.createAccount();
    await api.catchUpReadModels();
    const answers = await Promise.all(
      [foreign, '01JR04W1PD2M5S8V3Q6X9Z7TKF'].map((id) => browser.request('GET', '/api/v1/account', { account: id })),
    );
    for (const { status, body } of answers)
      expect([status, body['error'], body['message']]).toEqual([404, 'account_not_found', answers[0]!.body['message']]);
    expect(await request(browser, 'GET', '/api/v1/session', foreign)).toEqual([404, 'account_not_found']);
    expect(await request(browser, 'GET', `/api/v1/account?account=${accountIdOf(foreign)}`)).toEqual([
      404,
      'account_not_found',
    ]);
    const twice = `account=${accountIdOf(accountId)}&account=${accountIdOf(foreign)}`;
    expect(await request(browser, 'GET', `/api/v1/account?${twice}`)).toEqual([404, 'account_not_found']);
    expect(await request(browser, 'GET', `/api/v1/account?account=${accountIdOf(accountId)}`)).toEqual([
      200,
      undefined,
    ]);
    expect(
      await outcome(browser.request('GET', '/api/v1/account', { headers: { 'x-colophon-account': 'x' } })),
    ).toEqual([404, 'account_not_found']);
  });

  it('without any account has a session and nothing else', async () => {
    const browser = await signedIn({ accountId: null });
    expect(await request(browser, 'GET', '/api/v1/session')).toEqual([200, undefined]);
    expect(await request(browser, 'GET', '/api/v1/account')).toEqual([404, 'account_not_found']);
  });

  it('has another role at the very next request, and none after leaving', async () => {
    const personId = personIdFrom({ kind: 'email', email });
    await signedIn({ email: 'owner@example.com' });
    const browser = await signedIn({ role: 'developer' });
    const render = () => outcome(browser.request('POST', '/api/v1/render', { body: htmlRequest }));
    expect(await render()).toEqual([200, undefined]);
    await changeMembers({ type: 'changeRole', personId, role: 'viewer', source: 'invitation' });
    expect(await render()).toEqual([403, 'insufficient_permissions']);
    await changeMembers({ type: 'remove', personId });
    expect(await request(browser, 'GET', '/api/v1/account', accountId)).toEqual([404, 'account_not_found']);
    await api.catchUpReadModels();
    expect(await request(browser, 'GET', '/api/v1/account')).toEqual([404, 'account_not_found']);
  });

  it('of a suspended account can read and nothing else', async () => {
    const browser = await signedIn();
    await api.updateAccount(accountId, { type: 'suspend', reason: 'unpaid' });
    expect(await request(browser, 'GET', '/api/v1/account')).toEqual([200, undefined]);
    expect(await request(browser, 'POST', '/api/v1/render')).toEqual([403, 'account_suspended']);
    expect((await browser.request('GET', '/api/v1/session')).body).toMatchObject({ account: { reason: 'unpaid' } });
  });

  it('has an own rate limit, which the account does not share', async () => {
    const limited = await api.createAccount('free', { requestsPerMinute: 1 });
    await api.catchUpReadModels();
    const browser = await signedIn({ accountId: limited });
    advance(minuteMs);
    const statuses = new Set<number>();
    for (let count = 0; count < 600; count += 1) statuses.add((await browser.request('GET', '/api/v1/account')).status);
    expect([...statuses]).toEqual([200]);
    const { status, headers, body } = await browser.request('GET', '/api/v1/account');
    expect([status, body['limit'], headers['x-ratelimit-limit']]).toEqual([429, 600, '600']);
    const { secret } = await api.createKey(limited);
    expect((await api.request(secret, 'GET', '/api/v1/account')).status).toBe(200);
  });

  it('is the actor of what happens', async () => {
    const browser = await signedIn();
    const { headers } = await browser.request('POST', '/api/v1/render', { body: htmlRequest });
    expect(headers['x-request-id']).toBeDefined();
    const events = await api.eventLog.store.readAll(0, 100_000);
    const render = events.find(({ metadata }) => metadata.correlationId === headers['x-request-id'])!;
    expect(render).toMatchObject({
      type: 'RenderRequested',
      metadata: { accountId, actor: { kind: 'person', name: email, id: personIdFrom({ kind: 'email', email }) } },
    });
  });
});

describe('A viewer', () => {
  const guarded = routes.flatMap((route) => (route.permission ? [{ ...route, permission: route.permission }] : []));
  // The check of a template stores nothing.
  const changing = guarded.filter(({ method, operationId }) => method !== 'GET' && operationId !== 'validateTemplate');

  it.each(changing.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'cannot %s',
    async (_, { method, path, request }) => {
      const browser = await signedIn({ role: 'viewer' });
      const [example] = Object.values(request?.examples ?? {});
      const url = path.replaceAll(/\{\w+\}/g, 'render_01JR04W1PD2M5S8V3Q6X9Z7TKF');
      const response = browser.request(method, url, example ? { body: example.value } : {});
      expect(await outcome(response)).toEqual([403, 'insufficient_permissions']);
    },
  );
});

describe('An operator', () => {
  it('may do everything in every account', async () => {
    const browser = await signedIn({ accountId: null, operator: true });
    const { body } = await browser.request('GET', '/api/v1/session', { account: accountId });
    expect(body).toMatchObject({
      person: { operator: true },
      accounts: [],
      account: { id: accountIdOf(accountId), role: null, permissions: [...permissionsOf('owner')] },
    });
    const render = browser.request('POST', '/api/v1/render', { body: htmlRequest, account: accountId });
    expect(await outcome(render)).toEqual([200, undefined]);
    expect((await browser.request('GET', '/api/v1/session')).body['account']).not.toBe(null);
    const unknown = browser.request('GET', '/api/v1/account', { account: '01JR04W1PD2M5S8V3Q6X9Z7TKF' });
    expect(await outcome(unknown)).toEqual([404, 'account_not_found']);
  });
});
