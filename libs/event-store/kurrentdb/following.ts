import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import pRetry from 'p-retry';
import type { RecordedEvent } from '../port.ts';
import type { Connection } from './connection.ts';
import { NoAnswer } from './failure.ts';
import { type Inbox, openInbox } from './inbox.ts';
import { fromKurrent } from './records.ts';
import { type Place, placeOf, subscribeAfter } from './requests.ts';

/** In milliseconds: how long the server may take to begin, the pause after a first failure, and the longest. */
export type Times = { attemptMs: number; firstPauseMs: number; longestPauseMs: number };

/** How far a subscriber has come: its newest event, and the place in the log up to which there is no later one for it. */
type Reached = { newest: number; place: Place };

const batchSize = 256;

type Subscribed = { inbox: Inbox; failed: (error: Error) => void };

/** A subscription to which the server has said something, if only that it has begun. */
const subscribe = async (connection: Connection, place: Place, ended: AbortSignal, attemptMs: number): Promise<Subscribed> => {
  const { responses, failed } = await connection.subscribe(subscribeAfter(place));
  const inbox = openInbox(responses, batchSize);
  const late = AbortSignal.timeout(attemptMs);
  try {
    await inbox.filled(AbortSignal.any([ended, late]));
    // The caller is gone, so nothing else would close it.
    ended.throwIfAborted();
    if (late.aborted) throw new NoAnswer(attemptMs);
    return { inbox, failed };
  } catch (error) {
    failed(error as Error);
    inbox.close();
    throw error;
  }
};

/** The events among the responses, with `reached` moved on behind them. What comes a second time is left out. */
const eventsOf = (responses: readonly ReadResp[], reached: Reached): RecordedEvent[] => {
  const events: RecordedEvent[] = [];
  for (const response of responses) {
    const checkpoint = response.getCheckpoint();
    if (checkpoint) reached.place = { commit: BigInt(checkpoint.getCommitPosition()), prepare: BigInt(checkpoint.getPreparePosition()) };
    const recorded = response.getEvent()?.getEvent();
    const event = recorded && fromKurrent(recorded);
    if (!event || event.position <= reached.newest) continue;
    Object.assign(reached, { newest: event.position, place: placeOf(event.position) });
    events.push(event);
  }
  return events;
};

/** All events after `position` in batches, until `ended` aborts, over as many connections as it takes. */
export const follow = async function* (connection: Connection, position: number, ended: AbortSignal, { attemptMs, firstPauseMs, longestPauseMs }: Times): AsyncGenerator<RecordedEvent[]> {
  const reached: Reached = { newest: position, place: placeOf(position) };
  const patience = { retries: Infinity, minTimeout: firstPauseMs, maxTimeout: longestPauseMs, randomize: true, signal: ended };
  while (!ended.aborted) {
    let subscribed: Subscribed | undefined;
    try {
      subscribed = await pRetry(() => subscribe(connection, reached.place, ended, attemptMs), patience);
      while (!ended.aborted) {
        await subscribed.inbox.filled(ended);
        const batch = eventsOf(subscribed.inbox.take(), reached);
        if (batch.length > 0 && !ended.aborted) yield batch;
      }
    } catch (error) {
      if (ended.aborted) return;
      if (error instanceof RangeError || error instanceof TypeError) throw error;
      subscribed?.failed(error as Error);
      await sleep(firstPauseMs, undefined, { signal: ended }).catch(() => undefined);
    } finally {
      subscribed?.inbox.close();
    }
  }
};
