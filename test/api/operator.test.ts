import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountListResponse, operatorAccountResponse, operatorListResponse } from '#contracts/http/operator.ts';
import { accountIdOf, streams } from '#contracts/names.ts';
import { routes } from '../../services/api/routes.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { type Browser, issueToken, openBrowser } from '../support/people/browser.ts';

let api: InProcessApi;
let operator: Browser;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  operator = openBrowser(api.app);
  await operator.signIn(await issueToken(api.eventLog, { email: 'ops@example.com', operator: true }));
});
afterAll(() => api.closeAndRemove());

const base = '/api/v1/operator/accounts';
const open = async (name: string, plan = 'pro', own_limits = {}) =>
  operatorAccountResponse.parse((await operator.request('POST', base, { body: { name, plan, own_limits } })).body);
const list = async (query = '') => accountListResponse.parse((await operator.request('GET', `${base}?${query}`)).body);
const bare = (id: string): string => id.slice('acc_'.length);

describe('An operator', () => {
  it('opens an account and sees it at once', async () => {
    const account = await open('Paper Mill', 'starter', { max_pdf_mb: 12 });
    expect(account).toMatchObject({
      name: 'Paper Mill',
      plan: 'starter',
      state: 'active',
      own_limits: { max_pdf_mb: 12 },
      limits: { max_pdf_mb: 12, requests_per_minute: 20 },
      usage: { period: '2026-05', used: 0, limit: 1000 },
    });
    expect((await operator.request('GET', `${base}/${account.id}`)).body).toEqual(account);
    const [opened] = await api.engines.store.read(streams.account(bare(account.id)));
    expect(opened!.metadata).toMatchObject({
      accountId: bare(account.id),
      actor: { kind: 'person', name: 'ops@example.com', id: expect.any(String) },
    });
  });

  it('opens an account also while no read model shows it, so that the request need not be repeated', async () => {
    const { projectorReads, engines } = api;
    const [{ write }, { waitForCheckpoint }] = [projectorReads, engines.reads];
    const released = Promise.withResolvers<void>();
    Object.assign(projectorReads, {
      write: (...given: Parameters<typeof write>) => released.promise.then(() => write(...given)),
    });
    Object.assign(engines.reads, { waitForCheckpoint: async () => false });
    try {
      expect(await open('Late', 'free')).toMatchObject({ name: 'Late', plan: 'free', state: 'active' });
    } finally {
      Object.assign(projectorReads, { write });
      Object.assign(engines.reads, { waitForCheckpoint });
      released.resolve();
    }
  });

  it('finds accounts by a part of name or id, by plan and by state, page by page', async () => {
    const [first, second] = [await open('Quill One', 'free'), await open('quill two', 'free')];
    expect((await list('search=QUILL')).accounts.map(({ name }) => name)).toEqual(['quill two', 'Quill One']);
    expect((await list(`search=${first.id.slice(-9)}`)).accounts.map(({ id }) => id)).toEqual([first.id]);
    expect((await list('search=quill&plan=pro')).accounts).toEqual([]);
    const page = await list('search=quill&limit=1');
    expect(page.accounts.map(({ id }) => id)).toEqual([second.id]);
    const next = await list(`search=quill&limit=1&cursor=${page.next_cursor}`);
    expect([next.accounts.map(({ id }) => id), next.next_cursor]).toEqual([[first.id], null]);
    await operator.request('POST', `${base}/${first.id}/suspend`, { body: { reason: 'unpaid' } });
    expect((await list('search=quill&state=suspended')).accounts.map(({ id }) => id)).toEqual([first.id]);
    expect((await list('search=quill&state=active')).accounts.map(({ id }) => id)).toEqual([second.id]);
  });

  it('sees the usage of this month', async () => {
    const account = await open('Busy', 'free');
    const { secret } = await api.createKey(bare(account.id));
    expect((await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest)).status).toBe(200);
    await api.catchUpReadModels();
    expect((await list('search=busy')).accounts[0]!.usage).toEqual({ period: '2026-05', used: 1, limit: 100 });
  });

  it('suspends and reinstates: it applies to the next request with a key', async () => {
    const account = await open('Late Payer');
    const { secret } = await api.createKey(bare(account.id));
    const path = `${base}/${account.id}`;
    expect((await operator.request('POST', `${path}/suspend`, { body: { reason: 'invoice 118' } })).body).toMatchObject(
      {
        state: 'suspended',
        reason: 'invoice 118',
      },
    );
    expect((await api.request(secret, 'GET', '/api/v1/account')).body).toMatchObject({
      error: 'account_suspended',
      reason: 'invoice 118',
    });
    expect((await operator.request('POST', `${path}/reinstate`, { body: {} })).body).toMatchObject({
      state: 'active',
      reason: null,
    });
    expect((await api.request(secret, 'GET', '/api/v1/account')).status).toBe(200);
  });

  it('changes plan and own limits, which replace the earlier ones', async () => {
    const account = await open('Grower', 'free', { requests_per_minute: 7 });
    const { secret } = await api.createKey(bare(account.id));
    const change = (body: object) => operator.request('PUT', `${base}/${account.id}/plan`, { body });
    const changed = await change({ plan: 'business', own_limits: { requests_per_month: 5 }, reason: 'May' });
    expect(changed.body).toMatchObject({
      plan: 'business',
      own_limits: { requests_per_month: 5 },
      limits: { requests_per_minute: 120, requests_per_month: 5 },
    });
    const { headers } = await api.request(secret, 'GET', '/api/v1/account');
    expect([headers['x-ratelimit-limit'], headers['x-quota-limit']]).toEqual(['120', '5']);
    const [, event] = await api.engines.store.read(streams.account(bare(account.id)));
    expect(event).toMatchObject({ type: 'PlanChanged', data: { reason: 'May', overrides: { requestsPerMonth: 5 } } });
    expect((await change({ plan: 'gold' })).body).toMatchObject({ error: 'invalid_request', field: 'plan' });
    const tooLow = await change({ plan: 'pro', own_limits: { requests_per_minute: 0 } });
    expect(tooLow.body).toMatchObject({ field: 'own_limits.requests_per_minute' });
    const tooSmall = await change({ plan: 'pro', own_limits: { max_pdf_mb: 1e-300 } });
    expect(tooSmall.body).toMatchObject({ field: 'own_limits.max_pdf_mb' });
  });

  it('gives an account an owner by a link that is shown once', async () => {
    const account = await open('Ownerless');
    const { status, headers, body } = await operator.request('POST', `${base}/${account.id}/owner-link`, {
      body: { email: 'Ada@Example.com' },
    });
    expect([status, headers['cache-control'], body['email']]).toEqual([201, 'no-store', 'ada@example.com']);
    const owner = openBrowser(api.app);
    await owner.signIn(String(body['url']).split('#')[1]!);
    expect((await owner.request('GET', '/api/v1/session')).body).toMatchObject({
      accounts: [{ id: account.id, role: 'owner' }],
    });
  });

  it('revokes another operator: at the next request, with an event', async () => {
    const other = openBrowser(api.app);
    await other.signIn(await issueToken(api.eventLog, { email: 'other-ops@example.com', operator: true }));
    const operators = '/api/v1/operator/operators';
    const named = async () =>
      operatorListResponse
        .parse((await operator.request('GET', operators)).body)
        .operators.find(({ email }) => email === 'other-ops@example.com');
    const { id, source } = (await named())!;
    expect(source).toBe('command');
    expect((await other.request('GET', base)).status).toBe(200);
    expect((await operator.request('DELETE', `${operators}/${id}`)).status).toBe(204);
    expect(await named()).toBeUndefined();
    expect((await other.request('GET', base)).status).toBe(403);
    expect((await other.request('GET', '/api/v1/session')).body).toMatchObject({ person: { operator: false } });
    const events = await api.engines.store.read(streams.person(id.slice('person_'.length)));
    expect(events.at(-1)).toMatchObject({ type: 'OperatorRevoked', metadata: { actor: { name: 'ops@example.com' } } });
    for (const unknown of [id, 'person_x'])
      expect((await operator.request('DELETE', `${operators}/${unknown}`)).body).toMatchObject({
        error: 'operator_not_found',
      });
  });

  it('reads all operators page by page, however many they are', async () => {
    const emails = Array.from({ length: 105 }, (_, n) => `many-${n}@example.com`);
    for (const email of emails)
      await openBrowser(api.app).signIn(await issueToken(api.eventLog, { email, operator: true }));
    await api.catchUpReadModels();
    const found: (string | null)[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = cursor === undefined ? '' : `&cursor=${cursor}`;
      const response = await operator.request('GET', `/api/v1/operator/operators?limit=50${query}`);
      const page = operatorListResponse.parse(response.body);
      expect(page.operators.length).toBeLessThanOrEqual(50);
      found.push(...page.operators.map(({ email }) => email));
      cursor = page.next_cursor;
    }
    expect(found.filter((email) => email?.startsWith('many-')).toSorted()).toEqual(emails.toSorted());
    expect(new Set(found).size).toBe(found.length);
    const wrong = await operator.request('GET', '/api/v1/operator/operators?cursor=acc_1');
    expect(wrong.body).toMatchObject({ error: 'invalid_request', field: 'cursor' });
  });

  it('acts in an account without being its member', async () => {
    const account = await open('Foreign');
    const { body } = await operator.request('PUT', '/api/v1/account/settings', {
      account: bare(account.id),
      body: { locale: 'de' },
    });
    expect(body).toMatchObject({ name: 'Foreign', locale: 'de' });
  });

  it('gets 404 for an account that does not exist, and the limits of the plans', async () => {
    for (const id of [accountIdOf('01K6ZC5B8Q4XJ0N9T2V7RWHE3M'), 'acc_1'])
      expect((await operator.request('GET', `${base}/${id}`)).body).toMatchObject({ error: 'account_not_found' });
    const { body } = await operator.request('GET', '/api/v1/operator/plans');
    expect(body).toMatchObject({ plans: [{ name: 'free', limits: { requests_per_minute: 5 } }, {}, {}, {}, {}] });
  });
});

describe('The routes of operators', () => {
  const ofOperators = routes.filter(({ session }) => session === 'operator');
  const pathOf = (path: string): string => path.replace('{account_id}', accountIdOf('01K6ZC5B8Q4XJ0N9T2V7RWHE3M'));

  it('are refused to owners, API keys and those who are not signed in', async () => {
    expect(ofOperators.length).toBeGreaterThanOrEqual(8);
    const accountId = await api.createAccount();
    await api.catchUpReadModels();
    const owner = openBrowser(api.app);
    await owner.signIn(await issueToken(api.eventLog, { email: 'owner@example.com', accountId }));
    const { secret } = await api.createKey(accountId);
    for (const { method, path, request } of ofOperators) {
      const [example] = Object.values(request?.examples ?? {});
      const options = example ? { body: example.value } : {};
      const refused = await owner.request(method, pathOf(path), options);
      expect([path, refused.status, refused.body['required_permission']]).toEqual([path, 403, 'operator']);
      expect((await api.request(secret, method, pathOf(path), example?.value)).status, path).toBe(401);
      expect((await openBrowser(api.app).request(method, pathOf(path), options)).status, path).toBe(401);
    }
  });

  it('are refused from the pages of other sites', async () => {
    const { status, body } = await operator.request('POST', base, {
      body: { name: 'x', plan: 'pro' },
      headers: { origin: 'https://evil.example' },
    });
    expect([status, body['error']]).toEqual([403, 'cross_origin_request']);
  });
});
