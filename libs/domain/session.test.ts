import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '#contracts/events/people.ts';
import { fold } from './decider.ts';
import {
  isExtensionDue,
  isSessionActive,
  session,
  type SessionCommand,
  sessionExtensionMs,
  sessionIdleMs,
  sessionMaxMs,
} from './session.ts';
import { signInLink } from './sign-in-link.ts';
import { given } from './testing/given.ts';

const start = new Date('2026-03-02T09:00:00.000Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);
const data = { personId: 'ada', secretHash: 'x', method: 'link', userAgent: null } as const;
const expiresAt = after(sessionIdleMs).toISOString();
const started: SessionEvent = { type: 'SessionStarted', data: { ...data, expiresAt } };
const use = (now: Date): SessionCommand => ({ type: 'use', now });

describe('A session', () => {
  it('starts once, for twelve hours', () => {
    expect(given(session).when({ type: 'start', data, now: start })).toEqual([started]);
    expect(given(session, started).when({ type: 'start', data, now: start })).toEqual([]);
  });

  it('is extended by use, at most every fifteen minutes', () => {
    expect(given(session, started).when(use(after(sessionExtensionMs - 1)))).toEqual([]);
    const now = after(sessionExtensionMs);
    const extended: SessionEvent = {
      type: 'SessionExtended',
      data: { expiresAt: new Date(now.getTime() + sessionIdleMs).toISOString() },
    };
    expect(given(session, started).when(use(now))).toEqual([extended]);
    expect(given(session, started, extended).when(use(after(sessionExtensionMs + 1)))).toEqual([]);
  });

  it('expires when it is idle, and stays expired', () => {
    const state = fold(session, [started]);
    expect(isSessionActive(state, after(sessionIdleMs - 1))).toBe(true);
    expect(isSessionActive(state, after(sessionIdleMs))).toBe(false);
    expect(given(session, started).when(use(after(sessionIdleMs)))).toEqual([]);
  });

  it('ends seven days after its start, however often it is used', () => {
    const events: SessionEvent[] = [started];
    let ends = sessionIdleMs;
    for (let at = 0; at < 2 * sessionMaxMs; at += sessionIdleMs / 2) {
      events.push(...given(session, ...events).when(use(after(at))));
      const state = fold(session, events);
      if (isSessionActive(state, after(at))) ends = Date.parse(state.expiresAt) - start.getTime();
    }
    expect(ends).toBe(sessionMaxMs);
    const state = fold(session, events);
    expect(isSessionActive(state, after(sessionMaxMs - 1))).toBe(true);
    expect(isSessionActive(state, after(sessionMaxMs))).toBe(false);
    // In the last hours nothing is appended any more.
    expect(state.status === 'ACTIVE' && isExtensionDue(state, after(sessionMaxMs - 1))).toBe(false);
    const longer: SessionEvent = {
      type: 'SessionExtended',
      data: { expiresAt: after(2 * sessionMaxMs).toISOString() },
    };
    expect(isSessionActive(fold(session, [started, longer]), after(sessionMaxMs))).toBe(false);
  });

  it.each(['signOut', 'revoke'] as const)('ends once by %s, and is not extended afterwards', (type) => {
    const events = given(session, started).when({ type });
    expect(events).toHaveLength(1);
    const state = fold(session, [started, ...events]);
    expect(isSessionActive(state, start)).toBe(false);
    expect(given(session, started, ...events).when({ type })).toEqual([]);
    expect(given(session, started, ...events).when(use(after(sessionExtensionMs)))).toEqual([]);
    expect(given(session).when({ type })).toEqual([]);
  });

  it('that ended never becomes active again', () => {
    const command = fc.oneof(
      fc.nat({ max: 3 * sessionIdleMs }).map((ms) => use(after(ms))),
      fc.constantFrom<SessionCommand>({ type: 'signOut' }, { type: 'revoke' }, { type: 'start', data, now: start }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        const ended: SessionEvent[] = [started, { type: 'SessionRevoked', data: {} }];
        const events = commands.flatMap((one) => given(session, ...ended).when(one));
        expect(events).toEqual([]);
      }),
    );
  });
});

describe('A one-time link', () => {
  const link = {
    tokenHash: 'x',
    personId: 'ada',
    email: null,
    name: 'ada',
    accountId: null,
    role: null,
    operator: false,
    expiresAt: '2026-03-02T09:15:00.000Z',
  };
  const issued = { type: 'SignInLinkIssued', data: link } as const;
  const useAt = (now: string) => ({ type: 'use', sessionId: 's', now }) as const;

  it('is used at most once, before it expires', () => {
    expect(given(signInLink).when({ type: 'issue', data: link })).toEqual([issued]);
    const used = given(signInLink, issued).when(useAt('2026-03-02T09:14:59.999Z'));
    expect(used).toEqual([{ type: 'SignInLinkUsed', data: { sessionId: 's' } }]);
    expect(given(signInLink, issued, ...used).when(useAt('2026-03-02T09:01:00.000Z'))).toEqual([]);
    expect(fold(signInLink, [issued, ...used])).toMatchObject({ status: 'USED', sessionId: 's' });
    expect(given(signInLink, issued).when(useAt(link.expiresAt))).toEqual([]);
    expect(given(signInLink).when(useAt('2026-03-02T09:00:00.000Z'))).toEqual([]);
    expect(given(signInLink, issued).when({ type: 'issue', data: link })).toEqual([]);
  });
});
