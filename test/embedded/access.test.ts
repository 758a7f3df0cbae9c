import { beforeAll, describe, expect, it } from 'vitest';
import { issueKey, openAccount, suspendAccount } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const at = sharedService();
let account: string;
let key: string;
const as = (one: string | null): ApiClient => createClient(at.service.url, one);
beforeAll(async () => {
  account = await openAccount(at.installation, '--requests-per-minute', '100000');
  key = (await issueKey(at.installation, account)).key;
});

const document = '<p>x</p>';
const authorized = async (authorization: string) =>
  createClient(at.service.url, null).postRender({}, { headers: { authorization } });

describe('A request without a valid key is rejected', () => {
  it('when the header is missing', async () => {
    const response = await as(null).convert('html', document);
    expectErrorResponse(response, 'missing_authorization');
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect([...response.headers.keys()].filter((name) => /^x-(ratelimit|quota)/.test(name))).toEqual([]);
  });

  it('when the header has no bearer key', async () => {
    for (const header of [
      '',
      'Bearer',
      'Bearer ',
      'Basic dXNlcjpwYXNz',
      key,
      `Token ${key}`,
      `Bearer ${key} more`,
      `Bearer ${key.toUpperCase()}`,
    ]) {
      expect([(await authorized(header)).body.error, header]).toEqual(['invalid_api_key', header]);
    }
  });

  it('when the key is mistyped, truncated, or was never issued', async () => {
    const mistyped = key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21);
    for (const wrong of [
      mistyped,
      key.slice(0, -1),
      `${key}0`,
      'svc_live_',
      'svc_test_x',
      'svc_live_' + 'x'.repeat(5_000),
    ]) {
      const { message } = expectErrorResponse(await as(wrong).convert('html', document), 'invalid_api_key');
      expect(message).not.toContain(wrong.slice(9, 40) || 'nothing');
    }
  });

  it('with the hint that the key is mistyped, if its checksum is wrong', async () => {
    const mistyped = key.slice(0, 30) + (key[30] === 'x' ? 'y' : 'x') + key.slice(31);
    expect((await as(mistyped).convert('html', document)).body.message).toMatch(/mistyped/);
  });

  it('when the key has expired, and the response says when', async () => {
    const { key: temporary } = await issueKey(at.installation, account, '--expires-at', '2020-02-03T04:05:06Z');
    expectErrorResponse(await as(temporary).convert('html', document), 'expired_api_key', {
      expired_at: '2020-02-03T04:05:06.000Z',
    });
  });

  it('when the account is suspended, and the response says since when and why', async () => {
    const suspended = await openAccount(at.installation);
    const { key: left } = await issueKey(at.installation, suspended);
    expect((await as(left).convert('html', document)).status).toBe(200);
    await suspendAccount(at.installation, suspended, 'Unpaid invoices');
    const response = await waitUntil('the suspension is in force', async () => {
      const one = await as(left).convert('html', document);
      return one.status !== 200 && one;
    });
    const { suspended_at: since } = expectErrorResponse(response, 'account_suspended', { reason: 'Unpaid invoices' });
    expect(Date.parse(String(since))).toBeGreaterThan(0);
  });

  it('but not for "bearer" in lower case', async () => {
    expect((await authorized(`bearer ${key}`)).body.error).toBe('invalid_request');
  });
});

describe('A key with some permissions', () => {
  it('renders if it has the permission', async () => {
    const { key: able } = await issueKey(at.installation, account, '--permissions', 'render:create');
    expect((await as(able).convert('html', document)).status).toBe(200);
  });

  it('gets an error with the permission that it lacks', async () => {
    const { key: unable } = await issueKey(at.installation, account, '--permissions', 'templates:read,usage:read');
    expectErrorResponse(await as(unable).convert('html', document), 'insufficient_permissions', {
      required_permission: 'render:create',
    });
  });
});
