import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { streams } from '#contracts/names.ts';
import { loadAggregate, newCause } from '#application/command-handling/aggregate.ts';
import { person } from '#libs/domain/person.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { newId } from '#libs/ids/ulids.ts';
import { type Challenge, signInByPasskey } from './passkeys.ts';

const eventLogOf = (store: EventStore) => ({ store, now: () => new Date('2026-05-20T12:00:00.000Z') });
const origin = 'https://pdf.example.com';
const credentialId = Buffer.from('credential').toString('base64url');
const cause = newCause({ kind: 'person', name: 'tests' }, null);
const [presence, verification] = [1, 4] as const;

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** A public key in the form of COSE (RFC 9053, 7.1.1): EC2, ES256, P-256. */
const coseKeyOf = (publicKey: KeyObject): string => {
  const { x, y } = publicKey.export({ format: 'jwk' });
  const coordinate = (text: string): string => `5820${Buffer.from(text, 'base64url').toString('hex')}`;
  return Buffer.from(`a501020326200121${coordinate(x!)}22${coordinate(y!)}`, 'hex').toString('base64url');
};

let folder: string;
let store: EventStore;
let personId: string;
let keys: ReturnType<typeof newKey>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-passkeys-'));
  store = openSqliteEventStore(join(folder, 'log.db'));
  [personId, keys] = [newId(), newKey()];
  const { aggregate } = await loadAggregate(eventLogOf(store), person, streams.person(personId));
  const passkey = { credentialId, publicKey: coseKeyOf(keys.publicKey), counter: 7, transports: [], name: 'Phone' };
  await aggregate.execute({ type: 'register', email: 'ada@example.com', name: 'Ada' }, cause);
  await aggregate.execute({ type: 'addPasskey', passkey, challengeId: 'first' }, cause);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const challengeOf = (text: string): Challenge => ({
  id: `id of ${text}`,
  text: Buffer.from(text).toString('base64url'),
  origin,
});

/** How an authenticator differs from the right one. */
type Changes = Partial<{
  key: KeyObject;
  pageOrigin: string;
  host: string;
  flags: number;
  counter: number;
  signed: Challenge;
}>;

/** Signs in with what an authenticator makes of the challenge (WebAuthn, 6.3.3). */
const signIn = (challenge: Challenge, changes: Changes = {}, user = personId) => {
  const { key = keys.privateKey, pageOrigin = origin, host = 'pdf.example.com', signed = challenge } = changes;
  const { flags = presence | verification, counter = 8 } = changes;
  const client = JSON.stringify({ type: 'webauthn.get', challenge: signed.text, origin: pageOrigin });
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const data = Buffer.concat([sha256(host), Buffer.from([flags]), count]);
  const response = {
    clientDataJSON: Buffer.from(client).toString('base64url'),
    authenticatorData: data.toString('base64url'),
    signature: sign('sha256', Buffer.concat([data, sha256(client)]), key).toString('base64url'),
    userHandle: Buffer.from(user).toString('base64url'),
  };
  return signInByPasskey(
    eventLogOf(store),
    { id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {}, response },
    challenge,
    { userAgent: null, correlationId: newId(), traceparent: null },
  );
};
const refused = { fields: { name: 'sign_in_failed' } };

it('A passkey signs its person in, once for each challenge, and its counter rises', async () => {
  expect(await signIn(challengeOf('one'))).toMatchObject({ personId });
  await expect(signIn(challengeOf('one'), { counter: 9 })).rejects.toMatchObject(refused);
  await expect(signIn(challengeOf('two'))).rejects.toMatchObject(refused);
  expect(await signIn(challengeOf('two'), { counter: 9 })).toMatchObject({ personId });
});

it.each<[string, () => Changes]>([
  ['another key', () => ({ key: newKey().privateKey })],
  ['a page of another origin', () => ({ pageOrigin: 'https://pdf.example.org' })],
  ['another host', () => ({ host: 'example.com' })],
  ['an unlocked device without a check of the person', () => ({ flags: presence })],
  ['a counter that a copy has used', () => ({ counter: 7 })],
  ['another challenge', () => ({ signed: challengeOf('other') })],
])('A passkey does not sign in with %s', async (_, changes) => {
  await expect(signIn(challengeOf('one'), changes())).rejects.toMatchObject(refused);
});

it('A passkey does not sign another person in', async () => {
  const other = newId();
  const { aggregate } = await loadAggregate(eventLogOf(store), person, streams.person(other));
  await aggregate.execute({ type: 'register', email: 'bob@example.com', name: 'Bob' }, cause);
  for (const user of [other, newId(), 'x', ''])
    await expect(signIn(challengeOf('one'), {}, user)).rejects.toMatchObject(refused);
});
