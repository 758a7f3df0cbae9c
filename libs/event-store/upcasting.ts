import { upcast as toPresentVersion } from '#contracts/events/upcast.ts';
import type { EventStore, RecordedEvent } from './port.ts';

/** An engine whose readers get every event in its present version, whichever it was recorded in. */
export const withUpcasting = (
  store: EventStore,
  upcast: (event: RecordedEvent) => RecordedEvent = toPresentVersion,
): EventStore => ({
  ...store,
  read: async (stream, from) => (await store.read(stream, from)).map(upcast),
  readAll: async (after, limit) => (await store.readAll(after, limit)).map(upcast),
  ...(store.readCached && { readCached: (stream) => store.readCached!(stream)?.map(upcast) ?? null }),
  subscribe: async function* (after, signal) {
    for await (const batch of store.subscribe(after, signal)) yield batch.map(upcast);
  },
});
