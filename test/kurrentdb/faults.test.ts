import { afterEach, describe, expect, it } from 'vitest';
import { openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';
import { noStream, type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { collect, eventOf, eventsOf, idsOf, isInOrder } from '../contract/event-store/events.ts';
import { openOn, quickTimes, urlOf } from './engines.ts';
import { openLog } from './log.ts';
import { startKurrentDb } from './server.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

const start = async (settings: Parameters<typeof startKurrentDb>[0] = {}) => {
  const server = await startKurrentDb(settings);
  endings.push(server.stop);
  return server;
};

const opened = (engine: ReturnType<typeof openOn>) => {
  endings.push(engine.close);
  return engine;
};

describe('An append to KurrentDB', () => {
  it.each(['silently', 'with the connection'] as const)('whose answer is lost %s is found again and made once', async (how) => {
    const server = await start();
    const engine = opened(openOn(server.endpoint.port, { attemptMs: 300 }));
    const events = eventsOf(2);
    server.lose(1, how);
    const answer = await engine.append('render-1', events, noStream);
    expect(await engine.read('render-1')).toMatchObject([{ revision: 0 }, { ...answer, id: events[1]!.id }]);
  });

  it('whose answer is lost is found again by its events where the server does not know repeats', async () => {
    const server = await start({ log: openLog({ knowsRepeats: false }) });
    const engine = opened(openOn(server.endpoint.port));
    server.lose(1, 'with the connection');
    const events = eventsOf(2);
    const answer = await engine.append('render-1', events, noStream);
    expect(answer).toEqual({ revision: 1, position: await engine.head() });
    await expect(engine.append('render-1', eventsOf(2), noStream)).rejects.toThrow(RevisionConflict);
  });

  it('is made once, however many connections break around it', async () => {
    const server = await start();
    const engine = opened(openOn(server.endpoint.port));
    const events = eventsOf(200);
    const appends = events.map(async (event, number) => {
      if (number % 20 === 0) server.lose(3, 'with the connection');
      return engine.append(`render-${number}`, [event], noStream);
    });
    expect((await Promise.all(appends)).every(({ revision }) => revision === 0)).toBe(true);
    const all = await engine.readAll(0, 1_000);
    expect(idsOf(all).toSorted()).toEqual(idsOf(events).toSorted());
  });

  it('fails in the end where no answer ever comes, and the store works on', async () => {
    const server = await start();
    const engine = opened(openOn(server.endpoint.port, { attemptMs: 50, patienceMs: 300 }));
    server.lose(1_000, 'silently');
    await expect(engine.append('render-1', eventsOf(1), noStream)).rejects.toThrow('no answer');
    server.lose(0, 'silently');
    await expect(engine.append('render-2', eventsOf(1), noStream)).resolves.toMatchObject({ revision: 0 });
  });
});

it('Closing the store waits for an append whose answer was lost', async () => {
  const server = await start();
  const engine = openOn(server.endpoint.port, { attemptMs: 200 });
  server.lose(1, 'silently');
  let done = false;
  const append = engine.append('render-1', eventsOf(1), noStream).then(() => (done = true));
  await engine.close();
  expect(done).toBe(true);
  await append;
});

describe('A subscription to KurrentDB', () => {
  it('goes on without gap or double over connections that break', async () => {
    const server = await start();
    const engine = opened(openOn(server.endpoint.port));
    const live = collect(engine, 0, 300);
    for (let number = 0; number < 100; number += 1) {
      await engine.append('render-1', eventsOf(3), 3 * number - 1);
      if (number % 10 === 0) server.drop();
    }
    const got = await live;
    expect(isInOrder(got)).toBe(true);
    expect(got).toEqual(await engine.read('render-1'));
  });

  it('begins after a break where the server last said that it was, and passes nothing twice', async () => {
    const server = await start();
    const engine = opened(openOn(server.endpoint.port));
    const foreign = { id: crypto.randomUUID(), type: 'x', contentType: 'application/json', data: Buffer.from('{}'), metadata: Buffer.alloc(0) };
    await engine.append('render-1', eventsOf(1), noStream);
    const live = collect(engine, 0, 2);
    await expect.poll(() => server.readings.told).toBe(1);
    for (let number = 0; number < 2_000; number += 1) server.log.append('elsewhere-1', [{ ...foreign, id: crypto.randomUUID() }], 'any');
    await expect.poll(() => {
      server.drop();
      return server.readings.subscribedAfter.at(-1);
    }).toBeGreaterThan(await engine.head());
    await engine.append('render-1', eventsOf(1), 0);
    expect((await live).map(({ revision }) => revision)).toEqual([0, 1]);
  });

  it('holds the server back where its reader is slow', async () => {
    const server = await start();
    const engine = opened(openOn(server.endpoint.port));
    const events = Array.from({ length: 400 }, () => eventOf('x'.repeat(20_000)));
    for (let from = 0; from < 400; from += 10) await engine.append('render-1', events.slice(from, from + 10), from - 1);
    const got: RecordedEvent[] = [];
    const enough = new AbortController();
    for await (const batch of engine.subscribe(0, enough.signal)) {
      if (got.length === 0) {
        await collect(engine, 0, 400);
        expect(server.readings.told).toBeLessThan(750);
      }
      got.push(...batch);
      if (got.length === 400) enough.abort();
    }
    expect(idsOf(got)).toEqual(idsOf(events));
  });

  it('hands on together what has arrived together', async () => {
    const server = await start();
    const engine = opened(openOn(server.endpoint.port));
    await engine.append('render-1', eventsOf(400), noStream);
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

/** Two members over the same log. */
const startTwo = async () => {
  const log = openLog();
  const [a, b] = [await start({ log }), await start({ log })];
  const lead = (leader: typeof a): void => {
    for (const member of [a, b]) member.join({ members: [a.endpoint, b.endpoint], leader: leader.endpoint });
  };
  lead(a);
  return { a, b, lead };
};

describe('A cluster of KurrentDB', () => {
  it.each([
    ['found by its gossip', (a: number, _b: number) => `kurrentdb+discover://127.0.0.1:${a}?tls=false`],
    ['named in full', (a: number, b: number) => `kurrentdb://127.0.0.1:${a},127.0.0.1:${b}?tls=false`],
    ['of which one member is named', (a: number, _b: number) => urlOf(a)],
  ])('%s takes appends and is followed when another leads', async (_how, url) => {
    const { a, b, lead } = await startTwo();
    const engine = opened(openKurrentDbEventStore(url(a.endpoint.port, b.endpoint.port), quickTimes));
    const live = collect(engine, 0, 40);
    for (let number = 0; number < 40; number += 1) {
      if (number === 10) lead(b);
      if (number === 11) a.drop();
      if (number === 30) lead(a);
      await engine.append('render-1', eventsOf(1), number - 1);
    }
    expect(await live).toEqual(await engine.read('render-1'));
  });

  it('is followed to the member that is left', async () => {
    const { a, b, lead } = await startTwo();
    const engine = opened(openKurrentDbEventStore(`kurrentdb://127.0.0.1:${a.endpoint.port},127.0.0.1:${b.endpoint.port}?tls=false`, quickTimes));
    const live = collect(engine, 0, 2);
    await engine.append('render-1', eventsOf(1), noStream);
    lead(b);
    await a.stop();
    await engine.append('render-1', eventsOf(1), 0);
    expect(await live).toHaveLength(2);
  });
});

describe('A cluster of KurrentDB that', () => {
  it('has a leader that does not answer is left for the next, by appends and by subscribers', async () => {
    const [a, b] = [await start(), await start()];
    const members = [a.endpoint, b.endpoint];
    for (const member of [a, b]) member.join({ members, leader: a.endpoint });
    const engine = opened(openKurrentDbEventStore(`kurrentdb://127.0.0.1:${a.endpoint.port},127.0.0.1:${b.endpoint.port}?tls=false`, { ...quickTimes, attemptMs: 100 }));
    const live = collect(engine, 0, 3);
    await engine.append('render-1', eventsOf(1), noStream);
    await expect.poll(() => a.readings.told).toBe(1);
    for (const event of a.log.of('render-1')) b.log.append('render-1', [event], 'any');
    a.lose(1_000, 'silently');
    b.join({ members, leader: b.endpoint });
    await engine.append('render-1', eventsOf(2), 0);
    expect(idsOf(await live)).toEqual(b.log.of('render-1').map(({ id }) => id));
  });

  it('has another leader is followed there by who does nothing but follow the log', async () => {
    const { a, b, lead } = await startTwo();
    const engine = opened(openOn(a.endpoint.port, { watchMs: 60_000 }));
    const writer = opened(openOn(b.endpoint.port));
    const live = collect(engine, 0, 2);
    await writer.append('render-1', eventsOf(1), noStream);
    await expect.poll(() => a.readings.told).toBe(1);
    lead(b);
    a.drop();
    await writer.append('render-1', eventsOf(1), 0);
    expect(await live).toHaveLength(2);
  });

  it('goes away as a whole and comes back is found again, and takes nobody along', async () => {
    const { a, b } = await startTwo();
    const members = [a.endpoint, b.endpoint];
    const engine = opened(openKurrentDbEventStore(`kurrentdb://127.0.0.1:${a.endpoint.port},127.0.0.1:${b.endpoint.port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=20`, quickTimes));
    const live = [collect(engine, 0, 31), collect(engine, 0, 31)];
    await engine.append('render-1', eventsOf(1), noStream);
    await Promise.all([a.stop(), b.stop()]);
    const appends = Array.from({ length: 30 }, (_, number) => engine.append(`render-1-${number}`, eventsOf(1), noStream));
    await expect.poll(() => engine.missing()).toContain('No member of a KurrentDB cluster answers');
    for (const { port } of members) (await start({ log: a.log, port })).join({ members, leader: a.endpoint });
    await Promise.all(appends);
    for (const got of await Promise.all(live)) expect(isInOrder(got)).toBe(true);
  });

  it('comes up after the service is found when it does', async () => {
    const { endpoint, stop } = await startKurrentDb();
    await stop();
    const engine = opened(openKurrentDbEventStore(`kurrentdb+discover://127.0.0.1:${endpoint.port}?tls=false&maxDiscoverAttempts=1&discoveryInterval=10`, quickTimes));
    await expect.poll(() => engine.missing()).toContain('No member of a KurrentDB cluster answers');
    await start({ port: endpoint.port });
    await expect.poll(() => engine.missing()).toBeNull();
    await expect(engine.append('render-1', eventsOf(1), noStream)).resolves.toMatchObject({ revision: 0 });
  });
});

describe('In a KurrentDB that is shared with others', () => {
  it('only what the service has recorded is read, followed and counted', async () => {
    const server = await start();
    const engine = opened(openOn(server.endpoint.port));
    const foreign = (metadata = '') => ({ id: crypto.randomUUID(), type: 'Theirs', contentType: 'application/json', data: Buffer.from('{}'), metadata: Buffer.from(metadata) });
    await engine.append('render-1', eventsOf(1), noStream);
    const before = await engine.head();
    server.log.append('elsewhere-1', [foreign(), foreign('{"eventId":"1"}')], 'any');
    expect(await engine.head()).toBe(before);
    for (const metadata of ['', 'null', 'no json', '{"schemaVersion":1}']) server.log.append('render-2', [foreign(metadata)], 'any');
    await engine.append('render-1', eventsOf(1), 0);
    expect((await engine.readAll(0, 10)).map(({ stream }) => stream)).toEqual(['render-1', 'render-1']);
    expect(await engine.read('render-2')).toEqual([]);
    expect(await collect(engine, 0, 2)).toEqual(await engine.readAll(0, 10));
  });

  it('a stream that nobody would see is refused', async () => {
    const engine = opened(openOn((await start()).endpoint.port));
    await expect(engine.append('invoice-1', eventsOf(1), noStream)).rejects.toThrow(RangeError);
  });

  it('ids of any kind come back as they went in, and make a repeated append harmless', async () => {
    const engine = opened(openOn((await start()).endpoint.port));
    const ids = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'an id of another kind', '6E8BC430-9C3A-11D9-9669-0800200C9A66', '6e8bc430-9c3a-11d9-9669-0800200c9a66'];
    const events = ids.map((id) => ({ ...eventOf(), id }));
    const answer = await engine.append('render-1', events, noStream);
    expect(await engine.append('render-1', events, noStream)).toEqual(answer);
    expect(idsOf(await engine.read('render-1'))).toEqual(ids);
  });
});
