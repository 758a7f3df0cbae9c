import { readModels } from '#contracts/names.ts';
import type { EventType } from '#contracts/events/event-schemas.ts';
import { type AuditDocument, positionText } from '#libs/projections/audit.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { type LiveEvent, liveEventOf } from './event-feed.ts';

/** The most events of its account that a reader who connects again gets. */
export const maxMissedEvents = 2_000;
const maxWaitMs = 2_000;

/**
 * Returns a function that reads the events of an account after one position up to another. It reads the audit, which has
 * an index by account, so the events of other accounts cost nothing. 'too many' also if the audit is behind `until` for
 * two seconds: then the events are unknown.
 */
export const createMissedEventReader =
  (reads: Pick<ReadStore, 'find' | 'waitForCheckpoint'>) =>
  async (accountId: string, after: number, until: number): Promise<LiveEvent[] | 'too many'> => {
    if (after >= until) return [];
    if (!(await reads.waitForCheckpoint(readModels.audit, until, maxWaitMs))) return 'too many';
    const found = (await reads.find(readModels.audit, {
      where: { accountId },
      range: { by: 'position', from: positionText(after + 1), before: positionText(until + 1) },
      sort: { by: 'position', descending: false },
      limit: maxMissedEvents + 1,
    })) as AuditDocument[];
    if (found.length > maxMissedEvents) return 'too many';
    return found.flatMap(
      ({ type, stream, position }) =>
        liveEventOf({ type: type as EventType, stream, position: Number(position) }) ?? [],
    );
  };
