import { readModels } from '#contracts/names.ts';
import { highestRole, type Role } from '#contracts/roles.ts';
import { type Cause, type EventLog, newCause } from '#application/command-handling/aggregate.ts';
import { changeMembers } from '#application/members/commands.ts';
import { newId } from '#libs/ids/ulids.ts';
import type { ProviderPerson } from '#libs/oidc/identity-provider.ts';
import type { MemberDocument } from '#libs/projections/members.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { type Identity, personIdFrom, profileOf } from './identity.ts';
import { actorOf } from './people.ts';
import { registerPerson, type SignIn, type SignInOrigin, startSignedInSession } from './sign-in.ts';

/** What the members of a group of the identity provider are. `accountId` is bare. */
export type GroupRole = { group: string } & ({ kind: 'member'; accountId: string; role: Role } | { kind: 'operator' });

const maxMemberships = 1_000;

/** The accounts that the groups name, or that the person joined by a group earlier, each with the present role. */
const rolesByAccount = async (
  reads: Pick<ReadStore, 'find'>,
  personId: string,
  groups: readonly string[],
  mapping: readonly GroupRole[],
): Promise<Map<string, Role | null>> => {
  const where = { personId };
  const joined = (await reads.find(readModels.members, { where, limit: maxMemberships })) as MemberDocument[];
  const earlier = joined.filter(({ source }) => source === 'groups').map(({ accountId }) => accountId);
  const rules = mapping.filter((rule) => rule.kind === 'member');
  const ids = new Set([...earlier, ...rules.map(({ accountId }) => accountId)]);
  const roleIn = (id: string): Role | null =>
    highestRole(
      rules.filter(({ accountId, group }) => accountId === id && groups.includes(group)).map(({ role }) => role),
    );
  return new Map([...ids].map((id) => [id, roleIn(id)]));
};

/**
 * Signs in a person whom the identity provider has confirmed. The groups decide at each sign-in: a role by a group ends
 * when the person has left the group. A verified email is the identity; else the subject of the provider.
 * @throws ApiError sign_in_failed if the sign-in was completed before
 */
export const signInByProvider = async (
  { eventLog, reads }: { eventLog: EventLog; reads: Pick<ReadStore, 'find'> },
  { issuer, mapping }: { issuer: string; mapping: readonly GroupRole[] },
  { subject, email, name, groups }: ProviderPerson,
  challengeId: string,
  { userAgent, ...origin }: SignInOrigin,
): Promise<SignIn> => {
  const identity: Identity = email === null ? { kind: 'subject', issuer, subject, name } : { kind: 'email', email };
  const personId = personIdFrom(identity);
  const profile = profileOf(identity);
  const actor = actorOf({ personId, name: profile.name });
  const causeIn = (accountId: string | null): Cause => newCause(actor, accountId, origin);
  const aggregate = await registerPerson(eventLog, { personId, ...profile }, causeIn(null));
  const operator = mapping.some((rule) => rule.kind === 'operator' && groups.includes(rule.group));
  await aggregate.execute({ type: 'applyOperatorGroup', operator }, causeIn(null));
  for (const [accountId, role] of await rolesByAccount(reads, personId, groups, mapping))
    await changeMembers(eventLog, accountId, { type: 'applyGroups', personId, role }, causeIn(accountId));
  const sessionId = newId(eventLog.now());
  return startSignedInSession(
    eventLog,
    aggregate,
    { personId, sessionId, method: 'oidc', challengeId, userAgent },
    causeIn(null),
  );
};
