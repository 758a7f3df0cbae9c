import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { Metadata } from '#contracts/events/metadata.ts';

/** An event to be appended. `id` is unique for ever and makes a repeated append harmless. */
export type NewEvent<Event extends EventOf = EventOf> = Event & { id: string; version: number; metadata: Metadata };

/** An event as the log has it: a union that its `type` tells apart. `revision` counts from 0 within the stream; `position` orders all events of the log, and only grows. */
export type RecordedEvent<Event extends EventOf = EventOf> = NewEvent<Event> & {
  stream: string;
  revision: number;
  position: number;
};

/** `-1` expects a stream without events. */
export type ExpectedRevision = number;
export const noStream: ExpectedRevision = -1;

export class RevisionConflict extends Error {
  constructor(stream: string, expected: ExpectedRevision) {
    super(`stream ${stream} is not at revision ${expected}`);
    this.name = 'RevisionConflict';
  }
}

/** Events of one append are at most this large, in UTF-8 bytes of data and metadata each, on every engine. */
export const maxEventBytes = 64 * 1024;

export class EventTooLarge extends Error {
  constructor(type: string, bytes: number) {
    super(`event ${type} has ${bytes} bytes; at most ${maxEventBytes} are allowed`);
    this.name = 'EventTooLarge';
  }
}

export type EventStore = {
  /**
   * Appends all events or none, durably, and answers with the last one's revision and position.
   * The same events (by id) at the same revision again are the same append, and answer the same.
   * There is at least one event, and `data` is JSON.
   * @throws RevisionConflict, EventTooLarge
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<{ revision: number; position: number }>;
  /** The events of a stream from revision `from` on, oldest first; empty where there are none. */
  read(stream: string, from?: number): Promise<RecordedEvent[]>;
  /**
   * The events of a stream from its first on, where a subscription of this process has brought them lately, else null. The last ones
   * may be missing: an append that is decided on them may meet a RevisionConflict, and the stream is read then.
   * An engine that reads at once has no need of it.
   */
  readCached?(stream: string): readonly RecordedEvent[] | null;
  /** At most `limit` events of the whole log after `position`, oldest first. */
  readAll(after: number, limit: number): Promise<RecordedEvent[]>;
  /** The position of the newest event; 0 for an empty log. */
  head(): Promise<number>;
  /**
   * All events after `position`, in order and without gaps, in batches; waits for new ones, those of other processes included, until `signal` aborts or the store is closed.
   */
  subscribe(after: number, signal: AbortSignal): AsyncIterable<RecordedEvent[]>;
  /** Waits for the appends under way; later ones are refused. */
  close(): Promise<void>;
};
