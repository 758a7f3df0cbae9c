import { readModels } from '#contracts/names.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { MemberDocument } from '#libs/projections/members.ts';
import type { SessionDocument } from '#libs/projections/sessions.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { SignedInPerson } from './people.ts';

const maxAccounts = 1_000;
const maxSessions = 100;

type Reads = Pick<ReadStore, 'find' | 'getMany'>;

/** The memberships of a person, the oldest first. */
const membershipsOf = async (reads: Reads, personId: string): Promise<MemberDocument[]> =>
  (await reads.find(readModels.members, {
    where: { personId },
    sort: { by: 'joinedAt', descending: false },
    limit: maxAccounts,
  })) as MemberDocument[];

/**
 * The bare ids of the accounts that a person can act for without naming one, the first choice first. An operator who is
 * a member of none gets the first account of the installation.
 */
export const accountIdsOf = async (
  reads: Reads,
  { personId, isOperator }: Pick<SignedInPerson, 'personId' | 'isOperator'>,
): Promise<string[]> => {
  const memberships = await membershipsOf(reads, personId);
  if (memberships.length > 0 || !isOperator) return memberships.map(({ accountId }) => accountId);
  return ((await reads.find(readModels.accounts, { where: {}, limit: 1 })) as AccountDocument[]).map(({ id }) => id);
};

/** The accounts of which a person is a member, with the role, by joining. */
export const accountsOf = async (reads: Reads, personId: string) => {
  const memberships = await membershipsOf(reads, personId);
  const ids = memberships.map(({ accountId }) => accountId);
  const found = (await reads.getMany(readModels.accounts, ids)) as AccountDocument[];
  const byId = new Map(found.map((account) => [account.id, account]));
  return memberships.flatMap(({ accountId, role }) => {
    const account = byId.get(accountId);
    return account ? [{ account, role }] : [];
  });
};

/** The sessions of a person that have not ended, the one that was used last first. */
export const sessionsOf = async (reads: Reads, personId: string, now: Date): Promise<SessionDocument[]> =>
  (await reads.find(readModels.sessions, {
    where: { personId },
    range: { by: 'expiresAt', from: now.toISOString() },
    sort: { by: 'expiresAt', descending: true },
    limit: maxSessions,
  })) as SessionDocument[];
