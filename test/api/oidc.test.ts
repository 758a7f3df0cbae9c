import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SessionResponse } from '#contracts/http/session.ts';
import { accountIdOf } from '#contracts/names.ts';
import type { GroupRole } from '#application/people/sign-in-by-provider.ts';
import { type Egress, openEgress } from '#libs/egress/egress.ts';
import { openIdentityProvider } from '#libs/oidc/identity-provider.ts';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { type Browser, issueToken, openBrowser } from '../support/people/browser.ts';
import { client, startIdentityProvider } from '../support/people/identity-provider.ts';

const redirectUri = 'http://localhost/api/v1/session/oidc/callback';
const failed = '/dashboard/sign-in?oidc_failed=1';

let api: InProcessApi;
let egress: Egress;
let idp: Awaited<ReturnType<typeof startIdentityProvider>>;
let accountId: string;
const groupRoles: GroupRole[] = [{ group: 'ops', kind: 'operator' }];
const clientOf = (allowed: Egress) =>
  openIdentityProvider({
    issuer: idp.issuer,
    clientId: client.id,
    clientSecret: client.secret,
    groupsClaim: 'groups',
    redirectUri,
    request: (url, options) => allowed.requestProvider(url, options),
  });

beforeAll(async () => {
  idp = await startIdentityProvider();
  egress = await openEgress({ allowList: ['127.0.0.1'], logger: { warn: () => undefined } });
  const identityProvider = { provider: clientOf(egress), groupRoles };
  api = await openInProcessApi('2026-05-20T12:00:30.000Z', { identityProvider });
  accountId = await api.createAccount();
  groupRoles.push(
    { group: 'admins', kind: 'member', accountId, role: 'owner' },
    { group: 'staff', kind: 'member', accountId, role: 'viewer' },
  );
  await api.catchUpReadModels();
});
afterAll(async () => {
  await api.closeAndRemove();
  await egress.close();
  await idp.close();
});
beforeEach(() => {
  delete idp.fault.sign;
  delete idp.fault.claims;
});

let people = 0;
const newEmail = (): string => `oidc-${(people += 1)}@example.com`;
const verified = (email: string, groups: string[] = []) => ({ email, email_verified: true, groups });
const start = async (browser: Browser): Promise<string> =>
  (await browser.request('GET', '/api/v1/session/oidc')).headers.location!;
const finish = async (browser: Browser, query: string): Promise<string | undefined> => {
  // Each failure from another address, because failures are limited.
  const headers = { 'sec-fetch-site': 'cross-site' };
  return (await browser.request('GET', `/api/v1/session/oidc/callback${query}`, { headers })).headers.location;
};
const signIn = async (claims: Record<string, unknown>, browser = openBrowser(api.app)) => {
  const location = await finish(browser, idp.authorize(await start(browser), claims));
  expect(location).toBe('/dashboard');
  return browser;
};
const sessionOf = async (browser: Browser): Promise<SessionResponse> =>
  (await browser.request('GET', '/api/v1/session')).body as SessionResponse;

describe('A person of the identity provider', () => {
  it('is signed in, with the highest role of the groups', async () => {
    const email = newEmail();
    const browser = await signIn(verified(email.toUpperCase(), ['staff', 'admins', 'others']));
    expect(await sessionOf(browser)).toMatchObject({
      person: { email, operator: false },
      session: { method: 'oidc' },
      accounts: [{ id: accountIdOf(accountId), role: 'owner' }],
    });
    expect((await browser.request('GET', '/api/v1/session/methods')).body).toMatchObject({ oidc: true });
    expect([...browser.cookies.keys()]).toEqual(['colophon_session']);
  });

  it('loses the role of a group after leaving it, at the next sign-in', async () => {
    const email = newEmail();
    await signIn(verified(email, ['admins', 'ops']));
    const later = await sessionOf(await signIn(verified(email, ['staff'])));
    expect(later).toMatchObject({ person: { operator: false }, accounts: [{ role: 'viewer' }] });
    expect((await sessionOf(await signIn(verified(email)))).accounts).toEqual([]);
  });

  it('comes back to the page that the person asked for, and to no other site', async () => {
    const startFor = async (browser: Browser, next: string) =>
      (await browser.request('GET', `/api/v1/session/oidc?next=${encodeURIComponent(next)}`)).headers.location!;
    const browser = openBrowser(api.app);
    const asked = '/dashboard/webhooks?status=failed&receiver=*.example.com';
    const query = idp.authorize(await startFor(browser, asked), verified(newEmail()));
    expect(await finish(browser, query)).toBe(asked);
    await startFor(browser, '/dashboard/keys');
    expect(await finish(browser, '?error=access_denied')).toBe(`${failed}&next=%2Fdashboard%2Fkeys`);
    for (const next of ['https://evil.example/', '//evil.example', '/dashboard/sign-in', '/dashboard/../docs'])
      expect(await startFor(openBrowser(api.app), next), next).toBeUndefined();
  });

  it('is in the audit of each account to which the person signs in', async () => {
    const email = newEmail();
    await signIn(verified(email, ['staff']));
    await api.catchUpReadModels();
    const owner = await signIn(verified(newEmail(), ['admins']));
    await api.catchUpReadModels();
    const { body } = await owner.request('GET', '/api/v1/events?type=MemberSignedIn');
    const { events } = body as { events: { actor: { name: string }; data: unknown }[] };
    const mine = events.filter(({ actor }) => actor.name === email);
    expect(mine).toMatchObject([{ data: { method: 'oidc' } }]);
  });

  it('is an operator by a group', async () => {
    const { person, account } = await sessionOf(await signIn(verified(newEmail(), ['ops'])));
    expect([person.operator, account?.role]).toEqual([true, null]);
  });

  it('keeps a role that does not come from a group', async () => {
    const email = newEmail();
    await openBrowser(api.app).signIn(await issueToken(api.eventLog, { email, accountId, role: 'developer' }));
    expect((await sessionOf(await signIn(verified(email)))).accounts).toMatchObject([{ role: 'developer' }]);
  });

  it('is not the owner of an email that the provider has not verified', async () => {
    const email = newEmail();
    await openBrowser(api.app).signIn(await issueToken(api.eventLog, { email, accountId }));
    for (const claims of [{ email, email_verified: false }, { email }]) {
      const { person, accounts } = await sessionOf(await signIn({ sub: email, ...claims }));
      expect([person.email, accounts]).toEqual([null, []]);
    }
  });
});

describe('A sign-in fails', () => {
  it.each([
    ['with another nonce', { claims: { nonce: 'other' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['with an unsigned token', { sign: 'none' as const }],
    ['with a token of another key', { sign: 'other key' as const }],
    ['with a token of another issuer', { claims: { iss: 'https://other.example' } }],
    ['with a token for another client', { claims: { aud: 'other' } }],
    ['with an expired token', { claims: { exp: 1_000_000_000 } }],
  ])('%s', async (_, fault) => {
    Object.assign(idp.fault, fault);
    const browser = openBrowser(api.app, '192.0.2.1');
    expect(await finish(browser, idp.authorize(await start(browser), verified(newEmail(), ['ops'])))).toBe(failed);
    expect([...browser.cookies.keys()]).toEqual([]);
  });

  it('with another state, a wrong code, and an error of the provider', async () => {
    const browser = openBrowser(api.app, '192.0.2.2');
    const query = idp.authorize(await start(browser), verified(newEmail()));
    expect(await finish(browser, query.replace(/state=[^&]*/, 'state=other'))).toBe(failed);
    const { searchParams } = new URL(await start(browser));
    const state = searchParams.get('state')!;
    expect(await finish(browser, `?code=expired&state=${state}`)).toBe(failed);
    await start(browser);
    expect(await finish(browser, '?error=access_denied')).toBe(failed);
    expect(await finish(browser, '')).toBe(failed);
  });

  it('in another browser, which has not started it', async () => {
    const [browser, other] = [openBrowser(api.app), openBrowser(api.app, '192.0.2.3')];
    const query = idp.authorize(await start(browser), verified(newEmail()));
    expect(await finish(other, query)).toBe(failed);
    await start(other);
    expect(await finish(other, query)).toBe(failed);
  });

  it('a second time, even if the provider would accept the code again', async () => {
    const browser = openBrowser(api.app, '192.0.2.4');
    const query = idp.authorize(await start(browser), verified(newEmail()));
    const cookie = browser.cookies.get('colophon_oidc')!;
    const [code, issued] = [...idp.codes].at(-1)!;
    expect(await finish(browser, query)).toBe('/dashboard');
    expect(await finish(browser, query)).toBe(failed);
    idp.codes.set(code, issued);
    browser.cookies.set('colophon_oidc', cookie);
    expect(await finish(browser, query)).toBe(failed);
  });

  it('after ten minutes', async () => {
    const browser = openBrowser(api.app, '192.0.2.5');
    const query = idp.authorize(await start(browser), verified(newEmail()));
    api.clock.now = new Date(api.clock.now.getTime() + 10 * 60_000);
    expect(await finish(browser, query)).toBe(failed);
  });

  it('if the provider is private and the operator has not allowed it', async () => {
    const strict = await openEgress({ allowList: [], logger: { warn: () => undefined } });
    await expect(clientOf(strict).start()).rejects.toThrow();
    await strict.close();
  });
});

it('No secret of a sign-in is in the event log', async () => {
  const browser = openBrowser(api.app);
  const address = await start(browser);
  const query = idp.authorize(address, verified(newEmail()));
  expect(await finish(browser, query)).toBe('/dashboard');
  const log = JSON.stringify(await api.eventLog.store.readAll(0, 100_000));
  const { searchParams } = new URL(address);
  for (const name of ['state', 'nonce', 'code_challenge']) expect(log).not.toContain(searchParams.get(name));
  expect(log).not.toContain(new URLSearchParams(query).get('code'));
  expect(log).not.toContain(client.secret);
});
