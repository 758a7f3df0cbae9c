import { openSync, readFileSync, writeSync } from 'node:fs';

export type ProposedEvent = { id: string; type: string; contentType: string; data: Buffer; metadata: Buffer };
export type StoredEvent = ProposedEvent & { stream: string; revision: number; position: number; createdMs: number };
export type ExpectedStreamState = number | 'any' | 'no_stream' | 'stream_exists';

/** `revision` and `position` are those of the last event, new or repeated; `current` -1 is a stream without events. */
export type AppendOutcome =
  { kind: 'written' | 'repeated'; revision: number; position: number } | { kind: 'wrong version'; current: number };

export type StandInEventLog = {
  append(stream: string, events: readonly ProposedEvent[], expected: ExpectedStreamState): AppendOutcome;
  all: readonly StoredEvent[];
  eventsOfStream(stream: string): readonly StoredEvent[];
  /** The index in `all` of the first event at this position or later. */
  indexFrom(position: number): number;
  onAppend(listener: () => void): () => void;
};

/** After this many appends a system event follows, like the statistics of a real server. */
const appendsBetweenStatistics = 7;
const statistics = (): ProposedEvent => ({
  id: crypto.randomUUID(),
  type: '$statsCollected',
  contentType: 'application/json',
  data: Buffer.from('{"proc-mem":1}'),
  metadata: Buffer.alloc(0),
});

const toLine = (events: readonly StoredEvent[]): string =>
  `${JSON.stringify(
    events.map((event) => ({
      ...event,
      data: event.data.toString('base64'),
      metadata: event.metadata.toString('base64'),
    })),
  )}\n`;

const fromLine = (line: string): StoredEvent[] =>
  (JSON.parse(line) as (Omit<StoredEvent, 'data' | 'metadata'> & { data: string; metadata: string })[]).map(
    (event) => ({ ...event, data: Buffer.from(event.data, 'base64'), metadata: Buffer.from(event.metadata, 'base64') }),
  );

/** The last event if all events are already stored in order after the expected revision. */
const lastOfRepeatedAppend = (
  stored: readonly StoredEvent[],
  events: readonly ProposedEvent[],
  expected: number,
): StoredEvent | undefined => {
  const first = expected + 1;
  return events.every(({ id }, index) => stored[first + index]?.id === id)
    ? stored[first + events.length - 1]
    : undefined;
};

/** Null if no revision is expected. */
const revisionOf = (expected: ExpectedStreamState): number | null =>
  expected === 'no_stream' ? -1 : typeof expected === 'number' ? expected : null;

const matchesExpected = (current: number, expected: ExpectedStreamState): boolean => {
  if (expected === 'any') return true;
  if (expected === 'stream_exists') return current >= 0;
  return current === (expected === 'no_stream' ? -1 : expected);
};

export type StandInEventLogOptions = {
  /** A file for the streams, so that they survive the process. */
  file?: string;
};

/** An event log with the rules of KurrentDB for expected revisions and repeated appends. */
export const openStandInEventLog = ({ file }: StandInEventLogOptions = {}): StandInEventLog => {
  const all: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const listeners = new Set<() => void>();
  let appends = 0;

  const remember = (event: StoredEvent): void => {
    all.push(event);
    const stream = streams.get(event.stream);
    if (stream) stream.push(event);
    else streams.set(event.stream, [event]);
  };

  const write = (stream: string, events: readonly ProposedEvent[]): void => {
    const first = streams.get(stream)?.length ?? 0;
    let position = all.length === 0 ? 1_170 : all.at(-1)!.position + 100 + all.at(-1)!.data.length;
    const stored = events.map((event, index): StoredEvent => {
      const here = position;
      position += 100 + event.data.length;
      return { ...event, stream, revision: first + index, position: here, createdMs: Date.now() };
    });
    if (fileDescriptor !== undefined) writeSync(fileDescriptor, toLine(stored));
    for (const event of stored) {
      written.add(event.id);
      remember(event);
    }
  };

  /** For appends without an expected revision, KurrentDB recognises only repeated events since its last start. */
  const written = new Set<string>();
  const writtenByThisProcess = (
    stored: readonly StoredEvent[],
    events: readonly ProposedEvent[],
  ): StoredEvent | 'in part' | undefined => {
    const count = events.filter(({ id }) => written.has(id)).length;
    if (count === 0) return undefined;
    return count === events.length ? stored.find(({ id }) => id === events.at(-1)!.id) : 'in part';
  };

  const fileDescriptor = file === undefined ? undefined : openSync(file, 'a+');
  if (file !== undefined) readFileSync(file, 'utf8').split('\n').filter(Boolean).flatMap(fromLine).forEach(remember);
  if (all.length === 0) for (let count = 0; count < 3; count += 1) write('$stats-127.0.0.1:2113', [statistics()]);

  return {
    append: (stream, events, expected) => {
      const stored = streams.get(stream) ?? [];
      const current = stored.length - 1;
      const after = revisionOf(expected);
      const repeated =
        after === null ? writtenByThisProcess(stored, events) : lastOfRepeatedAppend(stored, events, after);
      if (repeated === 'in part') return { kind: 'wrong version', current };
      if (repeated) return { kind: 'repeated', revision: repeated.revision, position: repeated.position };
      if (!matchesExpected(current, expected)) return { kind: 'wrong version', current };
      if ((appends += 1) % appendsBetweenStatistics === 0) write('$stats-127.0.0.1:2113', [statistics()]);
      write(stream, events);
      for (const listener of listeners) listener();
      const { revision, position } = all.at(-1)!;
      return { kind: 'written', revision, position };
    },
    all,
    eventsOfStream: (stream) => streams.get(stream) ?? [],
    indexFrom: (position) => {
      let low = 0;
      for (let high = all.length; low < high;) {
        const middle = (low + high) >> 1;
        if (all[middle]!.position < position) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    onAppend: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
