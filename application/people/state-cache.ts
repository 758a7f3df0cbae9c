import { LRUCache } from 'lru-cache';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { readHistory } from '#application/command-handling/history.ts';
import { type Decider, fold } from '#libs/domain/decider.ts';
import { noStream } from '#libs/event-store/port.ts';

const maxEntries = 5_000;

/** The present state of a stream by the id in its name. */
export type StateCache<State> = { load(id: string): Promise<State> };

/**
 * Folds streams, and remembers the states. Each `load` reads the events that the state does not contain yet, so that a
 * change by any process is in effect at once, and a long stream costs no more than a short one.
 */
export const openStateCache = <State, Command, Event extends EventOf>(
  { store }: Pick<EventLog, 'store'>,
  decider: Decider<State, Command, Event>,
  streamOf: (id: string) => string,
): StateCache<State> => {
  type Entry = { state: State; revision: number };
  const cache = new LRUCache<string, Entry>({ max: maxEntries });
  return {
    load: async (id) => {
      const { state, revision } = cache.get(id) ?? { state: decider.initial, revision: noStream };
      const missed = await readHistory(store, decider, streamOf(id), revision + 1);
      // Unknown ids are not remembered, because anyone can invent them.
      if (missed.length === 0) return state;
      const next = { state: fold(decider, missed, state), revision: missed.at(-1)!.revision };
      if (next.revision > (cache.get(id)?.revision ?? noStream)) cache.set(id, next);
      return next.state;
    },
  };
};
