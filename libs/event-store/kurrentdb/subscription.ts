import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AllStreamSubscription,
  type KurrentDBClient,
  type Position,
  START,
  streamNameFilter,
} from '@kurrent/kurrentdb-client';
import pRetry from 'p-retry';
import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import { pause } from '#libs/concurrency/pause.ts';
import type { RecordedEvent } from '../port.ts';
import { fromKurrentDbEvent, ownStreamPrefixes, maxSearchWindow } from './event-conversion.ts';

/** At most twice as many events are buffered for a slow subscriber; then backpressure stops the server. */
const batchSize = 128;

/** A subscription that the server has confirmed. `checkpoint` is the last position that the server sent. */
export type ServerSubscription = {
  stream: AllStreamSubscription;
  checkpoint: () => Position | null;
  close: () => void;
};

/** Subscribes to events after a position. Fails if `signal` aborts before the server confirms; ends when `replaced` aborts. */
export const openServerSubscription = async (
  client: KurrentDBClient,
  after: Position,
  signal: AbortSignal,
  replaced: AbortSignal,
): Promise<ServerSubscription> => {
  let checkpoint: Position | null = null;
  const filter = streamNameFilter({
    prefixes: ownStreamPrefixes,
    maxSearchWindow,
    checkpointInterval: 1,
    checkpointReached: (_, position) => void (checkpoint = position),
  });
  const stream = client.subscribeToAll(
    { fromPosition: after.commit === 0n ? START : after, requiresLeader: true, filter },
    { highWaterMark: batchSize },
  );
  // A subscription may fail after it was closed, and an error without a listener ends the process.
  stream.on('error', () => undefined);
  const replace = (): void => void stream.destroy(new Error('the KurrentDB client was replaced'));
  const close = (): void => {
    replaced.removeEventListener('abort', replace);
    stream.destroy();
    // The driver may still be connecting; then the call is cancelled when it starts.
    stream.unsubscribe().catch(() => undefined);
  };
  replaced.addEventListener('abort', replace, { once: true });
  try {
    await once(stream, 'confirmation', { signal });
    return { stream, checkpoint: () => checkpoint, close };
  } catch (error) {
    close();
    throw error;
  }
};

/** The progress of a subscriber: the position of its newest event, and the position up to which the server has sent everything. */
type SubscriberProgress = { newest: number; position: Position };
const toDriverPosition = (position: number): Position => ({ commit: BigInt(position), prepare: BigInt(position) });

/** Takes the events that have arrived, without duplicates, and updates `progress`. */
const takeArrivedEvents = (
  { stream, checkpoint }: ServerSubscription,
  progress: SubscriberProgress,
): RecordedEvent[] => {
  const events: RecordedEvent[] = [];
  while (events.length < batchSize) {
    const resolved = stream.read();
    if (resolved === null) {
      // Only now all events before the checkpoint have been taken.
      progress.position = checkpoint() ?? progress.position;
      break;
    }
    const event = resolved.event && fromKurrentDbEvent(resolved.event);
    if (!event || event.position <= progress.newest) continue;
    Object.assign(progress, { newest: event.position, position: toDriverPosition(event.position) });
    events.push(event);
  }
  return events;
};

/** Batches of events until `ended` aborts. Throws when the subscription breaks. */
const readBatches = async function* (
  subscription: ServerSubscription,
  progress: SubscriberProgress,
  ended: AbortSignal,
): AsyncGenerator<RecordedEvent[]> {
  const arrived = createChangeSignal();
  const { stream } = subscription;
  let failure: Error | null = null;
  const fail = (error: Error): void => {
    failure ??= error;
    arrived.notify();
  };
  stream.on('readable', () => arrived.notify()).on('error', fail);
  stream.on('close', () => fail(new Error('the server has ended the subscription')));
  while (!ended.aborted) {
    const version = arrived.version();
    const events = takeArrivedEvents(subscription, progress);
    if (events.length > 0) yield events;
    else if (failure) throw failure as Error;
    else {
      await arrived.waitForChange(ended, undefined, version);
      // The events of one packet are emitted one by one: after the next turn of the event loop all are here.
      await nextTurn();
    }
  }
};

/** In milliseconds: the delay after the first failure, and the longest delay. */
export type RetryDelays = { minRetryDelayMs: number; maxRetryDelayMs: number };
/** Opens a subscription to the events after a position. */
export type OpenServerSubscription = (after: Position, signal: AbortSignal) => Promise<ServerSubscription>;

/**
 * All events after `position` in batches, until `ended` aborts. Subscribes again when a connection breaks, or when the server
 * ends a live subscription that is more than 32 events behind.
 */
export const subscribeWithRetry = async function* (
  open: OpenServerSubscription,
  position: number,
  ended: AbortSignal,
  delays: RetryDelays,
): AsyncGenerator<RecordedEvent[]> {
  const { minRetryDelayMs: minTimeout, maxRetryDelayMs: maxTimeout } = delays;
  const progress: SubscriberProgress = { newest: position, position: toDriverPosition(position) };
  while (!ended.aborted) {
    let subscription: ServerSubscription | undefined;
    try {
      subscription = await pRetry(() => open(progress.position, ended), {
        retries: Infinity,
        minTimeout,
        maxTimeout,
        randomize: true,
        signal: ended,
      });
      yield* readBatches(subscription, progress, ended);
    } catch (error) {
      if (ended.aborted) return;
      if (error instanceof RangeError || error instanceof TypeError) throw error;
      await pause(minTimeout, ended);
    } finally {
      subscription?.close();
    }
  }
};
