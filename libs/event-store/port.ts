import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { Metadata } from '#contracts/events/metadata.ts';

/** An event to append. `id` is globally unique, so that a repeated append does no harm. */
export type NewEvent<Event extends EventOf = EventOf> = Event & { id: string; version: number; metadata: Metadata };

/**
 * An event in the event log: a union discriminated by `type`. `revision` counts from 0 within the stream. `position` orders
 * all events of the log and only increases.
 */
export type RecordedEvent<Event extends EventOf = EventOf> = NewEvent<Event> & {
  stream: string;
  revision: number;
  position: number;
};

/** The revision of the last event of the stream; `-1` expects a stream without events. */
export type ExpectedRevision = number;
export const noStream: ExpectedRevision = -1;

export class RevisionConflict extends Error {
  constructor(stream: string, expected: ExpectedRevision) {
    super(`stream ${stream} is not at revision ${expected}`);
    this.name = 'RevisionConflict';
  }
}

/** The maximum size of the data and of the metadata of an event, each in UTF-8 bytes of JSON, on every engine. */
export const maxEventBytes = 64 * 1024;

export class EventTooLarge extends Error {
  constructor(type: string, bytes: number) {
    super(`event ${type} has ${bytes} bytes; at most ${maxEventBytes} are allowed`);
    this.name = 'EventTooLarge';
  }
}

/** A blob that an event names. `bytes` is no slice of a larger buffer, and does not change before the append resolves. */
export type AppendedBlob = { sha256: string; bytes: Uint8Array };

export type EventStore = {
  /**
   * Appends all events or none, durably. Returns the revision and position of the last one. A repeated append of the same
   * events (by id) at the same revision has no effect and returns the same. `events` must not be empty, and `data` must be
   * JSON. `blobs` are stored with them; only for a blob store with `maxAppendedBytes`.
   * @throws RevisionConflict, EventTooLarge
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
    blobs?: readonly AppendedBlob[],
  ): Promise<{ revision: number; position: number }>;
  /** The events of a stream from revision `from` on, oldest first, at most `limit`; empty if there are none. */
  read(stream: string, from?: number, limit?: number): Promise<RecordedEvent[]>;
  /**
   * The events of a stream from the first on, if this process appended or received them recently, otherwise null. The
   * newest events may be missing: then an append fails with a RevisionConflict, and the caller reads the stream.
   */
  readCached(stream: string): readonly RecordedEvent[] | null;
  /** At most `limit` events of the whole log after the position `after`, oldest first. */
  readAll(after: number, limit: number): Promise<RecordedEvent[]>;
  /** The position of the newest event; 0 for an empty log. */
  head(): Promise<number>;
  /**
   * All events after the position `after`, in order and without gaps, in batches. Waits for new events, also of other
   * processes, until `signal` aborts or the store is closed.
   */
  subscribe(after: number, signal: AbortSignal): AsyncIterable<RecordedEvent[]>;
  /** Waits for running appends; rejects later ones. */
  close(): Promise<void>;
};
