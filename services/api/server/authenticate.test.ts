import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissions } from '#contracts/events/account.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { hashSecret, newSecret } from '#application/api-keys/secret.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { authenticate, requirePermission } from './authenticate.ts';
import { openCallerCache } from '#application/api-keys/queries.ts';

const now = new Date('2026-05-20T12:00:00.000Z');
const secret = newSecret('live');
const key: ApiKeyDocument = {
  id: 'k',
  accountId: 'a',
  name: 'n',
  keyType: 'live',
  hash: hashSecret(secret),
  prefix: '',
  permissions: [...permissions],
  issuedAt: '',
  expiresAt: null,
  revokedAt: null,
};
const account = { id: 'a', suspension: null } as unknown as AccountDocument;

const storeOf = (keys: readonly ApiKeyDocument[], accounts: readonly AccountDocument[] = [account]): ReadStore =>
  ({
    find: async (_: string, { where }: { where: { hash: string } }) => keys.filter(({ hash }) => hash === where.hash),
    get: async (_: string, id: string) => accounts.find((one) => one.id === id) ?? null,
  }) as unknown as ReadStore;

const requestWith = (...headers: readonly string[]): IncomingMessage =>
  ({ rawHeaders: ['Host', 'x', ...headers] }) as IncomingMessage;
const bearer = (text: string): IncomingMessage => requestWith('Authorization', `Bearer ${text}`);
const faultOf = (request: IncomingMessage, store = storeOf([key])) =>
  authenticate(openCallerCache(store, 0), request, now).then(
    () => 'let in',
    (error: unknown) => (error instanceof ApiError ? error.fields : Promise.reject(error)),
  );

describe('A key is let in', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('after the word %s, in a header of any case', async (word) => {
    expect(
      await authenticate(openCallerCache(storeOf([key]), 0), requestWith('aUTHORIZATION', `${word}  ${secret}`), now),
    ).toEqual({ key, account });
  });

  it('until the very moment in which it expires', async () => {
    const store = (expiresAt: string) => storeOf([{ ...key, expiresAt }]);
    expect(await faultOf(bearer(secret), store('2026-05-20T12:00:00.001Z'))).toBe('let in');
    expect(await faultOf(bearer(secret), store('2026-05-20T12:00:00.000Z'))).toMatchObject({
      name: 'expired_api_key',
      extra: { expired_at: '2026-05-20T12:00:00.000Z' },
    });
  });

  it('no longer than that where it is known from a moment before', async () => {
    const callers = openCallerCache(storeOf([{ ...key, expiresAt: '2026-05-20T12:00:00.001Z' }]), 3_600_000);
    expect((await authenticate(callers, bearer(secret), now)).key.id).toBe('k');
    await expect(authenticate(callers, bearer(secret), new Date(now.getTime() + 1))).rejects.toMatchObject({
      fields: { name: 'expired_api_key' },
    });
  });
});

describe('A request is refused', () => {
  it('without the header', async () => {
    expect(await faultOf(requestWith())).toMatchObject({ name: 'missing_authorization' });
  });

  it('with the header twice, though one of them be right', async () => {
    const right = ['Authorization', `Bearer ${secret}`];
    for (const request of [
      requestWith(...right, ...right),
      requestWith(...right, 'authorization', 'Bearer x'),
      requestWith('authorization', '', ...right),
    ]) {
      expect(await faultOf(request)).toMatchObject({
        name: 'invalid_api_key',
        message: expect.stringContaining('more than once'),
      });
    }
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic abc', secret, `Token ${secret}`, `Bearer${secret}`])(
    'with a header that reads %j',
    async (value) => {
      expect(await faultOf(requestWith('Authorization', value))).toMatchObject({ name: 'invalid_api_key' });
    },
  );

  it('with a key around or in which there are spaces', async () => {
    for (const text of [`${secret} `, `${secret} x`, `${secret.slice(0, 20)} ${secret.slice(20)}`, `${secret}\t`])
      expect(await faultOf(bearer(text))).toMatchObject({ name: 'invalid_api_key' });
  });

  it('with a key of another length, or mistyped, and learns which', async () => {
    expect(await faultOf(bearer(secret.slice(0, -1)))).toMatchObject({
      name: 'invalid_api_key',
      message: expect.stringContaining('characters'),
    });
    expect(await faultOf(bearer(`${secret}0`))).toMatchObject({
      name: 'invalid_api_key',
      message: expect.stringContaining('characters'),
    });
    const mistyped = secret.slice(0, 15) + (secret[15] === 'a' ? 'b' : 'a') + secret.slice(16);
    expect(await faultOf(bearer(mistyped))).toMatchObject({
      name: 'invalid_api_key',
      message: expect.stringContaining('mistyped'),
    });
  });

  it('with a well-formed key that was never issued', async () => {
    expect(await faultOf(bearer(newSecret('test')))).toMatchObject({
      name: 'invalid_api_key',
      message: 'There is no such API key.',
    });
  });

  it('with a revoked key, even an expired one', async () => {
    const store = storeOf([{ ...key, revokedAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z' }]);
    expect(await faultOf(bearer(secret), store)).toMatchObject({
      name: 'revoked_api_key',
      extra: { revoked_at: '2026-01-01T00:00:00.000Z' },
    });
  });

  it('with a key whose account is unknown', async () => {
    expect(await faultOf(bearer(secret), storeOf([key], []))).toMatchObject({ name: 'invalid_api_key' });
  });

  it('with anything else, without the text being said back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 6, unit: 'binary' }), async (text) => {
        const fault = await faultOf(bearer(text));
        expect(fault).toMatchObject({ name: 'invalid_api_key' });
        expect(JSON.stringify(fault)).not.toContain(text);
      }),
    );
  });
});

describe('A key that lacks a permission', () => {
  it.each(permissions)('is told that it is %s', (permission) => {
    const some = permissions.filter((one) => one !== permission);
    const refused = (): void => requirePermission({ account, key: { ...key, permissions: some } }, permission);
    expect(refused).toThrow(permission);
    expect(() => requirePermission({ account, key }, permission)).not.toThrow();
  });
});
