import { readModels } from '#contracts/names.ts';
import { type AuditDocument, positionText } from '#libs/projections/audit.ts';
import type { Query, ReadStore } from '#libs/read-store/port.ts';

/**
 * The position, as text, from which on the account's events are at or after a time (ISO 8601); beyond the last event if
 * all are before it. A binary search, because the event log is in the order of positions, which is that of the times
 * except for differences between the clocks of machines.
 */
export const firstPositionAt = async (
  reads: Pick<ReadStore, 'find'>,
  accountId: string,
  time: string,
): Promise<string> => {
  const at = new Date(time).toISOString();
  const next = async (from: number, descending = false): Promise<AuditDocument | undefined> => {
    const query: Query = {
      where: { accountId },
      range: { by: 'position', from: positionText(from) },
      sort: { by: 'position', descending },
      limit: 1,
    };
    return ((await reads.find(readModels.audit, query)) as AuditDocument[])[0];
  };
  const [first, last] = [await next(0), await next(0, true)];
  if (first === undefined || first.time >= at) return positionText(0);
  if (last!.time < at) return positionText(Number(last!.position) + 1);
  // The event at `before` is before the time. The first event at or after `notBefore` is not.
  let before = Number(first.position);
  let notBefore = Number(last!.position);
  while (notBefore - before > 1) {
    const middle = before + Math.floor((notBefore - before) / 2);
    const found = (await next(middle))!;
    if (found.time < at) before = Number(found.position);
    else notBefore = middle;
  }
  return positionText(notBefore);
};
