import type { EventData } from '#contracts/events/event-schemas.ts';
import type { SignInLinkEvent } from '#contracts/events/people.ts';
import type { Decider } from './decider.ts';

/** How long a one-time link can be used. */
export const signInLinkLifetimeMs = 15 * 60 * 1000;

export type SignInLinkDetails = EventData['SignInLinkIssued'];

export type SignInLinkState =
  | { status: 'NONE' }
  | ({ status: 'ISSUED' } & SignInLinkDetails)
  /** `sessionId` is that of the only session that the link can start. */
  | ({ status: 'USED'; sessionId: string } & SignInLinkDetails);

export type SignInLinkCommand =
  | { type: 'issue'; data: SignInLinkDetails }
  /** `now` is ISO 8601 in UTC. */
  | { type: 'use'; sessionId: string; now: string };

const evolve = (state: SignInLinkState, event: SignInLinkEvent): SignInLinkState => {
  switch (event.type) {
    case 'SignInLinkIssued':
      return { status: 'ISSUED', ...event.data };
    case 'SignInLinkUsed':
      return state.status === 'NONE' ? state : { ...state, status: 'USED', sessionId: event.data.sessionId };
    default:
      return event satisfies never;
  }
};

const decide = (command: SignInLinkCommand, state: SignInLinkState): SignInLinkEvent[] => {
  switch (command.type) {
    case 'issue':
      return state.status === 'NONE' ? [{ type: 'SignInLinkIssued', data: command.data }] : [];
    case 'use':
      return state.status === 'ISSUED' && command.now < state.expiresAt
        ? [{ type: 'SignInLinkUsed', data: { sessionId: command.sessionId } }]
        : [];
    default:
      return command satisfies never;
  }
};

/** A one-time link. It is used at most once, before it expires. */
export const signInLink: Decider<SignInLinkState, SignInLinkCommand, SignInLinkEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};
