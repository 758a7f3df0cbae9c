import { eventSchemas, isEventType } from '#contracts/events/event-schemas.ts';
import { metadata } from '#contracts/events/metadata.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';

/** `positions`: whether the log has no gaps between positions, as where they are numbers of events. */
export type EventLogCheckOptions = { positions: 'without gaps' | 'any' };
/** `end` is the position up to which it was read. */
export type EventLogCheckResult = { eventCount: number; endPosition: number; problems: string[] };

const batchSize = 500;
/** Further problems are of the same kind, most probably. */
const maxProblems = 100;

const describePosition = ({ stream, revision, position }: RecordedEvent): string =>
  `position ${position} (${stream}, revision ${revision})`;

const findSchemaProblem = (event: RecordedEvent): string | null => {
  if (!isEventType(event.type)) return `there is no event ${String(event.type)}`;
  const issue = [eventSchemas[event.type].safeParse(event.data), metadata.safeParse(event.metadata)].find(
    ({ success }) => !success,
  )?.error?.issues[0];
  return issue ? `the ${event.type} is not valid: ${issue.path.join('.')}: ${issue.message}` : null;
};

/** Reads the whole log after a position: every event must be valid, each stream's revisions and the log's positions without gaps. Valid events are told to `each`. */
export const checkEventLog = async (
  store: Pick<EventStore, 'readAll'>,
  { positions }: EventLogCheckOptions,
  each: (event: RecordedEvent) => void,
  after = 0,
): Promise<EventLogCheckResult> => {
  const revisions = new Map<string, number>();
  const problems: string[] = [];
  let [events, end] = [0, after];

  const look = (event: RecordedEvent): void => {
    if (positions === 'without gaps' && event.position !== end + 1)
      problems.push(`After position ${end} comes ${describePosition(event)}: what was in between is gone.`);
    const expected = (revisions.get(event.stream) ?? -1) + 1;
    // What is read from the middle begins anywhere.
    if (event.revision !== expected && (after === 0 || revisions.has(event.stream)))
      problems.push(`At ${describePosition(event)} the stream should be at revision ${expected}.`);
    const wrong = findSchemaProblem(event);
    if (wrong === null) each(event);
    else problems.push(`At ${describePosition(event)} ${wrong}.`);
    revisions.set(event.stream, event.revision);
    events += 1;
    end = event.position;
  };

  /** Null where it could not be read; a single event that cannot be is told and passed over, where it is known what comes next. */
  const read = async (limit: number): Promise<RecordedEvent[] | null> => {
    try {
      return await store.readAll(end, limit);
    } catch (error) {
      if (limit > 1) return null;
      problems.push(`The event after position ${end} cannot be read: ${(error as Error).message}.`);
      if (positions !== 'without gaps') throw error;
      end += 1;
      return null;
    }
  };

  let limit = batchSize;
  while (problems.length < maxProblems) {
    const batch = await read(limit);
    limit = batch === null ? 1 : batchSize;
    batch?.forEach(look);
    if (batch?.length === 0) break;
  }
  return { eventCount: events, endPosition: end, problems };
};
