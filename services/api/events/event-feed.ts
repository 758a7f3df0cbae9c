import { setImmediate } from 'node:timers/promises';
import type { EventType } from '#contracts/events/event-schemas.ts';
import { subjectIdOf } from '#contracts/names.ts';
import { pause } from '#libs/concurrency/pause.ts';
import { throttleBatches } from '#libs/event-store/throttle-batches.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';

/** An event as the live stream shows it: `subject` is what it is about, as an id of the API. */
export type LiveEvent = { position: number; type: EventType; subject: string };

/** Gets the events of one account in their order; `position` is that of the last event of the log so far. */
export type FeedListener = { accountId: string; receive: (events: readonly LiveEvent[], position: number) => void };

export type EventFeed = {
  /**
   * Passes the events of the listener's account to it, from now on. Resolves to the position after which the events
   * begin. Call `leave` also if it rejects.
   */
  join(listener: FeedListener): Promise<number>;
  leave(listener: FeedListener): void;
};

export type EventFeedOptions = {
  /** Resolves when queries show the events up to the position, or when that takes too long. */
  waitUntilShown: (position: number) => Promise<unknown>;
  reportError: (error: unknown) => void;
  /** The least time between two batches, so that events that arrive close together come in one. */
  intervalMs?: number;
};

const retryDelayMs = 1_000;

/** Null for an event about nothing that the API has an id for. */
export const liveEventOf = ({
  type,
  stream,
  position,
}: Pick<RecordedEvent, 'type' | 'stream' | 'position'>): LiveEvent | null => {
  const subject = subjectIdOf(stream);
  return subject === null ? null : { position, type, subject };
};

/**
 * Follows the event log with one subscription for all listeners of the process. Without listeners there is no
 * subscription.
 */
export const createEventFeed = (
  store: Pick<EventStore, 'head' | 'subscribe'>,
  { waitUntilShown, reportError, intervalMs = 100 }: EventFeedOptions,
): EventFeed => {
  const byAccount = new Map<string, Set<FeedListener>>();
  let running: { stop: AbortController; position: Promise<number> | number } | null = null;

  const dispatch = (batch: readonly RecordedEvent[]): void => {
    const { position } = batch.at(-1)!;
    const wanted = batch.filter(({ metadata: { accountId } }) => accountId !== null && byAccount.has(accountId));
    const events = Map.groupBy(wanted, ({ metadata }) => metadata.accountId!);
    for (const [accountId, listeners] of [...byAccount]) {
      const own = (events.get(accountId) ?? []).flatMap((event) => liveEventOf(event) ?? []);
      for (const listener of [...listeners]) listener.receive(own, position);
    }
  };

  const follow = async (run: NonNullable<typeof running>): Promise<void> => {
    const { signal } = run.stop;
    while (!signal.aborted) {
      try {
        const after = await run.position;
        for await (const batch of throttleBatches(store.subscribe(after, signal), signal, intervalMs)) {
          const { position } = batch.at(-1)!;
          await waitUntilShown(position);
          if (signal.aborted) return;
          run.position = position;
          dispatch(batch);
          // Readers take a batch before the next one comes, also when many are waiting.
          await setImmediate();
        }
      } catch (error) {
        if (signal.aborted) return;
        reportError(error);
        await pause(retryDelayMs, signal, { ref: false });
      }
    }
  };

  const start = (): NonNullable<typeof running> => {
    const run: NonNullable<typeof running> = { stop: new AbortController(), position: store.head() };
    running = run;
    const opened = (async () => {
      await run.position;
      void follow(run);
    })();
    opened.catch(() => {
      // The next listener tries again.
      if (running === run) running = null;
    });
    return run;
  };

  return {
    join: async (listener) => {
      const listeners = byAccount.get(listener.accountId) ?? new Set();
      byAccount.set(listener.accountId, listeners.add(listener));
      const run = running ?? start();
      await run.position;
      return run.position;
    },
    leave: (listener) => {
      const listeners = byAccount.get(listener.accountId);
      listeners?.delete(listener);
      if (listeners?.size === 0) byAccount.delete(listener.accountId);
      if (byAccount.size > 0) return;
      running?.stop.abort();
      running = null;
    },
  };
};
