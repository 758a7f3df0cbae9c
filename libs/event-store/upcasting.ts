import { upcast as toCurrentVersion } from '#contracts/events/upcast.ts';
import type { EventStore, RecordedEvent } from './port.ts';

/** An event store that returns every event in its current version. */
export const withUpcasting = <Store extends EventStore>(
  store: Store,
  upcast: (event: RecordedEvent) => RecordedEvent = toCurrentVersion,
): Store => ({
  ...store,
  read: async (stream, from, limit) => (await store.read(stream, from, limit)).map(upcast),
  readAll: async (after, limit) => (await store.readAll(after, limit)).map(upcast),
  readCached: (stream) => store.readCached(stream)?.map(upcast) ?? null,
  subscribe: async function* (after, signal) {
    for await (const batch of store.subscribe(after, signal)) yield batch.map(upcast);
  },
});
