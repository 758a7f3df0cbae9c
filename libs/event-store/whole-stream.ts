import type { RecordedEvent } from './port.ts';

/** The events of a stream among `recent`, which is in the order of the event log; null if the first is not among them. */
export const wholeStreamIn = (recent: readonly RecordedEvent[], stream: string): RecordedEvent[] | null => {
  const newestFirst: RecordedEvent[] = [];
  // From the end, because a stream that is asked for is usually new.
  for (let index = recent.length - 1; index >= 0 && newestFirst.at(-1)?.revision !== 0; index -= 1)
    if (recent[index]!.stream === stream) newestFirst.push(recent[index]!);
  return newestFirst.at(-1)?.revision === 0 ? newestFirst.toReversed() : null;
};
