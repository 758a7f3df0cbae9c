import { expect, it } from 'vitest';
import { positionOf, toKurrentDbEvent } from './event-conversion.ts';

const metadata = {
  occurredAt: '2026-01-02T03:04:05.678Z',
  actor: { kind: 'service' as const, name: 'suite' },
  accountId: null,
  correlationId: 'c-1',
  causationId: null,
  traceparent: null,
};
const eventWith = (id: string) =>
  toKurrentDbEvent({ id, type: 'TemplateNameReleased', version: 3, data: { templateId: 'a' }, metadata });

it('A position beyond the safe integers is rejected instead of rounded', () => {
  expect(positionOf(BigInt(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => positionOf(2n ** 53n)).toThrow(RangeError);
  expect(() => positionOf(18446744073709551615n)).toThrow(RangeError);
});

it('A UUID stays unchanged, and another id always gets the same UUID', () => {
  const uuid = '6e8bc430-9c3a-11d9-9669-0800200c9a66';
  expect(eventWith(uuid).id).toBe(uuid);
  expect(eventWith('01ARZ3NDEKTSV4RRFFQ69G5FAV').id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
  expect(eventWith('01ARZ3NDEKTSV4RRFFQ69G5FAV').id).toBe(eventWith('01ARZ3NDEKTSV4RRFFQ69G5FAV').id);
  expect(eventWith('one').id).not.toBe(eventWith('other').id);
});

it('The metadata of a KurrentDB event contains the fields of the event besides its data', () => {
  expect(eventWith('one')).toMatchObject({
    type: 'TemplateNameReleased',
    contentType: 'application/json',
    data: { templateId: 'a' },
    metadata: { eventId: 'one', schemaVersion: 3, ...metadata },
  });
});
