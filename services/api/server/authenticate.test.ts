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
import type { ConfirmNotFound } from '#application/command-handling/confirm-not-found.ts';
import { openKeyCache } from '#application/api-keys/queries.ts';

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
  isRevoked: false,
  issuedBy: { kind: 'service', name: 'tests' },
};
const account = { id: 'a', suspension: null } as unknown as AccountDocument;

const storeOf = (keys: readonly ApiKeyDocument[], accounts: readonly AccountDocument[] = [account]): ReadStore =>
  ({
    find: async (_: string, { where }: { where: { hash: string } }) => keys.filter(({ hash }) => hash === where.hash),
    get: async (_: string, id: string) => accounts.find((document) => document.id === id) ?? null,
  }) as unknown as ReadStore;

const withoutConfirmation: ConfirmNotFound = (read) => read;

const requestWith = (...headers: readonly string[]): IncomingMessage =>
  ({ rawHeaders: ['Host', 'x', ...headers] }) as IncomingMessage;
const bearer = (text: string): IncomingMessage => requestWith('Authorization', `Bearer ${text}`);
const errorFieldsOf = (request: IncomingMessage, store = storeOf([key])) =>
  authenticate(openKeyCache(store, 0, withoutConfirmation), request, now).then(
    () => 'accepted',
    (error: unknown) => (error instanceof ApiError ? error.fields : Promise.reject(error)),
  );

describe('A key is accepted', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('after the word %s, in a header of any case', async (word) => {
    expect(
      await authenticate(
        openKeyCache(storeOf([key]), 0, withoutConfirmation),
        requestWith('aUTHORIZATION', `${word}  ${secret}`),
        now,
      ),
    ).toEqual({
      account,
      actor: { kind: 'key', id: key.id },
      permissions: key.permissions,
      keyId: key.id,
      keyType: key.keyType,
    });
  });

  it('until it expires', async () => {
    const store = (expiresAt: string) => storeOf([{ ...key, expiresAt }]);
    expect(await errorFieldsOf(bearer(secret), store('2026-05-20T12:00:00.001Z'))).toBe('accepted');
    expect(await errorFieldsOf(bearer(secret), store('2026-05-20T12:00:00.000Z'))).toMatchObject({
      name: 'expired_api_key',
      extra: { expired_at: '2026-05-20T12:00:00.000Z' },
    });
  });

  it('until it expires, also from the cache', async () => {
    const callers = openKeyCache(
      storeOf([{ ...key, expiresAt: '2026-05-20T12:00:00.001Z' }]),
      3_600_000,
      withoutConfirmation,
    );
    expect((await authenticate(callers, bearer(secret), now)).keyId).toBe('k');
    await expect(authenticate(callers, bearer(secret), new Date(now.getTime() + 1))).rejects.toMatchObject({
      fields: { name: 'expired_api_key' },
    });
  });
});

describe('A request is rejected', () => {
  it('without the header', async () => {
    expect(await errorFieldsOf(requestWith())).toMatchObject({ name: 'missing_authorization' });
  });

  it('with the header twice, even if one of them is right', async () => {
    const right = ['Authorization', `Bearer ${secret}`];
    for (const request of [
      requestWith(...right, ...right),
      requestWith(...right, 'authorization', 'Bearer x'),
      requestWith('authorization', '', ...right),
    ]) {
      expect(await errorFieldsOf(request)).toMatchObject({
        name: 'invalid_api_key',
        message: expect.stringContaining('more than once'),
      });
    }
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic abc', secret, `Token ${secret}`, `Bearer${secret}`])(
    'with a header that reads %j',
    async (value) => {
      expect(await errorFieldsOf(requestWith('Authorization', value))).toMatchObject({ name: 'invalid_api_key' });
    },
  );

  it('with spaces in or after the key', async () => {
    for (const text of [`${secret} `, `${secret} x`, `${secret.slice(0, 20)} ${secret.slice(20)}`, `${secret}\t`])
      expect(await errorFieldsOf(bearer(text))).toMatchObject({ name: 'invalid_api_key' });
  });

  it('with a key that has another length or is mistyped, and the error says which', async () => {
    expect(await errorFieldsOf(bearer(secret.slice(0, -1)))).toMatchObject({
      name: 'invalid_api_key',
      message: expect.stringContaining('characters'),
    });
    expect(await errorFieldsOf(bearer(`${secret}0`))).toMatchObject({
      name: 'invalid_api_key',
      message: expect.stringContaining('characters'),
    });
    const mistyped = secret.slice(0, 15) + (secret[15] === 'a' ? 'b' : 'a') + secret.slice(16);
    expect(await errorFieldsOf(bearer(mistyped))).toMatchObject({
      name: 'invalid_api_key',
      message: expect.stringContaining('mistyped'),
    });
  });

  it('with a well-formed key that was never issued', async () => {
    expect(await errorFieldsOf(bearer(newSecret('test')))).toMatchObject({
      name: 'invalid_api_key',
      message: 'There is no such API key.',
    });
  });

  it('with a revoked key, even if it has also expired', async () => {
    const store = storeOf([{ ...key, revokedAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z' }]);
    expect(await errorFieldsOf(bearer(secret), store)).toMatchObject({
      name: 'revoked_api_key',
      extra: { revoked_at: '2026-01-01T00:00:00.000Z' },
    });
  });

  it('with a key of an unknown account', async () => {
    expect(await errorFieldsOf(bearer(secret), storeOf([key], []))).toMatchObject({ name: 'invalid_api_key' });
  });

  it('with any other text, which the error does not repeat', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 6, unit: 'binary' }), async (text) => {
        const fields = await errorFieldsOf(bearer(text));
        expect(fields).toMatchObject({ name: 'invalid_api_key' });
        expect(JSON.stringify(fields)).not.toContain(text);
      }),
    );
  });
});

describe('A key without a permission', () => {
  it.each(permissions)('is rejected with the name of the permission %s', (permission) => {
    const otherPermissions = permissions.filter((other) => other !== permission);
    const requireMissing = (): void =>
      requirePermission({ actor: { kind: 'key', id: 'k' }, permissions: otherPermissions }, permission);
    expect(requireMissing).toThrow(permission);
    expect(() => requirePermission({ actor: { kind: 'key', id: 'k' }, permissions }, permission)).not.toThrow();
  });
});
