import type { EventData } from '#contracts/events/event-schemas.ts';
import type { SessionEvent } from '#contracts/events/people.ts';
import type { Decider } from './decider.ts';

/** A session ends when it is not used for this time. */
export const sessionIdleMs = 12 * 60 * 60 * 1000;
/** A session ends after this time even if it is used, so that the groups of an identity provider apply again. */
export const sessionMaxMs = 7 * 24 * 60 * 60 * 1000;
/** A session in use is extended at most this often. */
export const sessionExtensionMs = 15 * 60 * 1000;

/** `expiresAt` is the end without further use, `endsBy` the end in any case. Both are ISO 8601. */
type ActiveSession = Pick<EventData['SessionStarted'], 'personId' | 'secretHash' | 'method' | 'expiresAt'> & {
  endsBy: string;
};

export type SessionState =
  { status: 'NONE' } | ({ status: 'ACTIVE' } & ActiveSession) | { status: 'ENDED'; personId: string };

export type SessionCommand =
  | { type: 'start'; data: Omit<EventData['SessionStarted'], 'expiresAt'>; now: Date }
  | { type: 'use'; now: Date }
  /** The person has signed in to one more account. */
  | { type: 'recordAccount' }
  /** By the person in this session (`signOut`) or from elsewhere. */
  | { type: 'signOut' }
  | { type: 'revoke' };

/** Whether the session can be used at this time. */
export const isSessionActive = (state: SessionState, now: Date): state is Extract<SessionState, { status: 'ACTIVE' }> =>
  state.status === 'ACTIVE' && now.toISOString() < state.expiresAt;

const timeAfter = (time: string | Date, ms: number): string => new Date(new Date(time).getTime() + ms).toISOString();
const earlier = (one: string, other: string): string => (one < other ? one : other);

const evolve = (state: SessionState, event: SessionEvent): SessionState => {
  switch (event.type) {
    case 'SessionStarted': {
      const { personId, secretHash, method, expiresAt } = event.data;
      const endsBy = timeAfter(expiresAt, sessionMaxMs - sessionIdleMs);
      return { status: 'ACTIVE', personId, secretHash, method, expiresAt, endsBy };
    }
    case 'SessionExtended':
      return state.status === 'ACTIVE' ? { ...state, expiresAt: earlier(event.data.expiresAt, state.endsBy) } : state;
    case 'MemberSignedIn':
      return state;
    case 'SessionRevoked':
    case 'SessionEnded':
      return state.status === 'ACTIVE' ? { status: 'ENDED', personId: state.personId } : state;
    default:
      return event satisfies never;
  }
};

/** Whether a session has been used without an extension for long enough, and can last longer. */
export const isExtensionDue = (
  { expiresAt, endsBy }: Pick<ActiveSession, 'expiresAt' | 'endsBy'>,
  now: Date,
): boolean => expiresAt < endsBy && Date.parse(expiresAt) - sessionIdleMs + sessionExtensionMs <= now.getTime();

const decide = (command: SessionCommand, state: SessionState): SessionEvent[] => {
  switch (command.type) {
    case 'start':
      return state.status === 'NONE'
        ? [{ type: 'SessionStarted', data: { ...command.data, expiresAt: timeAfter(command.now, sessionIdleMs) } }]
        : [];
    case 'use':
      return isSessionActive(state, command.now) && isExtensionDue(state, command.now)
        ? [
            {
              type: 'SessionExtended',
              data: { expiresAt: earlier(timeAfter(command.now, sessionIdleMs), state.endsBy) },
            },
          ]
        : [];
    case 'recordAccount':
      return state.status === 'ACTIVE'
        ? [{ type: 'MemberSignedIn', data: { personId: state.personId, method: state.method } }]
        : [];
    case 'signOut':
      return state.status === 'ACTIVE' ? [{ type: 'SessionEnded', data: {} }] : [];
    case 'revoke':
      return state.status === 'ACTIVE' ? [{ type: 'SessionRevoked', data: {} }] : [];
    default:
      return command satisfies never;
  }
};

/** A person's session in one browser. It ends once, and an expired one never becomes active again. */
export const session: Decider<SessionState, SessionCommand, SessionEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};
