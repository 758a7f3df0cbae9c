import { eventSchemas, isEventType } from '#contracts/events/event-schemas.ts';
import { metadata } from '#contracts/events/metadata.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';

/** `positions`: `contiguous` in a log whose positions count its events, else `any`. */
export type EventLogCheckOptions = { positions: 'contiguous' | 'any' };
/** `endPosition` is the last position that was read. */
export type EventLogCheckResult = { eventCount: number; endPosition: number; problems: string[] };

const batchSize = 500;
/** Further problems are probably of the same kind. */
const maxProblems = 100;

const describePosition = ({ stream, revision, position }: RecordedEvent): string =>
  `position ${position} (${stream}, revision ${revision})`;

const findSchemaProblem = (event: RecordedEvent): string | null => {
  if (!isEventType(event.type)) return `there is no event type ${String(event.type)}`;
  const issue = [eventSchemas[event.type].safeParse(event.data), metadata.safeParse(event.metadata)].find(
    ({ success }) => !success,
  )?.error?.issues[0];
  return issue ? `the ${event.type} is not valid: ${issue.path.join('.')}: ${issue.message}` : null;
};

/**
 * Reads the event log after a position. Checks that every event is valid and that revisions and positions have no gaps.
 * Calls `onEvent` for each valid event.
 */
export const checkEventLog = async (
  store: Pick<EventStore, 'readAll'>,
  { positions }: EventLogCheckOptions,
  onEvent: (event: RecordedEvent) => void,
  after = 0,
): Promise<EventLogCheckResult> => {
  const revisions = new Map<string, number>();
  const problems: string[] = [];
  let [eventCount, endPosition] = [0, after];

  const checkEvent = (event: RecordedEvent): void => {
    if (positions === 'contiguous' && event.position !== endPosition + 1)
      problems.push(
        `After position ${endPosition} comes ${describePosition(event)}: the events in between are missing.`,
      );
    const expected = (revisions.get(event.stream) ?? -1) + 1;
    // A stream that is read from the middle can start at any revision.
    if (event.revision !== expected && (after === 0 || revisions.has(event.stream)))
      problems.push(`At ${describePosition(event)} the stream should be at revision ${expected}.`);
    const schemaProblem = findSchemaProblem(event);
    if (schemaProblem === null) onEvent(event);
    else problems.push(`At ${describePosition(event)} ${schemaProblem}.`);
    revisions.set(event.stream, event.revision);
    eventCount += 1;
    endPosition = event.position;
  };

  /** Null if the batch cannot be read. A single unreadable event is reported, and skipped if positions are contiguous. */
  const read = async (limit: number): Promise<RecordedEvent[] | null> => {
    try {
      return await store.readAll(endPosition, limit);
    } catch (error) {
      if (limit > 1) return null;
      problems.push(`The event after position ${endPosition} cannot be read: ${(error as Error).message}.`);
      if (positions !== 'contiguous') throw error;
      endPosition += 1;
      return null;
    }
  };

  let limit = batchSize;
  while (problems.length < maxProblems) {
    const batch = await read(limit);
    limit = batch === null ? 1 : batchSize;
    batch?.forEach(checkEvent);
    if (batch?.length === 0) break;
  }
  return { eventCount, endPosition, problems };
};
