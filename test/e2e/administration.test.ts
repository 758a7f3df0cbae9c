import { describe, expect, it } from 'vitest';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = sharedService();
const as = (key: string) => createClient(at.service.url, key);
const colophon = <T>(...args: string[]) => at.installation.runJsonCommand<T>(...args);

type Account = {
  plan: string;
  state: string;
  reason: string | null;
  suspended_at: string | null;
  overrides: Record<string, number>;
  limits: Record<string, number | null>;
  usage: { used: number };
  keys: number;
};
type Figures = { requests: number; renders: number; succeeded: number; failed: number; quota: number };
type KeyLine = { id: string; last_used_at: string | null; period: Figures & { month: string }; total: Figures };

describe('While the service runs, an account', () => {
  it('is suspended with a reason and reinstated, each from the next request on', async () => {
    const id = await openAccount(at.installation);
    const { key } = await issueKey(at.installation, id);
    await colophon('account', 'suspend', id, '--reason', 'invoice 118 is unpaid');
    expectErrorResponse(await as(key).request('GET', '/api/v1/account'), 'account_suspended', {
      reason: 'invoice 118 is unpaid',
    });
    expect(await colophon<Account>('account', 'show', id)).toMatchObject({
      state: 'suspended',
      reason: 'invoice 118 is unpaid',
    });
    await colophon('account', 'reinstate', id, '--reason', 'paid');
    expect((await as(key).request('GET', '/api/v1/account')).status).toBe(200);
    expect(await colophon<Account>('account', 'show', id)).toMatchObject({
      state: 'active',
      reason: null,
      suspended_at: null,
    });
  });

  it('gets another plan with its own limits from the next request on', async () => {
    const id = await openAccount(at.installation, '--plan', 'free');
    const { key } = await issueKey(at.installation, id);
    await colophon(
      'account',
      'plan',
      id,
      'enterprise',
      '--requests-per-minute',
      '600',
      '--max-pdf-mb',
      '200',
      '--reason',
      'contract',
    );
    const { headers, body } = await as(key).request('GET', '/api/v1/account');
    expect([headers.get('x-ratelimit-limit'), headers.get('x-quota-limit')]).toEqual(['600', null]);
    expect(body).toMatchObject({
      plan: 'enterprise',
      limits: { requests_per_minute: 600, max_pdf_mb: 200, max_payload_mb: 50 },
    });
    await colophon('account', 'plan', id, 'pro');
    expect(await colophon<Account>('account', 'show', id)).toMatchObject({
      plan: 'pro',
      overrides: {},
      limits: { requests_per_minute: 60, max_pdf_mb: 25 },
      keys: 1,
    });
  });
});

describe('Of an account,', () => {
  const callerWith = async (...limits: string[]) => {
    const { key } = await issueKey(at.installation, await openAccount(at.installation, ...limits));
    return as(key);
  };

  it('requests beyond the rate limit are refused, also when they come at once', async () => {
    const caller = await callerWith('--requests-per-minute', '2');
    const responses = await Promise.all(Array.from({ length: 7 }, () => caller.request('GET', '/api/v1/account')));
    const refused = responses.filter(({ status }) => status !== 200);
    // Two of each minute are allowed, and another minute may begin.
    expect([3, 4, 5]).toContain(refused.length);
    for (const response of refused) {
      expectErrorResponse(response, 'rate_limit_exceeded');
      expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
    }
  });

  it('renders beyond the quota are refused, also when they come at once', async () => {
    const caller = await callerWith('--requests-per-month', '1');
    const responses = await Promise.all([1, 2, 3].map(() => caller.convert('html', '<p>x</p>')));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(2);
    for (const response of refused) expectErrorResponse(response, 'quota_exceeded', { quota_limit: 1, quota_used: 1 });
  });
});

describe('A key', () => {
  it('shows its last use, its number of requests, and the results of its renders', async () => {
    const begin = Date.now();
    const id = await openAccount(at.installation);
    const [used, test, idle] = [
      await issueKey(at.installation, id),
      await issueKey(at.installation, id, '--type', 'test'),
      await issueKey(at.installation, id),
    ];
    await as(used.key).render('html', '<p>x</p>');
    await as(used.key).convert('html', '<p');
    await as(used.key).convert('html', '');
    await as(test.key).render('html', '<p>x</p>');
    const figures = await waitUntil('every request is counted', async () => {
      const lines = await colophon<KeyLine[]>('key', 'list', '--account', id);
      const sum = (count: (line: KeyLine) => number) => lines.reduce((all, line) => all + count(line), 0);
      const isCounted =
        sum(({ total }) => total.requests) === 4 && sum(({ period }) => period.succeeded + period.failed) === 3;
      return isCounted && new Map(lines.map((line) => [line.id, line]));
    });
    const month = new Date().toISOString().slice(0, 7);
    expect(figures.get(used.id)).toMatchObject({
      period: { month, requests: 3, renders: 2, succeeded: 1, failed: 1, quota: 2 },
      total: { requests: 3, renders: 2 },
    });
    expect(figures.get(test.id)).toMatchObject({
      period: { requests: 1, renders: 1, succeeded: 1, failed: 0, quota: 0 },
    });
    expect(figures.get(idle.id)).toMatchObject({ last_used_at: null, total: { requests: 0, renders: 0 } });
    expect(Date.parse(figures.get(used.id)!.last_used_at!)).toBeGreaterThan(begin - 60_000);
    const earlier = await colophon<KeyLine[]>('key', 'list', '--account', id, '--period', '2020-01');
    expect(earlier.find((line) => line.id === used.id)).toMatchObject({
      period: { month: '2020-01', requests: 0, renders: 0 },
      total: { requests: 3, renders: 2 },
    });
  });
});
