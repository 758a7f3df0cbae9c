import { type Permission, permissions } from '#contracts/events/account.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { permissionsOf, type Role } from '#contracts/roles.ts';
import { actorOf, type SignedInPerson } from '#application/people/people.ts';
import type { KeyWithAccount } from '#application/api-keys/queries.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';

/**
 * Who sends a request on behalf of an account: an API key, or a person in the dashboard. `keyId` is null for a person.
 * Renders of type `test` do not count toward the quota; those of persons are of this type.
 */
export type Caller = {
  account: AccountDocument;
  actor: Actor;
  permissions: readonly Permission[];
  keyId: string | null;
  keyType: 'live' | 'test';
};

/** A person with this role in the account; an operator has all permissions, and needs no role. */
export const callerOfPerson = (person: SignedInPerson, account: AccountDocument, role: Role | null): Caller => ({
  account,
  actor: actorOf(person),
  permissions: person.isOperator ? permissions : role === null ? [] : permissionsOf(role),
  keyId: null,
  keyType: 'test',
});

export const callerOfKey = ({ key, account }: KeyWithAccount): Caller => ({
  account,
  actor: { kind: 'key', id: key.id },
  permissions: key.permissions,
  keyId: key.id,
  keyType: key.keyType,
});
