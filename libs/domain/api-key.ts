import type { EventData } from '#contracts/events/event-schemas.ts';
import type { ApiKeyEvent } from '#contracts/events/account.ts';
import type { Decider } from './decider.ts';

export type ApiKeyState = { status: 'NONE' } | { status: 'ACTIVE' } | { status: 'REVOKED' };

export type ApiKeyCommand =
  { type: 'issue'; data: EventData['ApiKeyIssued'] } | { type: 'revoke'; reason: string | null };

const evolve = (_: ApiKeyState, event: ApiKeyEvent): ApiKeyState => {
  switch (event.type) {
    case 'ApiKeyIssued':
      return { status: 'ACTIVE' };
    case 'ApiKeyRevoked':
      return { status: 'REVOKED' };
    default:
      return event satisfies never;
  }
};

const decide = (command: ApiKeyCommand, state: ApiKeyState): ApiKeyEvent[] => {
  switch (command.type) {
    case 'issue':
      return state.status === 'NONE' ? [{ type: 'ApiKeyIssued', data: command.data }] : [];
    case 'revoke':
      return state.status === 'ACTIVE' ? [{ type: 'ApiKeyRevoked', data: { reason: command.reason } }] : [];
    default:
      return command satisfies never;
  }
};

/** An API key is issued once and revoked at most once. Its expiry needs no event. */
export const apiKey: Decider<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = { initial: { status: 'NONE' }, evolve, decide };
