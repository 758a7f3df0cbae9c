import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { memberListResponse } from '#contracts/http/members.ts';
import { streams } from '#contracts/names.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { changeMembers } from '#application/members/commands.ts';
import { startSession } from '#application/people/sessions.ts';
import { signInByProvider } from '#application/people/sign-in-by-provider.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { newId } from '#libs/ids/ulids.ts';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { type Browser, issueToken, openBrowser } from '../support/people/browser.ts';

let api: InProcessApi;
let accountId: string;
let owner: Browser;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
afterAll(() => api.closeAndRemove());

let people = 0;
const nextEmail = (): string => `many-${(people += 1)}@example.com`;
const newToken = (): Promise<string> => issueToken(api.eventLog, { email: nextEmail(), accountId, role: 'owner' });
beforeEach(async () => {
  accountId = await api.createAccount();
  await api.catchUpReadModels();
  owner = openBrowser(api.app);
  await owner.signIn(await newToken());
});

const cause = () => newCause({ kind: 'service', name: 'tests' }, accountId);
const join = (personId: string) =>
  changeMembers(api.eventLog, accountId, { type: 'join', personId, role: 'viewer', source: 'link' }, cause());

const signInByGroup = (email: string) =>
  signInByProvider(
    { eventLog: api.eventLog, reads: api.engines.reads },
    { issuer: 'https://idp.example', mapping: [{ group: 'staff', kind: 'member', accountId, role: 'viewer' }] },
    { subject: email, email, name: email, groups: ['staff'] },
    newId(),
    { correlationId: newId(), traceparent: null, userAgent: null },
  );

describe('Many people', () => {
  it('sign in by their first links at the same moment', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, newToken));
    const signedIn = await Promise.all(tokens.map((token) => openBrowser(api.app).signIn(token)));
    expect(signedIn.map(({ status }) => status)).toEqual(tokens.map(() => 201));
  });

  it('sign in by the identity provider at the same moment, into the account of their group', async () => {
    const emails = Array.from({ length: 20 }, nextEmail);
    await Promise.all(emails.map(signInByGroup));
    const joined = await api.engines.store.read(streams.members(accountId));
    expect(joined.filter(({ type }) => type === 'MemberJoined')).toHaveLength(emails.length + 1);
  });

  it('sign in again by the identity provider without waiting for a change of the members', async () => {
    const email = nextEmail();
    await signInByGroup(email);
    await api.catchUpReadModels();
    const released = Promise.withResolvers<never>();
    const { append } = api.engines.store;
    const held = vi
      .spyOn(api.engines.store, 'append')
      .mockImplementation((stream, ...rest) =>
        stream === streams.members(accountId) ? released.promise : append(stream, ...rest),
      );
    const release = (): void => {
      held.mockRestore();
      released.reject(new RevisionConflict(streams.members(accountId), 0));
    };
    // Also after a failure: otherwise nothing could end the wait.
    onTestFinished(release);
    const joining = join(newId());
    await expect.poll(() => held.mock.calls.length).toBe(1);
    await signInByGroup(email);
    release();
    expect((await joining).position).not.toBeNull();
  });

  it('do not make a change of the members slow: it reads only the events since the last one', async () => {
    for (let n = 0; n < 5; n += 1) await join(newId());
    const read = vi.spyOn(api.engines.store, 'read');
    await join(newId());
    const found = await Promise.all(read.mock.results.map(({ value }) => value as ReturnType<typeof read>));
    expect(found.flat().length).toBeLessThanOrEqual(1);
    read.mockRestore();
  });
});

it.each(['2', '1-x', 'a-01JR04W1PD2M5S8V3Q6X9Z7TKF'])('A list of members rejects the cursor %s', async (cursor) => {
  const { status, body } = await owner.request('GET', `/api/v1/members?cursor=${cursor}`);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('must be the next_cursor of a page')]);
});

it('A page of members goes on after the one before, even if its last member has left', async () => {
  const personIds = Array.from({ length: 4 }, () => newId());
  for (const personId of personIds) await join(personId);
  await api.catchUpReadModels();
  const list = async (query: string) =>
    memberListResponse.parse((await owner.request('GET', `/api/v1/members?${query}`)).body);
  const all = (await list('limit=100')).members.map(({ id }) => id);
  const { members, next_cursor: cursor } = await list('limit=3');
  for (const { id } of members.slice(1)) await owner.request('DELETE', `/api/v1/members/${id}`);
  const rest = await list(`limit=3&cursor=${cursor}`);
  expect([...members, ...rest.members].map(({ id }) => id)).toEqual(all);
  expect([all.length, rest.next_cursor]).toEqual([5, null]);
});

describe('Many sessions of one person', () => {
  type Page = { sessions: { id: string; current: boolean }[]; next_cursor: string | null };
  const path = '/api/v1/session/sessions';

  it('are listed in pages, the newest first, and all are revoked except the own one', async () => {
    const { body } = await owner.request('GET', path);
    const [own] = (body as Page).sessions;
    const { personId } = (await api.engines.reads.get('sessions', own!.id.replace('session_', '')))!;
    // More than are ended at once.
    const ids = Array.from({ length: 120 }, () => newId()).toSorted();
    for (const id of ids) {
      const session = { id, personId: String(personId), method: 'link', userAgent: null } as const;
      await startSession(api.eventLog, session, cause());
    }
    await api.catchUpReadModels();
    const pages: string[][] = [];
    for (let query: string | null = ''; query !== null;) {
      const page: Page = (await owner.request('GET', `${path}?limit=60${query}`)).body as Page;
      pages.push(page.sessions.map(({ id }) => id));
      query = page.next_cursor && `&cursor=${page.next_cursor}`;
    }
    const newestFirst = [own!.id, ...ids.map((id) => `session_${id}`)].toReversed();
    expect(pages).toEqual([newestFirst.slice(0, 60), newestFirst.slice(60, 120), newestFirst.slice(120)]);
    expect((await owner.request('DELETE', path)).body).toEqual({ revoked: 120 });
    expect((await owner.request('GET', path)).body).toMatchObject({ sessions: [own], next_cursor: null });
  });
});
