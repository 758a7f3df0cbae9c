import { eventTypesOf } from '#contracts/events/audit.ts';
import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { AuditDocument } from '#libs/projections/audit.ts';
import { type AuditDependencies, readEvent } from './find-events.ts';

const { audit } = readModels;
const types = [...eventTypesOf('account'), ...eventTypesOf('key')];
const newestFirst = { by: 'position', descending: true } as const;

/** A page of the events of an account and its keys, newest first, and the number of all of them. */
export const findAccountHistory = async (
  { eventLog, reads }: AuditDependencies,
  accountId: string,
  { skip, limit }: { skip: number; limit: number },
): Promise<{ events: RecordedEvent[]; total: number }> => {
  const query = { sort: newestFirst, limit: skip + limit };
  const [counts, found] = await Promise.all([
    Promise.all(types.map((type) => reads.count(audit, { accountId, type }))),
    Promise.all(types.map((type) => reads.find(audit, { ...query, where: { accountId, type } }))),
  ]);
  const documents = (found.flat() as AuditDocument[])
    .toSorted((a, b) => (a.position < b.position ? 1 : -1))
    .slice(skip, skip + limit);
  const events = await Promise.all(documents.map((document) => readEvent(eventLog, document)));
  return { events: events.filter((event) => event !== null), total: counts.reduce((sum, one) => sum + one, 0) };
};
