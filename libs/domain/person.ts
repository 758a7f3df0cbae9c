import type { EventData } from '#contracts/events/event-schemas.ts';
import type { OperatorSource, PersonEvent, SignInMethod } from '#contracts/events/people.ts';
import type { Decider } from './decider.ts';

export type Passkey = Omit<EventData['PasskeyAdded'], 'challengeId'>;

/** `usedChallenges` are the latest ones; older ones have expired. */
type PersonDetails = {
  email: string | null;
  name: string;
  operator: OperatorSource | null;
  passkeys: readonly Passkey[];
  usedChallenges: readonly string[];
};

export type PersonState = { status: 'NONE' } | ({ status: 'REGISTERED' } & PersonDetails);

export type PersonCommand =
  | { type: 'register'; email: string | null; name: string }
  | { type: 'signIn'; method: SignInMethod; sessionId: string; challengeId: string | null }
  | { type: 'signInWithPasskey'; sessionId: string; challengeId: string; credentialId: string; counter: number }
  | { type: 'addPasskey'; passkey: Passkey; challengeId: string }
  | { type: 'renamePasskey'; credentialId: string; name: string }
  | { type: 'removePasskey'; credentialId: string }
  | { type: 'grantOperator'; source: OperatorSource }
  /** Takes back what a command gave. The groups of the identity provider decide on their own. */
  | { type: 'revokeOperator' }
  /** The identity provider decides; a command on the machine outlasts it. */
  | { type: 'applyOperatorGroup'; operator: boolean };

export const maxPasskeys = 20;
/** More challenges than one person can use within the few minutes that each is valid, because all are rate-limited. */
const rememberedChallenges = 200;

const initial: PersonState = { status: 'NONE' };

const withChallenge = (used: readonly string[], challengeId: string | null): readonly string[] =>
  challengeId === null ? used : [...used, challengeId].slice(-rememberedChallenges);

const evolve = (state: PersonState, event: PersonEvent): PersonState => {
  if (event.type === 'PersonRegistered')
    return { status: 'REGISTERED', ...event.data, operator: null, passkeys: [], usedChallenges: [] };
  if (state.status === 'NONE') return state;
  const changePasskey = (id: string, change: Partial<Passkey>): PersonState => ({
    ...state,
    passkeys: state.passkeys.map((one) => (one.credentialId === id ? { ...one, ...change } : one)),
  });
  switch (event.type) {
    case 'PersonSignedIn':
      return { ...state, usedChallenges: withChallenge(state.usedChallenges, event.data.challengeId) };
    case 'PasskeyAdded': {
      const { challengeId, ...passkey } = event.data;
      return {
        ...state,
        passkeys: [...state.passkeys, passkey],
        usedChallenges: withChallenge(state.usedChallenges, challengeId),
      };
    }
    case 'PasskeyRenamed':
      return changePasskey(event.data.credentialId, { name: event.data.name });
    case 'PasskeyUsed':
      return changePasskey(event.data.credentialId, { counter: event.data.counter });
    case 'PasskeyRemoved':
      return { ...state, passkeys: state.passkeys.filter((one) => one.credentialId !== event.data.credentialId) };
    case 'OperatorGranted':
      return { ...state, operator: event.data.source };
    case 'OperatorRevoked':
      return { ...state, operator: null };
    default:
      return event satisfies never;
  }
};

/** The passkey of a person by its credential id; undefined if there is none. */
export const findPasskey = (state: PersonState, credentialId: string): Passkey | undefined =>
  state.status === 'NONE' ? undefined : state.passkeys.find((one) => one.credentialId === credentialId);

type Registered = Extract<PersonState, { status: 'REGISTERED' }>;

const isUsed = ({ usedChallenges }: Registered, challengeId: string | null): boolean =>
  challengeId !== null && usedChallenges.includes(challengeId);

const decideRegistered = (command: Exclude<PersonCommand, { type: 'register' }>, state: Registered): PersonEvent[] => {
  switch (command.type) {
    case 'signIn': {
      const { method, sessionId, challengeId } = command;
      return isUsed(state, challengeId) ? [] : [{ type: 'PersonSignedIn', data: { method, sessionId, challengeId } }];
    }
    case 'signInWithPasskey': {
      const { sessionId, challengeId, credentialId, counter } = command;
      if (isUsed(state, challengeId) || !findPasskey(state, credentialId)) return [];
      return [
        { type: 'PasskeyUsed', data: { credentialId, counter } },
        { type: 'PersonSignedIn', data: { method: 'passkey', sessionId, challengeId } },
      ];
    }
    case 'addPasskey': {
      const { passkey, challengeId } = command;
      const isRefused =
        isUsed(state, challengeId) ||
        findPasskey(state, passkey.credentialId) !== undefined ||
        state.passkeys.length >= maxPasskeys;
      return isRefused ? [] : [{ type: 'PasskeyAdded', data: { ...passkey, challengeId } }];
    }
    case 'renamePasskey': {
      const { credentialId, name } = command;
      const passkey = findPasskey(state, credentialId);
      return passkey && passkey.name !== name ? [{ type: 'PasskeyRenamed', data: { credentialId, name } }] : [];
    }
    case 'removePasskey': {
      const { credentialId } = command;
      return findPasskey(state, credentialId) ? [{ type: 'PasskeyRemoved', data: { credentialId } }] : [];
    }
    case 'grantOperator':
      return state.operator === command.source ? [] : [{ type: 'OperatorGranted', data: { source: command.source } }];
    case 'revokeOperator':
      return state.operator === 'command' ? [{ type: 'OperatorRevoked', data: {} }] : [];
    case 'applyOperatorGroup':
      if (command.operator)
        return state.operator === null ? [{ type: 'OperatorGranted', data: { source: 'groups' } }] : [];
      return state.operator === 'groups' ? [{ type: 'OperatorRevoked', data: {} }] : [];
    default:
      return command satisfies never;
  }
};

const decide = (command: PersonCommand, state: PersonState): PersonEvent[] => {
  if (command.type === 'register')
    return state.status === 'NONE'
      ? [{ type: 'PersonRegistered', data: { email: command.email, name: command.name } }]
      : [];
  return state.status === 'NONE' ? [] : decideRegistered(command, state);
};

/**
 * A person. The id derives from the identity, so that two registrations of one email are one person. A challenge is used
 * at most once. A refused command has no events; the state says why.
 */
export const person: Decider<PersonState, PersonCommand, PersonEvent> = { initial, evolve, decide };
