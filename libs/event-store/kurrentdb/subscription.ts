import { once } from 'node:events';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import {
  type AllStreamSubscription,
  type KurrentDBClient,
  type Position,
  START,
  streamNameFilter,
} from '@kurrent/kurrentdb-client';
import pRetry from 'p-retry';
import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { RecordedEvent } from '../port.ts';
import { fromKurrentDbEvent, ownStreamPrefixes, maxSearchWindow } from './event-conversion.ts';

/** At most twice as many events wait here for a slow subscriber; then the server is held back. */
const batchSize = 128;

/** A subscription that the server has confirmed. `checkpoint` is how far the server has told it to be. */
export type ServerSubscription = {
  stream: AllStreamSubscription;
  checkpoint: () => Position | null;
  close: () => void;
};

/** Subscribes to what comes after a position; ends where `signal` aborts before the server has confirmed it, or `replaced` aborts later. */
export const openServerSubscription = async (
  client: KurrentDBClient,
  after: Position,
  signal: AbortSignal,
  replaced: AbortSignal,
): Promise<ServerSubscription> => {
  let checkpoint: Position | null = null;
  const filter = streamNameFilter({
    prefixes: ownStreamPrefixes,
    maxSearchWindow: maxSearchWindow,
    checkpointInterval: 1,
    checkpointReached: (_, position) => void (checkpoint = position),
  });
  const stream = client.subscribeToAll(
    { fromPosition: after.commit === 0n ? START : after, requiresLeader: true, filter },
    { highWaterMark: batchSize },
  );
  // A subscription may fail after it was given up, and an error without a listener ends the process.
  stream.on('error', () => undefined);
  const replace = (): void => void stream.destroy(new Error('the client of KurrentDB was replaced'));
  const close = (): void => {
    replaced.removeEventListener('abort', replace);
    stream.destroy();
    // The driver may still be looking for the server; the call is cancelled when it is made.
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

/** Where a subscriber is: its newest event, and the position up to which the log has no later one for it. */
type SubscriberProgress = { newest: number; position: Position };
const toDriverPosition = (position: number): Position => ({ commit: BigInt(position), prepare: BigInt(position) });

/** What has arrived, with `reached` moved on behind it. What comes a second time is left out. */
const takeArrivedEvents = (
  { stream, checkpoint }: ServerSubscription,
  reached: SubscriberProgress,
): RecordedEvent[] => {
  const events: RecordedEvent[] = [];
  while (events.length < batchSize) {
    const resolved = stream.read();
    if (resolved === null) {
      // Only now all that came before the checkpoint has been taken.
      reached.position = checkpoint() ?? reached.position;
      break;
    }
    const event = resolved.event && fromKurrentDbEvent(resolved.event);
    if (!event || event.position <= reached.newest) continue;
    Object.assign(reached, { newest: event.position, position: toDriverPosition(event.position) });
    events.push(event);
  }
  return events;
};

/** Batches of events until the subscription breaks, which it throws, or `ended` aborts. */
const readBatches = async function* (
  subscription: ServerSubscription,
  reached: SubscriberProgress,
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
    const events = takeArrivedEvents(subscription, reached);
    if (events.length > 0) yield events;
    else if (failure) throw failure as Error;
    else {
      await arrived.waitForChange(ended, undefined, version);
      // What comes in one packet is told one by one: a turn later all of it is here.
      await turn();
    }
  }
};

/** In milliseconds: the pause after a first failure, and the longest. */
export type RetryDelays = { minRetryDelayMs: number; maxRetryDelayMs: number };
/** Opens a subscription to what comes after a position. */
export type OpenServerSubscription = (after: Position, signal: AbortSignal) => Promise<ServerSubscription>;

/**
 * All events after `position` in batches, until `ended` aborts, over as many subscriptions as it takes: connections break, and the server
 * ends a live subscription that is more than 32 events behind.
 */
export const subscribeWithRetry = async function* (
  open: OpenServerSubscription,
  position: number,
  ended: AbortSignal,
  pauses: RetryDelays,
): AsyncGenerator<RecordedEvent[]> {
  const { minRetryDelayMs: minTimeout, maxRetryDelayMs: maxTimeout } = pauses;
  const reached: SubscriberProgress = { newest: position, position: toDriverPosition(position) };
  while (!ended.aborted) {
    let subscription: ServerSubscription | undefined;
    try {
      subscription = await pRetry(() => open(reached.position, ended), {
        retries: Infinity,
        minTimeout,
        maxTimeout,
        randomize: true,
        signal: ended,
      });
      yield* readBatches(subscription, reached, ended);
    } catch (error) {
      if (ended.aborted) return;
      if (error instanceof RangeError || error instanceof TypeError) throw error;
      await sleep(minTimeout, undefined, { signal: ended }).catch(() => undefined);
    } finally {
      subscription?.close();
    }
  }
};
