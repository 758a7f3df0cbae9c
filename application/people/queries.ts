import { readModels } from '#contracts/names.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { MemberDocument } from '#libs/projections/members.ts';
import type { SessionDocument } from '#libs/projections/sessions.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { scanPage } from '#libs/read-store/scan-page.ts';
import type { SignedInPerson } from './people.ts';

const maxAccounts = 1_000;

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

/**
 * A page of the sessions of a person that have not ended, the newest first: at most `limit`, and fewer if many have ended.
 * `before` is the bare id of the last session of the previous page. `next` is the `before` of the next page; null on the
 * last page.
 */
export const findSessionPage = async (
  reads: Pick<ReadStore, 'find'>,
  personId: string,
  { before, limit }: { before?: string | undefined; limit: number },
  now: Date,
): Promise<{ sessions: SessionDocument[]; next: string | null }> => {
  const scan = { where: { personId }, before, limit };
  const { documents, next } = await scanPage<SessionDocument>(
    reads,
    readModels.sessions,
    scan,
    ({ expiresAt }) => expiresAt >= now.toISOString(),
  );
  return { sessions: documents, next };
};
