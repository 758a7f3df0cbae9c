import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import { openDatabase, type Row, defaultLockTimeoutMs } from '#libs/sqlite/database.ts';
import { openGroupCommit, type Statement } from '#libs/sqlite/group-commit.ts';
import { createSmallBlobs, type SmallBlobs, smallBlobsSchema, storeBlobStatement } from '#libs/sqlite/small-blobs.ts';
import { openTail } from './sqlite-tail.ts';
import {
  EventTooLarge,
  type EventStore,
  maxEventBytes,
  type NewEvent,
  type RecordedEvent,
  RevisionConflict,
} from './port.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream   TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id       TEXT NOT NULL,
    type     TEXT NOT NULL,
    version  INTEGER NOT NULL,
    data     TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
  ${smallBlobsSchema}`;

// Positions are assigned under the write lock, and a rolled-back insert frees its position: readers see no gap.
const insertSql = `
  INSERT INTO events (stream, revision, id, type, version, data, metadata)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
  WHERE ?2 = (SELECT coalesce(max(revision), -1) + 1 FROM events WHERE stream = ?1)`;

const serialiseJson = (part: unknown, type: string): string => {
  const json: string | undefined = JSON.stringify(part);
  if (json === undefined) throw new TypeError(`event ${type} has a part that is not JSON: ${typeof part}`);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxEventBytes) throw new EventTooLarge(type, bytes);
  return json;
};

type EventRow = Omit<RecordedEvent, 'data' | 'metadata' | 'position'> & { data: string; metadata: string };

const toRow = (stream: string, revision: number, { id, type, version, data, metadata }: NewEvent): EventRow => ({
  stream,
  revision,
  id,
  type,
  version,
  data: serialiseJson(data, type),
  metadata: serialiseJson(metadata, type),
});

const insertStatement = ({ stream, revision, id, type, version, data, metadata }: EventRow): Statement => ({
  sql: insertSql,
  parameters: [stream, revision, id, type, version, data, metadata],
  changes: 1,
});

const toRecordedEvent = ({ id, type, version, data, metadata, stream, revision, position }: Row): RecordedEvent =>
  ({
    id,
    type,
    version,
    data: JSON.parse(data as string),
    metadata: JSON.parse(metadata as string),
    stream,
    revision,
    position,
  }) as RecordedEvent;

const batchSize = 256;
const otherProcessPollMs = 50;

/**
 * The event log in one SQLite file, for one process of the service and commands beside it. `lockTimeoutMs` is how long an
 * append waits for another process. `smallBlobs` are in the same file; the bytes of a deleted one are gone from all
 * files after `truncateEveryMs`, or later if another process reads or writes at that moment.
 */
export const openSqliteEventStore = (
  file: string,
  {
    lockTimeoutMs = defaultLockTimeoutMs,
    truncateEveryMs = 60_000,
  }: { lockTimeoutMs?: number; truncateEveryMs?: number } = {},
): EventStore & { smallBlobs: SmallBlobs } => {
  const reader = openDatabase(file, 'full', lockTimeoutMs);
  reader.exec(schema);
  const writer = openGroupCommit(file, schema, { lockTimeoutMs, truncateEveryMs });

  const dataVersion = (): number => Number(reader.get('PRAGMA data_version')!.data_version);
  let lastDataVersion = dataVersion();
  const changes = createChangeSignal({
    intervalMs: otherProcessPollMs,
    hasChanged: () => {
      const before = lastDataVersion;
      lastDataVersion = dataVersion();
      return lastDataVersion !== before;
    },
  });
  const closing = new AbortController();

  // If the limit were a parameter, SQLite would compile the statement again for each call.
  const readAll = (after: number, limit: number): RecordedEvent[] =>
    reader.all(`SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ${limit}`, after).map(toRecordedEvent);

  const head = (): number => Number(reader.get('SELECT coalesce(max(position), 0) AS head FROM events')!.head);
  const tail = openTail(readAll, changes, head());

  /** The position of the last of these events if all of them already follow the revision `expected`. */
  const alreadyAppended = (stream: string, events: readonly NewEvent[], expected: number): number | undefined => {
    const rows = reader.all(
      'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
      stream,
      expected,
      events.length,
    );
    return events.every(({ id }, index) => rows[index]?.id === id) ? (rows.at(-1)!.position as number) : undefined;
  };

  return {
    smallBlobs: createSmallBlobs(reader, writer),
    append: async (stream, events, expected, blobs = []) => {
      if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
      const revision = expected + events.length;
      const rows = events.map((event, index) => toRow(stream, expected + 1 + index, event));
      const result = await writer.run([
        ...blobs.map(({ sha256, bytes }) => storeBlobStatement(sha256, bytes)),
        ...rows.map(insertStatement),
      ]);
      if (result.isCommitted) {
        const { lastRowid } = result;
        const before = lastRowid - rows.length;
        tail.append(rows.map((row, index) => toRecordedEvent({ ...row, position: before + 1 + index })));
        return { revision, position: lastRowid };
      }
      const position = alreadyAppended(stream, events, expected);
      if (position === undefined) throw new RevisionConflict(stream, expected);
      return { revision, position };
    },
    read: async (stream, from = 0, limit = -1) =>
      reader
        .all('SELECT * FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?', stream, from, limit)
        .map(toRecordedEvent),
    readCached: (stream) => tail.readStream(stream),
    readAll: async (after, limit) => readAll(after, limit),
    head: async () => head(),
    subscribe: async function* (after, signal) {
      let position = after;
      const ended = AbortSignal.any([signal, closing.signal]);
      while (!ended.aborted) {
        const batch = tail.readAfter(position, batchSize);
        if (batch.length === 0) {
          await changes.waitForChange(ended);
          continue;
        }
        position = batch.at(-1)!.position;
        yield batch;
      }
    },
    close: async () => {
      closing.abort();
      await writer.close();
      reader.close();
    },
  };
};
