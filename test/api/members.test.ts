import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { permissions } from '#contracts/events/account.ts';
import { memberListResponse, type MemberResponse } from '#contracts/http/members.ts';
import { accountIdOf, personIdOf, streams } from '#contracts/names.ts';
import { permissionsOf, type Role } from '#contracts/roles.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { acceptAsNewPerson } from '#application/members/accept-invitation.ts';
import { changeMembers, findInvitation } from '#application/members/commands.ts';
import { openPeople } from '#application/people/people.ts';
import { maxMembers } from '#libs/domain/members.ts';
import { newId } from '#libs/ids/ulids.ts';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { type Browser, issueToken, openBrowser } from '../support/people/browser.ts';

const dayMs = 24 * 60 * 60 * 1000;

let api: InProcessApi;
let accountId: string;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
afterAll(() => api.closeAndRemove());

const advance = (ms: number): void => void (api.clock.now = new Date(api.clock.now.getTime() + ms));
let people = 0;
const nextEmail = (): string => `person-${(people += 1)}@example.com`;
const signedIn = async (role: Role, email = nextEmail(), account = accountId): Promise<Browser> => {
  // Members are listed in the order in which they joined.
  advance(1);
  const browser = openBrowser(api.app);
  const { status } = await browser.signIn(await issueToken(api.eventLog, { email, accountId: account, role }));
  expect(status).toBe(201);
  return browser;
};

let ownerEmail: string;
let owner: Browser;
beforeEach(async () => {
  accountId = await api.createAccount();
  await api.catchUpReadModels();
  ownerEmail = nextEmail();
  owner = await signedIn('owner', ownerEmail);
});

const membersOf = async (browser: Browser): Promise<MemberResponse[]> =>
  memberListResponse.parse((await browser.request('GET', '/api/v1/members')).body).members;
const memberOf = async (browser: Browser, email: string): Promise<MemberResponse> =>
  (await membersOf(browser)).find((member) => member.email === email)!;
const invite = (email: string, role: Role = 'developer', browser = owner) =>
  browser.request('POST', '/api/v1/invitations', { body: { email, role } });
const tokenOf = ({ body }: { body: Record<string, unknown> }): string => String(body['url']).split('#')[1]!;
const accept = (token: string, browser = openBrowser(api.app)) =>
  browser.request('POST', '/api/v1/invitations/accept', { body: { token } });
const outcome = ({ status, body }: { status: number; body: Record<string, unknown> }) => [status, body['error']];
describe('Members', () => {
  it('are listed page by page, with role, origin and last sign-in', async () => {
    const emails = [ownerEmail, nextEmail(), nextEmail()] as const;
    await signedIn('developer', emails[1]);
    await signedIn('viewer', emails[2]);
    const first = memberListResponse.parse((await owner.request('GET', '/api/v1/members?limit=2')).body);
    const rest = memberListResponse.parse(
      (await owner.request('GET', `/api/v1/members?limit=2&cursor=${first.next_cursor}`)).body,
    );
    expect([...first.members, ...rest.members].map(({ email, role, source }) => [email, role, source])).toEqual([
      [emails[0], 'owner', 'link'],
      [emails[1], 'developer', 'link'],
      [emails[2], 'viewer', 'link'],
    ]);
    expect([first.members.length, rest.next_cursor]).toEqual([2, null]);
    expect(first.members[0]!.last_sign_in_at).toBe(first.members[0]!.joined_at);
  });

  it('get another role, which applies to their next request', async () => {
    const email = nextEmail();
    const viewer = await signedIn('viewer', email);
    const { id } = await memberOf(owner, email);
    expect(outcome(await viewer.request('POST', '/api/v1/keys', { body: { name: 'x', type: 'test' } }))).toEqual([
      403,
      'insufficient_permissions',
    ]);
    const { status, body } = await owner.request('PUT', `/api/v1/members/${id}`, { body: { role: 'developer' } });
    expect([status, body['role']]).toEqual([200, 'developer']);
    expect((await viewer.request('POST', '/api/v1/keys', { body: { name: 'x', type: 'test' } })).status).toBe(201);
    const [joined, second, changed] = await api.engines.store.read(streams.members(accountId));
    expect([joined?.type, second?.type, changed?.type]).toEqual(['MemberJoined', 'MemberJoined', 'MemberRoleChanged']);
    expect(changed!.metadata).toMatchObject({ accountId, actor: { kind: 'person', name: ownerEmail } });
  });

  it('are removed from the next request on', async () => {
    const email = nextEmail();
    const developer = await signedIn('developer', email);
    expect((await developer.request('GET', '/api/v1/renders', { account: accountId })).status).toBe(200);
    const { id } = await memberOf(owner, email);
    expect((await owner.request('DELETE', `/api/v1/members/${id}`)).status).toBe(204);
    expect(outcome(await developer.request('GET', '/api/v1/renders', { account: accountId }))).toEqual([
      404,
      'account_not_found',
    ]);
    expect((await membersOf(owner)).map((member) => member.email)).toEqual([ownerEmail]);
    expect(outcome(await owner.request('DELETE', `/api/v1/members/${id}`))).toEqual([404, 'member_not_found']);
  });

  it('keep at least one owner', async () => {
    const { id } = await memberOf(owner, ownerEmail);
    const path = `/api/v1/members/${id}`;
    expect(outcome(await owner.request('DELETE', path))).toEqual([409, 'last_owner']);
    expect(outcome(await owner.request('PUT', path, { body: { role: 'viewer' } }))).toEqual([409, 'last_owner']);
    const leave = `/api/v1/session/accounts/${accountIdOf(accountId)}`;
    expect(outcome(await owner.request('DELETE', leave))).toEqual([409, 'last_owner']);
    await signedIn('owner');
    expect((await owner.request('DELETE', leave)).status).toBe(204);
    expect(outcome(await owner.request('GET', '/api/v1/members', { account: accountId }))).toEqual([
      404,
      'account_not_found',
    ]);
  });

  it('can leave, whatever their role', async () => {
    const viewer = await signedIn('viewer');
    const leave = `/api/v1/session/accounts/${accountIdOf(accountId)}`;
    expect((await viewer.request('DELETE', leave)).status).toBe(204);
    expect(outcome(await viewer.request('DELETE', leave))).toEqual([404, 'account_not_found']);
    expect((await viewer.request('GET', '/api/v1/session')).body).toMatchObject({ accounts: [], account: null });
  });

  it('are not changed by those who lack the permission', async () => {
    const email = nextEmail();
    await signedIn('viewer', email);
    const { id } = await memberOf(owner, email);
    for (const role of ['developer', 'viewer'] as const) {
      const browser = await signedIn(role);
      const responses = [
        await browser.request('PUT', `/api/v1/members/${id}`, { body: { role: 'owner' } }),
        await browser.request('DELETE', `/api/v1/members/${id}`),
        await invite(nextEmail(), 'viewer', browser),
        await browser.request('DELETE', '/api/v1/invitations/inv_01K6ZC5B8Q4XJ0N9T2V7RWHE3M'),
      ];
      for (const { status, body } of responses)
        expect([status, body['required_permission']]).toEqual([403, 'members:write']);
      expect((await browser.request('GET', '/api/v1/members')).status).toBe(200);
    }
  });

  it('whose role comes from the groups of the identity provider are changed there', async () => {
    const personId = newId();
    const join = { type: 'applyGroups', personId, role: 'viewer' } as const;
    const cause = newCause({ kind: 'service', name: 'tests' }, accountId);
    await changeMembers(api.eventLog, accountId, join, cause);
    const path = `/api/v1/members/${personIdOf(personId)}`;
    const changed = await owner.request('PUT', path, { body: { role: 'developer' } });
    expect(outcome(changed)).toEqual([409, 'member_managed_by_groups']);
    expect(outcome(await owner.request('DELETE', path))).toEqual([409, 'member_managed_by_groups']);
  });

  it('are given and deprived only of what the caller has', async () => {
    const limited = ['members:read', 'members:write', ...permissionsOf('viewer')] as const;
    const { secret } = await api.createKey(accountId, { permissions: [...new Set(limited)] });
    const body = { email: nextEmail(), role: 'developer' };
    const invited = await api.request(secret, 'POST', '/api/v1/invitations', body);
    expect([invited.status, invited.body['error']]).toEqual([403, 'insufficient_permissions']);
    const { id } = await memberOf(owner, ownerEmail);
    await signedIn('owner');
    expect((await api.request(secret, 'DELETE', `/api/v1/members/${id}`)).status).toBe(403);
    expect((await api.request(secret, 'POST', '/api/v1/invitations', { ...body, role: 'viewer' })).status).toBe(201);
    const all = await api.createKey(accountId, { permissions });
    expect((await api.request(all.secret, 'POST', '/api/v1/invitations', body)).status).toBe(201);
  });
});

describe('An invitation', () => {
  it('is a link that makes a new person a member and signs the person in, once', async () => {
    const email = nextEmail();
    const created = await invite(` ${email.toUpperCase()} `);
    expect(created.status).toBe(201);
    expect(created.headers['cache-control']).toBe('no-store');
    expect(created.body).toMatchObject({
      email,
      role: 'developer',
      state: 'open',
      invited_by: { kind: 'person', name: ownerEmail },
      expires_at: new Date(api.clock.now.getTime() + 7 * dayMs).toISOString(),
      url: expect.stringMatching(/^http:\/\/localhost\/dashboard\/invitation#[0-9A-Z]{26}\.[0-9A-Z]{26}\.[\w-]{43}$/),
    });
    const token = tokenOf(created);
    const preview = await openBrowser(api.app).request('POST', '/api/v1/invitations/preview', { body: { token } });
    expect(preview.body).toMatchObject({ account_name: 'tests', email, role: 'developer', signed_in_as: null });
    const browser = openBrowser(api.app);
    expect((await accept(token, browser)).body).toMatchObject({
      account_id: accountIdOf(accountId),
      role: 'developer',
    });
    expect((await browser.request('GET', '/api/v1/session')).body).toMatchObject({
      person: { email },
      accounts: [{ id: accountIdOf(accountId), role: 'developer' }],
    });
    expect(await memberOf(owner, email)).toMatchObject({ role: 'developer', source: 'invitation' });
    expect(outcome(await accept(token))).toEqual([404, 'invitation_not_found']);
    expect((await owner.request('GET', '/api/v1/invitations')).body).toEqual({ invitations: [] });
  });

  it('is made for each of many people at once', async () => {
    const created = await Promise.all(Array.from({ length: 10 }, () => invite(nextEmail())));
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
  });

  it('works once, even for two requests at the same moment', async () => {
    const token = tokenOf(await invite(nextEmail()));
    const both = await Promise.all([accept(token), accept(token)]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await membersOf(owner)).toHaveLength(2);
  });

  it('is in the events without its token, and in no later response', async () => {
    const token = tokenOf(await invite(nextEmail()));
    const events = JSON.stringify(await api.engines.store.read(streams.members(accountId)));
    const list = await owner.request('GET', '/api/v1/invitations');
    expect(list.body).toMatchObject({ invitations: [{ state: 'open' }] });
    for (const text of [events, JSON.stringify(list.body)]) expect(text).not.toContain(token.split('.')[2]);
    expect(JSON.stringify(list.body)).not.toContain('hash');
  });

  it('makes the signed-in person a member, who keeps the own identity', async () => {
    const other = await api.createAccount();
    await api.catchUpReadModels();
    const email = nextEmail();
    const guest = await signedIn('owner', email, other);
    advance(1);
    expect((await accept(tokenOf(await invite(email, 'viewer')), guest)).status).toBe(200);
    expect((await guest.request('GET', '/api/v1/session')).body).toMatchObject({
      accounts: [
        { id: accountIdOf(other), role: 'owner' },
        { id: accountIdOf(accountId), role: 'viewer' },
      ],
    });
  });

  it('for another email is explained, and stays open', async () => {
    const email = nextEmail();
    const guest = await signedIn('viewer');
    const token = tokenOf(await invite(email));
    const preview = await guest.request('POST', '/api/v1/invitations/preview', { body: { token } });
    expect(preview.body).toMatchObject({ signed_in_as: { is_invited: false } });
    expect((await accept(token, guest)).body).toMatchObject({ error: 'invitation_for_another_email', email });
    expect((await accept(token)).status).toBe(200);
  });

  it('never gives the access of another person with the same email', async () => {
    const victim = nextEmail();
    const theirs = await api.createAccount();
    await api.catchUpReadModels();
    await signedIn('owner', victim, theirs);
    const browser = openBrowser(api.app);
    expect((await accept(tokenOf(await invite(victim)), browser)).status).toBe(200);
    expect((await browser.request('GET', '/api/v1/session')).body).toMatchObject({
      accounts: [{ id: accountIdOf(accountId) }],
    });
    expect(outcome(await browser.request('GET', '/api/v1/members', { account: theirs }))).toEqual([
      404,
      'account_not_found',
    ]);
  });

  it('expires after 7 days, and is then shown as expired', async () => {
    const token = tokenOf(await invite(nextEmail()));
    const { now } = api.clock;
    advance(7 * dayMs);
    expect(outcome(await accept(token))).toEqual([409, 'expired_invitation']);
    owner = await signedIn('owner', ownerEmail);
    expect((await owner.request('GET', '/api/v1/invitations')).body).toMatchObject({
      invitations: [{ state: 'expired' }],
    });
    api.clock.now = now;
  });

  it('is withdrawn, or replaced by a new one for the same email', async () => {
    const email = nextEmail();
    const first = await invite(email);
    const second = await invite(email, 'viewer');
    expect(outcome(await accept(tokenOf(first)))).toEqual([404, 'invitation_not_found']);
    const path = `/api/v1/invitations/${String(second.body['id'])}`;
    expect((await owner.request('DELETE', path)).status).toBe(204);
    expect(outcome(await owner.request('DELETE', path))).toEqual([404, 'invitation_not_found']);
    expect(outcome(await accept(tokenOf(second)))).toEqual([404, 'invitation_not_found']);
  });

  it('is not for those who are members already', async () => {
    expect(outcome(await invite(ownerEmail))).toEqual([409, 'already_member']);
    const email = nextEmail();
    const token = tokenOf(await invite(email));
    const member = await signedIn('viewer', email);
    expect(outcome(await accept(token, member))).toEqual([409, 'already_member']);
  });

  it('tells nothing to those who guess, and must be used on a page of the service', async () => {
    const token = tokenOf(await invite(nextEmail()));
    const guesses = [`${token.slice(0, -43)}${'A'.repeat(43)}`, `${'0'.repeat(26)}.${token.slice(27)}`, 'x'];
    for (const guess of guesses) expect(outcome(await accept(guess))).toEqual([404, 'invitation_not_found']);
    const foreign = await openBrowser(api.app).request('POST', '/api/v1/invitations/accept', {
      body: { token },
      headers: { origin: 'https://evil.example' },
    });
    expect(outcome(foreign)).toEqual([403, 'cross_origin_request']);
  });

  it.each([
    [{ email: 'nobody', role: 'viewer' }, 'email'],
    [{ email: 'a@example.com', role: 'admin' }, 'role'],
  ])('is refused for %j', async (body, field) => {
    expect((await owner.request('POST', '/api/v1/invitations', { body })).body).toMatchObject({
      error: 'invalid_request',
      field,
    });
  });
});

it('A link of an invitation to a full account appends no event', async () => {
  const email = nextEmail();
  const found = await findInvitation((id) => openPeople(api.eventLog).members.load(id), tokenOf(await invite(email)));
  const [member] = Object.values(found!.state.members);
  const members = Object.fromEntries(Array.from({ length: maxMembers }, () => [newId(), member!]));
  const before = await api.eventLog.store.head();
  const origin = { correlationId: newId(), traceparent: null, userAgent: null };
  const accepting = acceptAsNewPerson(api.eventLog, { ...found!, state: { ...found!.state, members } }, origin);
  await expect(accepting).rejects.toMatchObject({ fields: { name: 'member_limit_exceeded' } });
  expect(await api.eventLog.store.head()).toBe(before);
});

describe('A link whose use was interrupted by a crash before the session started', () => {
  /** Makes the next append to a stream of this kind fail. */
  const failNextAppend = (kind: string): void => {
    const { store } = api.engines;
    const append = store.append.bind(store);
    store.append = (stream, ...rest) => {
      if (!stream.startsWith(kind)) return append(stream, ...rest);
      store.append = append;
      return Promise.reject(new Error('killed'));
    };
  };
  const sessionsOf = async (browser: Browser) =>
    ((await browser.request('GET', '/api/v1/session/sessions')).body as { sessions: unknown[] }).sessions;

  it.each([['session-'], ['person-'], ['members-']])(
    'signs the holder in within its lifetime, to one session (%s)',
    async (kind) => {
      const token = await issueToken(api.eventLog, { email: nextEmail(), accountId, role: 'owner' });
      failNextAppend(kind);
      expect((await openBrowser(api.app).signIn(token)).status).toBe(500);
      const browsers = [openBrowser(api.app), openBrowser(api.app)];
      const both = await Promise.all(browsers.map((browser) => browser.signIn(token)));
      expect(both.map(outcome).toSorted()).toEqual([
        [201, undefined],
        [401, 'used_sign_in_link'],
      ]);
      const browser = browsers[both.findIndex(({ status }) => status === 201)]!;
      expect((await browser.request('GET', '/api/v1/session')).body).toMatchObject({ accounts: [{ role: 'owner' }] });
      expect(await sessionsOf(browser)).toHaveLength(1);
      await browser.request('DELETE', '/api/v1/session');
      expect(outcome(await openBrowser(api.app).signIn(token))).toEqual([401, 'used_sign_in_link']);
    },
  );

  it('does not sign in after its lifetime', async () => {
    const token = await issueToken(api.eventLog, { email: nextEmail(), accountId, role: 'owner' });
    failNextAppend('session-');
    expect((await openBrowser(api.app).signIn(token)).status).toBe(500);
    const { now } = api.clock;
    advance(15 * 60_000);
    expect(outcome(await openBrowser(api.app).signIn(token))).toEqual([401, 'used_sign_in_link']);
    api.clock.now = now;
  });

  it.each([['session-'], ['members-']])('can be used again if it is an invitation (%s)', async (kind) => {
    const email = nextEmail();
    const token = tokenOf(await invite(email));
    failNextAppend(kind);
    expect((await accept(token)).status).toBe(500);
    const browser = openBrowser(api.app);
    expect((await accept(token, browser)).status).toBe(200);
    expect((await browser.request('GET', '/api/v1/session')).body).toMatchObject({ person: { email } });
    expect(await sessionsOf(browser)).toHaveLength(1);
    expect(outcome(await accept(token))).toEqual([404, 'invitation_not_found']);
    expect(await membersOf(owner)).toHaveLength(2);
  });

  it('starts one session if two requests accept an invitation at the same moment', async () => {
    const token = tokenOf(await invite(nextEmail()));
    const browsers = [openBrowser(api.app), openBrowser(api.app)];
    const both = await Promise.all(browsers.map((browser) => accept(token, browser)));
    await api.catchUpReadModels();
    expect(await sessionsOf(browsers[both.findIndex(({ status }) => status === 200)]!)).toHaveLength(1);
    expect(browsers.map(({ cookies }) => cookies.size).toSorted()).toEqual([0, 1]);
  });
});
