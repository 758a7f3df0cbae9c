import type { Metadata } from '#contracts/events/metadata.ts';
import { openDatabase, type Row } from '#libs/sqlite/database.ts';
import { openGroupCommit, type Statement } from '#libs/sqlite/group-commit.ts';
import { EventTooLarge, type EventStore, maxEventBytes, type NewEvent, type RecordedEvent, RevisionConflict } from './port.ts';

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
  ) STRICT`;

// The position is given out under the write lock, and an undone insert gives it back: readers see no gap.
const insert = `
  INSERT INTO events (stream, revision, id, type, version, data, metadata)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
  WHERE ?2 = (SELECT coalesce(max(revision), -1) + 1 FROM events WHERE stream = ?1)`;

const serialised = (part: unknown, type: string): string => {
  const json = JSON.stringify(part);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxEventBytes) throw new EventTooLarge(type, bytes);
  return json;
};

const statementOf = (stream: string, revision: number, event: NewEvent): Statement => ({
  sql: insert,
  parameters: [stream, revision, event.id, event.type, event.version, serialised(event.data, event.type), serialised(event.metadata, event.type)],
  changes: 1,
});

const recorded = (row: Row): RecordedEvent => ({
  id: row.id as string,
  type: row.type as string,
  version: row.version as number,
  data: JSON.parse(row.data as string),
  metadata: JSON.parse(row.metadata as string) as Metadata,
  stream: row.stream as string,
  revision: row.revision as number,
  position: row.position as number,
});

const batchSize = 256;
const otherProcessPollMs = 50;

/** The log in one SQLite file; `file` may be shared by processes of one machine. */
export const openSqliteEventStore = (file: string): EventStore => {
  const reader = openDatabase(file, 'full');
  reader.run(schema);
  const writer = openGroupCommit(file, schema);
  const sleepers = new Set<() => void>();
  const wake = (): void => {
    for (const wakeOne of sleepers) wakeOne();
    sleepers.clear();
  };

  const dataVersion = (): number => Number(reader.get('PRAGMA data_version')!.data_version);
  let seen = dataVersion();
  const poll = setInterval(() => {
    const now = dataVersion();
    if (now !== seen) wake();
    seen = now;
  }, otherProcessPollMs);
  poll.unref();

  const asleep = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      sleepers.add(done);
    });

  const readAll = (after: number, limit: number): RecordedEvent[] =>
    reader.all('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?', after, limit).map(recorded);

  const lastOf = (stream: string, revision: number): { id: string; position: number } | undefined =>
    reader.get('SELECT id, position FROM events WHERE stream = ? AND revision = ?', stream, revision) as { id: string; position: number } | undefined;

  return {
    append: async (stream, events, expected) => {
      const revision = expected + events.length;
      const { kept } = await writer.run(events.map((event, index) => statementOf(stream, expected + 1 + index, event)));
      const last = lastOf(stream, revision);
      if (!last || last.id !== events.at(-1)!.id) throw new RevisionConflict(stream, expected);
      if (kept) wake();
      return { revision, position: last.position };
    },
    read: async (stream, from = 0) =>
      reader.all('SELECT * FROM events WHERE stream = ? AND revision >= ? ORDER BY revision', stream, from).map(recorded),
    readAll: async (after, limit) => readAll(after, limit),
    head: async () => Number(reader.get('SELECT coalesce(max(position), 0) AS head FROM events')!.head),
    subscribe: async function* (after, signal) {
      let position = after;
      while (!signal.aborted) {
        const sleeping = asleep(signal);
        const batch = readAll(position, batchSize);
        if (batch.length === 0) {
          await sleeping;
          continue;
        }
        position = batch.at(-1)!.position;
        yield batch;
      }
    },
    close: async () => {
      clearInterval(poll);
      await writer.close();
      reader.close();
    },
  };
};
