import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import type { ApiError } from '#contracts/http/api-error.ts';
import { requireChallenge, sealChallenge, type SealDependencies } from './challenge.ts';

/** A browser that has the cookie of a new challenge for this person; null for a sign-in. */
const challengeFor = (personId: string | null) => {
  const clock = { now: new Date('2026-05-20T12:00:00.000Z') };
  let cookie: string | null = null;
  const dependencies = {
    cookies: {
      read: () => cookie,
      set: (_: unknown, _name: string, value: string) => void (cookie = value),
      clear: () => void (cookie = null),
    },
    secrets: { current: Buffer.alloc(32, 1), previous: [] },
    eventLog: { now: () => clock.now },
  } as unknown as SealDependencies;
  const reply = {} as FastifyReply;
  sealChallenge(dependencies, reply, { text: 'text', origin: 'https://example.com', personId });
  const use = (by: string | null): unknown => {
    try {
      return requireChallenge(dependencies, reply, by);
    } catch (error) {
      return (error as ApiError).fields.name;
    }
  };
  return { use, clock };
};

test.each([null, 'ada'])('A challenge for %s can be used once', (personId) => {
  const { use } = challengeFor(personId);
  expect(use(personId)).toMatchObject({ text: 'text', origin: 'https://example.com', personId });
  expect(use(personId)).toBe('sign_in_failed');
});

test.each([
  ['a sign-in', null, 'ada'],
  ['a passkey of a person', 'ada', null],
  ['a passkey of a person', 'ada', 'bob'],
])('A challenge for %s cannot be used for another purpose or person: %s by %s', (_, personId, by) => {
  expect(challengeFor(personId).use(by)).toBe('sign_in_failed');
});

test('A challenge cannot be used after five minutes', () => {
  const { use, clock } = challengeFor('ada');
  clock.now = new Date('2026-05-20T12:05:00.000Z');
  expect(use('ada')).toBe('sign_in_failed');
});
