import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IdempotencyEvent } from '#contracts/events/idempotency.ts';
import { fold } from './decider.ts';
import { idempotency, type IdempotencyCommand } from './idempotency.ts';
import { given, historyOf } from './testing/given.ts';

const claim = (id: string, expired = false): IdempotencyCommand => ({
  type: 'claim',
  accountId: 'acc_1',
  operation: 'render',
  bodyMac: 'ab',
  id,
  expired,
});
const release = (id: string): IdempotencyCommand => ({ type: 'release', id });
const claimed = (id: string): IdempotencyEvent => ({
  type: 'IdempotencyKeyClaimed',
  data: { accountId: 'acc_1', operation: 'render', bodyMac: 'ab', id },
});
const released = (id: string): IdempotencyEvent => ({ type: 'IdempotencyKeyReleased', data: { id } });

describe('An idempotency key', () => {
  it('belongs to the first request that claims it', () => {
    expect(given(idempotency).when(claim('a'))).toEqual([claimed('a')]);
    expect(given(idempotency, claimed('a')).when(claim('b'))).toEqual([]);
  });

  it('is free again when its own request releases it', () => {
    expect(given(idempotency, claimed('a')).when(release('a'))).toEqual([released('a')]);
    expect(given(idempotency, claimed('a')).when(release('b'))).toEqual([]);
    expect(given(idempotency, claimed('a'), released('a')).when(release('a'))).toEqual([]);
  });

  it('keeps the id of a request that is repeated after a release, so that the request has one stream', () => {
    const retry = given(idempotency, claimed('a'), released('a'));
    expect(retry.when(claim('b'))).toEqual([claimed('a')]);
    const other = { ...claim('b'), bodyMac: 'cd' } as IdempotencyCommand;
    expect(retry.when(other)).toEqual([{ ...claimed('b'), data: { ...claimed('b').data, bodyMac: 'cd' } }]);
    expect(retry.when(claim('b', true))).toEqual([claimed('b')]);
  });

  it('can be claimed by another request after its lifetime', () => {
    expect(given(idempotency, claimed('a')).when(claim('b', true))).toEqual([claimed('b')]);
    expect(given(idempotency, claimed('a'), claimed('b')).when(release('a'))).toEqual([]);
  });

  it('is held by one request at a time, after any commands', () => {
    const id = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            id.map((one) => claim(one)),
            id.map(release),
          ),
          { maxLength: 30 },
        ),
        (commands) => {
          const events = historyOf(idempotency, commands);
          for (const [index, event] of events.entries()) {
            const before = fold(idempotency, events.slice(0, index));
            expect(before.status === 'CLAIMED' ? before.id : null).toBe(
              event.type === 'IdempotencyKeyReleased' ? event.data.id : null,
            );
          }
        },
      ),
    );
  });
});
