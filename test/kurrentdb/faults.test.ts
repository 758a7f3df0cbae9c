import { MaxAppendSizeExceededError } from '@kurrent/kurrentdb-client';
import { describe, expect, it } from 'vitest';
import { type NewEvent, noStream, type RecordedEvent } from '#libs/event-store/port.ts';
import { readSubscription, newEvent, newEvents, eventIds, isInOrder } from '../support/contract/new-events.ts';
import { openEventStoreOn } from '../support/kurrentdb/event-stores.ts';
import { eventually, useTestServers } from '../support/kurrentdb/test-servers.ts';

const { start, closeAfterTest } = useTestServers();
/** A busy machine may need more than a second for a large append. */
const longAttempts = { attemptTimeoutMs: 15_000 };

describe('An append to KurrentDB', () => {
  it.each(['silently', 'with the connection'] as const)(
    'whose response is lost %s is found again and made once',
    async (how) => {
      const server = await start();
      const engine = closeAfterTest(openEventStoreOn(server.endpoint.port, { attemptTimeoutMs: 300 }));
      const events = newEvents(2);
      server.loseAppendResponses(1, how);
      const result = await engine.append('render-1', events, noStream);
      expect(await engine.read('render-1')).toMatchObject([{ revision: 0 }, { ...result, id: events[1]!.id }]);
    },
  );

  it.each([
    ['on a call that appends share', '26.0.2'],
    ['on a call of its own', null],
  ])('%s is refused at once if it has more than 1 MiB', async (_how, version) => {
    const engine = closeAfterTest(openEventStoreOn((await start({ version })).endpoint.port, longAttempts));
    const events = Array.from({ length: 20 }, () => newEvent('x'.repeat(60_000)));
    await expect(engine.append('render-1', events, noStream)).rejects.toBeInstanceOf(MaxAppendSizeExceededError);
    await expect(engine.append('render-1', events.slice(0, 10), noStream)).resolves.toMatchObject({ revision: 9 });
  });

  it('is refused if an event has no type', async () => {
    const engine = closeAfterTest(openEventStoreOn((await start()).endpoint.port, { operationTimeoutMs: 5_000 }));
    const event = { ...newEvent(), type: '' } as unknown as NewEvent;
    await expect(engine.append('render-1', [event], noStream)).rejects.toThrow('BadRequest');
  });

  it('succeeds if the clock of the server is an hour ahead', async () => {
    const server = await start({ clockAheadMs: 3_600_000 });
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port));
    await expect(engine.append('render-1', newEvents(1), noStream)).resolves.toMatchObject({ revision: 0 });
  });

  it('is made once when many connections break', async () => {
    const server = await start();
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port));
    const events = newEvents(200);
    const appends = events.map(async (event, number) => {
      if (number % 20 === 0) server.loseAppendResponses(3, 'with the connection');
      return engine.append(`render-${number}`, [event], noStream);
    });
    expect((await Promise.all(appends)).every(({ revision }) => revision === 0)).toBe(true);
    const all = await engine.readAll(0, 1_000);
    expect(eventIds(all).toSorted()).toEqual(eventIds(events).toSorted());
  });

  it('that waits too long behind others is not made', async () => {
    const server = await start();
    const limits = { attemptTimeoutMs: 500, operationTimeoutMs: 1_000 };
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port, limits));
    server.loseAppendResponses(1_000, 'silently');
    const streams = Array.from({ length: 200 }, (_, number) => `render-${number}`);
    const appends = await Promise.allSettled(streams.map((stream) => engine.append(stream, newEvents(1), noStream)));
    expect(new Set(appends.map(({ status }) => status))).toEqual(new Set(['rejected']));
    const reader = closeAfterTest(openEventStoreOn(server.endpoint.port));
    expect((await reader.readAll(0, 1_000)).length).toBeLessThan(100);
  });

  it('fails if no response ever comes, and the store works on', async () => {
    const server = await start();
    const engine = closeAfterTest(
      openEventStoreOn(server.endpoint.port, { attemptTimeoutMs: 1_000, operationTimeoutMs: 5_000 }),
    );
    server.loseAppendResponses(1_000, 'silently');
    await expect(engine.append('render-1', newEvents(1), noStream)).rejects.toThrow('no response');
    server.loseAppendResponses(0, 'silently');
    await expect(engine.append('render-2', newEvents(1), noStream)).resolves.toMatchObject({ revision: 0 });
  });
});

it('Closing the store waits for an append whose response was lost', async () => {
  const server = await start();
  const engine = openEventStoreOn(server.endpoint.port, { attemptTimeoutMs: 200 });
  server.loseAppendResponses(1, 'silently');
  let done = false;
  const append = engine.append('render-1', newEvents(1), noStream).then(() => (done = true));
  await engine.close();
  expect(done).toBe(true);
  await append;
});

describe('A subscription to KurrentDB', () => {
  it('continues without gaps or duplicates when connections break', async () => {
    const server = await start();
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port));
    const live = readSubscription(engine, 0, 300);
    for (let number = 0; number < 100; number += 1) {
      await engine.append('render-1', newEvents(3), 3 * number - 1);
      if (number % 10 === 0) server.dropConnections();
    }
    const got = await live;
    expect(isInOrder(got)).toBe(true);
    expect(got).toEqual(await engine.read('render-1'));
  });

  it('continues after a break at the last checkpoint of the server', async () => {
    const server = await start();
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port));
    const foreign = {
      id: crypto.randomUUID(),
      type: 'x',
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.alloc(0),
    };
    await engine.append('render-1', newEvents(1), noStream);
    const live = readSubscription(engine, 0, 2);
    await eventually(() => server.counters.eventsSent).toBe(1);
    for (let number = 0; number < 2_000; number += 1)
      server.eventLog.append('elsewhere-1', [{ ...foreign, id: crypto.randomUUID() }], 'any');
    await eventually(() => {
      server.dropConnections();
      return server.counters.subscribedAfter.at(-1);
    }).toBeGreaterThan(await engine.head());
    await engine.append('render-1', newEvents(1), 0);
    expect((await live).map(({ revision }) => revision)).toEqual([0, 1]);
  });

  it('applies backpressure to the server if its reader is slow', async () => {
    const server = await start();
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port, longAttempts));
    const events = Array.from({ length: 400 }, () => newEvent('x'.repeat(20_000)));
    for (let from = 0; from < 400; from += 10) await engine.append('render-1', events.slice(from, from + 10), from - 1);
    const got: RecordedEvent[] = [];
    const enough = new AbortController();
    for await (const batch of engine.subscribe(0, enough.signal)) {
      if (got.length === 0) {
        await readSubscription(engine, 0, 400);
        expect(server.counters.eventsSent).toBeLessThan(750);
      }
      got.push(...batch);
      if (got.length === 400) enough.abort();
    }
    expect(eventIds(got)).toEqual(eventIds(events));
  });

  it('that is live and slow is ended by the server, and loses no event', async () => {
    const server = await start();
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port, longAttempts));
    const got: RecordedEvent[] = [];
    const enough = new AbortController();
    await engine.append('render-0', newEvents(1), noStream);
    for await (const batch of engine.subscribe(0, enough.signal)) {
      if (got.length === 0) {
        for (let number = 1; number <= 20; number += 1) {
          await engine.append(
            `render-${number}`,
            Array.from({ length: 100 }, () => newEvent('x'.repeat(3_000))),
            noStream,
          );
        }
        await eventually(() => server.counters.tooSlowSubscriptions).toBe(1);
      }
      got.push(...batch);
      if (got.length === 2_001) enough.abort();
    }
    expect(got.map(({ position }) => position)).toEqual(
      (await engine.readAll(0, 3_000)).map(({ position }) => position),
    );
  });

  it('delivers events that arrived together in one batch', async () => {
    const server = await start();
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port));
    await engine.append('render-1', newEvents(400), noStream);
    let [batches, count] = [0, 0];
    const enough = new AbortController();
    for await (const batch of engine.subscribe(0, enough.signal)) {
      batches += 1;
      count += batch.length;
      if (count === 400) enough.abort();
    }
    expect(batches).toBeLessThan(200);
  });
});

describe('In a KurrentDB that is shared with others', () => {
  it('only events of the service are read, subscribed to and counted', async () => {
    const server = await start();
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port));
    const foreign = (metadata = '') => ({
      id: crypto.randomUUID(),
      type: 'Theirs',
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.from(metadata),
    });
    await engine.append('render-1', newEvents(1), noStream);
    const before = await engine.head();
    server.eventLog.append('elsewhere-1', [foreign(), foreign('{"eventId":"1"}')], 'any');
    expect(await engine.head()).toBe(before);
    for (const metadata of ['', 'null', 'no json', '{"schemaVersion":1}'])
      server.eventLog.append('render-2', [foreign(metadata)], 'any');
    expect(await engine.head()).toBe(before);
    for (let number = 0; number < 600; number += 1) server.eventLog.append('render-2', [foreign()], 'any');
    expect([await engine.head(), await engine.readAll(before, 10)]).toEqual([before, []]);
    await engine.append('render-1', newEvents(1), 0);
    expect(await engine.readAll(before, 10)).toMatchObject([{ stream: 'render-1', revision: 1 }]);
    expect((await engine.readAll(0, 10)).map(({ stream }) => stream)).toEqual(['render-1', 'render-1']);
    expect(await engine.read('render-2')).toEqual([]);
    expect(await readSubscription(engine, 0, 2)).toEqual(await engine.readAll(0, 10));
  });

  it('a stream without a known prefix is rejected', async () => {
    const engine = closeAfterTest(openEventStoreOn((await start()).endpoint.port));
    await expect(engine.append('invoice-1', newEvents(1), noStream)).rejects.toThrow(RangeError);
  });

  it('ids of any kind are read as they were appended, and make a repeated append harmless', async () => {
    const engine = closeAfterTest(openEventStoreOn((await start()).endpoint.port));
    const ids = [
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      'an id of another kind',
      '6E8BC430-9C3A-11D9-9669-0800200C9A66',
      '6e8bc430-9c3a-11d9-9669-0800200c9a66',
    ];
    const events = ids.map((id) => ({ ...newEvent(), id }));
    const result = await engine.append('render-1', events, noStream);
    expect(await engine.append('render-1', events, noStream)).toEqual(result);
    expect(eventIds(await engine.read('render-1'))).toEqual(ids);
  });
});
