import { readModels } from '#contracts/names.ts';
import { maxInvitations, maxMembers } from '#libs/domain/members.ts';
import type { InvitationDocument } from '#libs/projections/invitations.ts';
import { type MemberDocument, memberIdOf } from '#libs/projections/members.ts';
import type { PersonDocument } from '#libs/projections/people.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

type Reads = Pick<ReadStore, 'find' | 'getMany'>;

/** A member and the person; the person is null while the read model does not show it yet. */
export type MemberWithPerson = { member: MemberDocument; person: PersonDocument | null };

const withPersons = async (reads: Reads, members: readonly MemberDocument[]): Promise<MemberWithPerson[]> => {
  const ids = members.map(({ personId }) => personId);
  const persons = (await reads.getMany(readModels.people, ids)) as PersonDocument[];
  const byId = new Map(persons.map((person) => [person.id, person]));
  return members.map((member) => ({ member, person: byId.get(member.personId) ?? null }));
};

/** All members of an account, the oldest first; the number is bounded. */
const membersOf = async (reads: Reads, accountId: string): Promise<MemberDocument[]> => {
  const sort = { by: 'joinedAt', descending: false };
  return (await reads.find(readModels.members, { where: { accountId }, sort, limit: maxMembers })) as MemberDocument[];
};

/** Where a page of members ends: when its last member joined, and who that is. It stays valid if that member leaves. */
const endOfPage = ({ joinedAt, personId }: MemberDocument): string => `${Date.parse(joinedAt)}-${personId}`;

const isAfter = (cursor: string, { joinedAt, personId }: MemberDocument): boolean => {
  const [time = '', id = ''] = cursor.split('-');
  const later = Date.parse(joinedAt) - Number(time);
  return later > 0 || (later === 0 && personId > id);
};

/** A page of members. `cursor` is `next` of the page before; `next` is null on the last page. */
export const findMemberPage = async (
  reads: Reads,
  accountId: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ members: MemberWithPerson[]; next: string | null }> => {
  const all = await membersOf(reads, accountId);
  const rest = cursor === undefined ? all : all.filter((member) => isAfter(cursor, member));
  const page = rest.slice(0, limit);
  return { members: await withPersons(reads, page), next: rest.length > limit ? endOfPage(page.at(-1)!) : null };
};

/** The member with this bare id; null if there is none. */
export const findMember = async (
  reads: Reads,
  accountId: string,
  personId: string,
): Promise<MemberWithPerson | null> => {
  const found = (await reads.getMany(readModels.members, [memberIdOf(accountId, personId)])) as MemberDocument[];
  return (await withPersons(reads, found))[0] ?? null;
};

/** The member with this email; null if there is none. */
export const findMemberByEmail = async (
  reads: Reads,
  accountId: string,
  email: string,
): Promise<MemberWithPerson | null> => {
  const members = await withPersons(reads, await membersOf(reads, accountId));
  return members.find(({ person }) => person?.email === email) ?? null;
};

/** The open invitations of an account, the newest first. */
export const findInvitations = async (reads: Pick<ReadStore, 'find'>, accountId: string) =>
  (await reads.find(readModels.invitations, {
    where: { accountId },
    sort: { by: 'id', descending: true },
    limit: maxInvitations,
  })) as InvitationDocument[];
