import { describe, expect, it } from 'vitest';
import type { PersonEvent } from '#contracts/events/people.ts';
import { fold } from './decider.ts';
import { maxPasskeys, person, type PersonCommand } from './person.ts';
import { given } from './testing/given.ts';

const registered: PersonEvent = { type: 'PersonRegistered', data: { email: 'ada@example.com', name: 'Ada' } };
const passkey = { credentialId: 'c1', publicKey: 'k', counter: 0, transports: [], name: 'Laptop' };
const added: PersonEvent = { type: 'PasskeyAdded', data: { ...passkey, challengeId: 'first' } };
const add = (credentialId: string, challengeId: string): PersonCommand => ({
  type: 'addPasskey',
  passkey: { ...passkey, credentialId },
  challengeId,
});
const signIn = (challengeId: string): PersonCommand => ({
  type: 'signInWithPasskey',
  sessionId: 's',
  challengeId,
  credentialId: 'c1',
  counter: 3,
});

describe('A person', () => {
  it('is registered once; before, nothing else happens', () => {
    expect(given(person).when({ type: 'register', email: 'ada@example.com', name: 'Ada' })).toEqual([registered]);
    expect(given(person, registered).when({ type: 'register', email: null, name: 'x' })).toEqual([]);
    expect(given(person).when(add('c1', 'x'))).toEqual([]);
    expect(given(person).when({ type: 'grantOperator', source: 'command' })).toEqual([]);
  });

  it('uses each challenge once, whatever it is for', () => {
    expect(given(person, registered, added).when(signIn('first'))).toEqual([]);
    const events = given(person, registered, added).when(signIn('second'));
    expect(events.map(({ type }) => type)).toEqual(['PasskeyUsed', 'PersonSignedIn']);
    expect(given(person, registered, added, ...events).when(signIn('second'))).toEqual([]);
    expect(given(person, registered, added, ...events).when(add('c2', 'second'))).toEqual([]);
    const oidc: PersonCommand = { type: 'signIn', method: 'oidc', sessionId: 's', challengeId: 'second' };
    expect(given(person, registered, added, ...events).when(oidc)).toEqual([]);
  });

  it('remembers the counter of a passkey', () => {
    const events = given(person, registered, added).when(signIn('second'));
    expect(fold(person, [registered, added, ...events])).toMatchObject({ passkeys: [{ counter: 3 }] });
  });

  it('adds a passkey once, up to the maximum', () => {
    expect(given(person, registered, added).when(add('c1', 'second'))).toEqual([]);
    const many = Array.from({ length: maxPasskeys }, (_, index) => add(`c${index}`, `challenge ${index}`));
    const history = many.reduce<PersonEvent[]>(
      (all, one) => [...all, ...given(person, ...all).when(one)],
      [registered],
    );
    expect(history).toHaveLength(maxPasskeys + 1);
    expect(given(person, ...history).when(add('another', 'another'))).toEqual([]);
  });

  it('renames and removes a passkey, which then signs in no more', () => {
    const rename: PersonCommand = { type: 'renamePasskey', credentialId: 'c1', name: 'Desk' };
    expect(given(person, registered, added).when(rename)).toHaveLength(1);
    expect(given(person, registered, added).when({ ...rename, name: 'Laptop' })).toEqual([]);
    const removed = given(person, registered, added).when({ type: 'removePasskey', credentialId: 'c1' });
    expect(removed).toHaveLength(1);
    expect(given(person, registered, added, ...removed).when(signIn('second'))).toEqual([]);
    expect(given(person, registered, added, ...removed).when(rename)).toEqual([]);
  });

  it('stays an operator by command when the groups name none', () => {
    const byCommand: PersonEvent = { type: 'OperatorGranted', data: { source: 'command' } };
    const byGroups: PersonEvent = { type: 'OperatorGranted', data: { source: 'groups' } };
    const none: PersonCommand = { type: 'applyOperatorGroup', operator: false };
    expect(given(person, registered, byCommand).when(none)).toEqual([]);
    expect(given(person, registered, byGroups).when(none)).toEqual([{ type: 'OperatorRevoked', data: {} }]);
    expect(given(person, registered).when({ ...none, operator: true })).toEqual([byGroups]);
    expect(given(person, registered, byGroups).when({ type: 'grantOperator', source: 'command' })).toEqual([byCommand]);
  });
});
