import { describe, expect, it } from 'vitest';
import { issueKey, openAccount, suspendAccount } from '../support/service/accounts.ts';
import { type ApiResponse, type ApiClient, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = sharedService();
const callerOf = (key: string): ApiClient => createClient(at.service.url, key);
const number = ({ headers }: ApiResponse, name: string): number => Number(headers.get(name) ?? Number.NaN);
const limitHeaders = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-quota-limit',
  'x-quota-remaining',
  'x-quota-reset',
];

/** Uses up the rate limit, then calls `ask`. Starts again if the next minute began in between. */
const whenExhausted = async (caller: ApiClient, ask: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  for (;;) {
    const last = await waitUntil('the limit is reached', async () => {
      const response = await caller.postRender({});
      return response.status === 429 && response;
    });
    const response = await ask();
    if (number(response, 'x-ratelimit-reset') === number(last, 'x-ratelimit-reset')) return response;
  }
};

describe('The headers of every response show the limits', () => {
  it('of the plan, on success and on errors', async () => {
    const { key } = await issueKey(at.installation, await openAccount(at.installation, '--plan', 'starter'));
    const now = Date.now() / 1000;
    for (const response of [
      await callerOf(key).convert('html', '<p>x</p>'),
      await callerOf(key).postRender({}),
      await callerOf(key).convert('html', '<p'),
    ]) {
      for (const name of limitHeaders) expect(number(response, name), name).toBeGreaterThanOrEqual(0);
      expect([number(response, 'x-ratelimit-limit'), number(response, 'x-quota-limit')]).toEqual([20, 1000]);
      expect(number(response, 'x-ratelimit-reset') - now).toBeLessThanOrEqual(121);
      expect(new Date(number(response, 'x-quota-reset') * 1000).toISOString()).toMatch(/-01T00:00:00.000Z$/);
    }
  });

  it('but not those that are unlimited', async () => {
    const { key } = await issueKey(at.installation, await openAccount(at.installation, '--plan', 'enterprise'));
    const { headers } = await callerOf(key).convert('html', '<p>x</p>');
    expect(limitHeaders.filter((name) => headers.has(name))).toEqual([]);
  });

  it('of the account, if they override those of its plan', async () => {
    const { key } = await issueKey(
      at.installation,
      await openAccount(at.installation, '--plan', 'free', '--requests-per-minute', '77', '--requests-per-month', '88'),
    );
    const response = await callerOf(key).convert('html', '<p>x</p>');
    expect([number(response, 'x-ratelimit-limit'), number(response, 'x-quota-limit')]).toEqual([77, 88]);
  });
});

describe('The rate limit', () => {
  it('counts every request of the account with any key, and then says when to retry', async () => {
    const account = await openAccount(at.installation, '--plan', 'free');
    const [one, other] = [
      callerOf((await issueKey(at.installation, account)).key),
      callerOf((await issueKey(at.installation, account, '--type', 'test')).key),
    ];
    const response = await whenExhausted(one, () => other.convert('html', '<p>x</p>'));
    const { retry_after: seconds, reset_at: resetAt } = expectErrorResponse(response, 'rate_limit_exceeded', {
      limit: 5,
    });
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(response.headers.get('retry-after')).toBe(String(seconds));
    expect(Date.parse(String(resetAt)) / 1000).toBe(number(response, 'x-ratelimit-reset'));
    expect(number(response, 'x-ratelimit-remaining')).toBe(0);
  });

  it('decreases by one with each request', async () => {
    const { key } = await issueKey(at.installation, await openAccount(at.installation, '--plan', 'business'));
    const [first, second] = await waitUntil('two requests of one minute', async () => {
      const pair = [await callerOf(key).postRender({}), await callerOf(key).convert('html', '<p>x</p>')] as const;
      return number(pair[0], 'x-ratelimit-reset') === number(pair[1], 'x-ratelimit-reset') && pair;
    });
    expect(number(second, 'x-ratelimit-remaining')).toBe(number(first, 'x-ratelimit-remaining') - 1);
  });
});

describe('The monthly quota', () => {
  const small = () =>
    openAccount(at.installation, '--plan', 'free', '--requests-per-minute', '1000', '--requests-per-month', '2');

  it('counts accepted renders of live keys, and then says when it starts again', async () => {
    const { key } = await issueKey(at.installation, await small());
    const caller = callerOf(key);
    expect(number(await caller.postRender({}), 'x-quota-remaining')).toBe(2);
    expect(number(await caller.convert('html', '<p>x</p>'), 'x-quota-remaining')).toBe(1);
    expect(number(await caller.convert('html', '<p'), 'x-quota-remaining')).toBe(0);
    const response = await caller.convert('html', '<p>x</p>');
    const { quota_reset: reset } = expectErrorResponse(response, 'quota_exceeded', { quota_limit: 2, quota_used: 2 });
    expect(Date.parse(String(reset)) / 1000).toBe(number(response, 'x-quota-reset'));
  });

  it('does not count renders of test keys, which get the same headers', async () => {
    const account = await small();
    const tester = callerOf((await issueKey(at.installation, account, '--type', 'test')).key);
    for (let i = 0; i < 4; i += 1) {
      const response = await tester.convert('html', '<p>x</p>');
      expect([response.status, number(response, 'x-quota-limit'), number(response, 'x-quota-remaining')]).toEqual([
        200, 2, 2,
      ]);
    }
  });
});

describe('A request is checked in a fixed order:', () => {
  const huge = Buffer.alloc(11 * 1024 * 1024, 'x');
  const used = ['--plan', 'free', '--requests-per-month', '1'];

  it('the path before the key', async () => {
    expectErrorResponse(await createClient(at.service.url, null).request('GET', '/api/v1/nothing'), 'not_found');
  });

  it('the key before the account, and the account before its limits', async () => {
    const account = await openAccount(at.installation, '--plan', 'free');
    const [revoked, left] = [await issueKey(at.installation, account), await issueKey(at.installation, account)];
    const exhausted = await whenExhausted(callerOf(left.key), () => callerOf(left.key).postRender({}));
    expectErrorResponse(exhausted, 'rate_limit_exceeded');
    await at.installation.runJsonCommand('key', 'revoke', revoked.id);
    await suspendAccount(at.installation, account, 'test');
    await waitUntil('the suspension is in force', async () => (await callerOf(left.key).postRender({})).status === 403);
    expectErrorResponse(await callerOf(revoked.key).postRender({}), 'revoked_api_key');
    expectErrorResponse(await callerOf(left.key).postRender({}), 'account_suspended');
  });

  it('the rate limit before the size of the body', async () => {
    const caller = callerOf(
      (await issueKey(at.installation, await openAccount(at.installation, '--plan', 'free'))).key,
    );
    expectErrorResponse(await whenExhausted(caller, () => caller.postRender(huge)), 'rate_limit_exceeded');
  });

  it('the size of the body before its content, and its content before the permissions of the key', async () => {
    const account = await openAccount(at.installation, ...used, '--requests-per-minute', '1000');
    const unable = callerOf((await issueKey(at.installation, account, '--permissions', 'jobs:read')).key);
    expectErrorResponse(await unable.postRender(huge), 'payload_too_large');
    expectErrorResponse(await unable.postRender('{'), 'invalid_request');
    expectErrorResponse(await unable.convert('html', ''), 'missing_data');
    expectErrorResponse(await unable.convert('html', '<p'), 'insufficient_permissions');
  });

  it('the permissions of the key before the quota, and the quota before the document', async () => {
    const account = await openAccount(at.installation, ...used, '--requests-per-minute', '1000');
    const able = callerOf((await issueKey(at.installation, account)).key);
    const unable = callerOf((await issueKey(at.installation, account, '--permissions', 'jobs:read')).key);
    await able.render('html', '<p>x</p>');
    expectErrorResponse(await unable.convert('html', '<p'), 'insufficient_permissions');
    expectErrorResponse(await able.convert('html', '<p'), 'quota_exceeded');
  });
});
