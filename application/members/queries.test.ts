import { expect, test } from 'vitest';
import type { MemberDocument } from '#libs/projections/members.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { findMemberPage } from './queries.ts';

/** The members of an account, sorted as the read store does it: by the time of joining, then by id. */
const readsOf = (...joined: [personId: string, second: number][]): Pick<ReadStore, 'find' | 'getMany'> => {
  const documents = joined.map(
    ([personId, second]) =>
      ({ id: `a-${personId}`, personId, joinedAt: `2026-05-20T12:00:0${second}.000Z` }) as MemberDocument,
  );
  return { find: async () => documents, getMany: async () => [] };
};
const idsOf = ({ members }: Awaited<ReturnType<typeof findMemberPage>>): string[] =>
  members.map(({ member }) => member.personId);

test.each([
  [
    'joined later, with any id',
    [
      ['Z', 1],
      ['M', 2],
      ['A', 3],
    ],
    ['A'],
  ],
  [
    'joined at the same time, with a larger id',
    [
      ['A', 1],
      ['M', 1],
      ['Z', 1],
    ],
    ['Z'],
  ],
] as const)('A page of members goes on with those who %s', async (_, joined, expected) => {
  const reads = readsOf(...joined.map(([id, second]): [string, number] => [id, second]));
  const { next } = await findMemberPage(reads, 'a', { limit: 2 });
  expect(next).not.toBeNull();
  const rest = await findMemberPage(reads, 'a', { cursor: next!, limit: 2 });
  expect([idsOf(rest), rest.next]).toEqual([expected, null]);
});
