import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { ApiKeyEvent } from '#contracts/events/account.ts';
import { apiKey, type ApiKeyCommand } from './api-key.ts';
import { given, historyOf } from './testing/given.ts';

const data: EventData['ApiKeyIssued'] = {
  accountId: 'acc_1',
  name: 'shop',
  keyType: 'live',
  hash: 'ab'.repeat(32),
  prefix: 'svc_live_ab',
  permissions: ['render:create'],
  expiresAt: null,
};
const issue: ApiKeyCommand = { type: 'issue', data };
const revoke: ApiKeyCommand = { type: 'revoke', reason: 'lost' };
const issued: ApiKeyEvent = { type: 'ApiKeyIssued', data };
const revoked: ApiKeyEvent = { type: 'ApiKeyRevoked', data: { reason: 'lost' } };

describe('An API key', () => {
  it('is issued once', () => {
    expect(given(apiKey).when(issue)).toEqual([issued]);
    expect(given(apiKey, issued).when(issue)).toEqual([]);
  });

  it('is revoked once', () => {
    expect(given(apiKey, issued).when(revoke)).toEqual([revoked]);
    expect(given(apiKey, issued, revoked).when(revoke)).toEqual([]);
  });

  it('that was never issued cannot be revoked', () => {
    expect(given(apiKey).when(revoke)).toEqual([]);
  });

  it('that was revoked is never issued again, after any commands', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(issue, revoke)), (commands) => {
        const types = historyOf(apiKey, commands).map(({ type }) => type);
        expect(['ApiKeyIssued', 'ApiKeyRevoked'].slice(0, types.length)).toEqual(types);
      }),
    );
  });
});
