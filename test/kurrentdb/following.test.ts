import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { Connection, Responses } from '#libs/event-store/kurrentdb/connection.ts';
import { follow } from '#libs/event-store/kurrentdb/following.ts';
import { toKurrent } from '#libs/event-store/kurrentdb/records.ts';
import { eventsOf, idsOf } from '../contract/event-store/events.ts';
import type { Stored } from './log.ts';
import { eventMessage } from './messages.ts';

const storedOf = (count: number): Stored[] =>
  eventsOf(count).map((event, revision) => {
    const { id, type, data, metadata } = toKurrent(event);
    return { id, type, contentType: 'application/json', data: Buffer.from(JSON.stringify(data)), metadata: Buffer.from(JSON.stringify(metadata)), stream: 'render-1', revision, position: 1_000 * (revision + 1), createdMs: 0 };
  });

const breakOff = new Error('broken off');

/** Subscriptions that tell of these events, one after the other, and break off. */
const connectionOver = (...tellings: Stored[][]): Connection => ({
  subscribe: async () => {
    const responses = Object.assign(new PassThrough({ objectMode: true }), { cancel: () => undefined });
    for (const event of tellings.shift() ?? []) responses.write(eventMessage(event));
    setImmediate(() => responses.destroy(breakOff));
    return { responses: responses as unknown as Responses, failed: () => undefined };
  },
  append: () => Promise.reject(breakOff),
  read: () => Promise.reject(breakOff),
  version: () => Promise.reject(breakOff),
  close: async () => undefined,
});

it('a subscriber gets once what a server tells again after a break', async () => {
  const stored = storedOf(4);
  const enough = new AbortController();
  const got: string[] = [];
  const connection = connectionOver(stored.slice(0, 3), stored.slice(1, 3), stored.slice(2));
  for await (const batch of follow(connection, 0, enough.signal, { attemptMs: 1_000, firstPauseMs: 1, longestPauseMs: 2 })) {
    got.push(...idsOf(batch));
    if (got.length >= 4) enough.abort();
  }
  expect(got).toEqual(stored.map(({ id }) => id));
});
