import { afterEach, describe, expect, it } from 'vitest';
import { openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';
import { noStream } from '#libs/event-store/port.ts';
import { collect, eventOf, eventsOf } from '../contract/event-store/events.ts';
import { actElsewhere, type OtherProcess } from '../contract/other-process.ts';
import { openOn, quickTimes } from './engines.ts';
import { eventually, givenInTests } from './given.ts';

const { start, opened } = givenInTests();
const others: OtherProcess[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.kill();
});

const impatient = { ...quickTimes, attemptMs: 100 };
const clusterUrl = (port: number): string => `kurrentdb+discover://127.0.0.1:${port}?tls=false`;
/** So many attempts are given up while the members of the cluster are not known. */
const givenUp = 3;

describe('An attempt that is given up before its KurrentDB is found', () => {
  it('does not end the process when it comes to a leader that thaws and breaks its calls, and nothing is lost', async () => {
    const server = await start();
    const gossip = server.holdGossip();
    const follower = actElsewhere({ module: '#libs/event-store/kurrentdb.ts', name: 'openKurrentDbEventStore', args: [clusterUrl(server.endpoint.port), impatient] }, 'follow', { count: 2 });
    others.push(follower);
    await eventually(gossip.waiting).toBeGreaterThan(givenUp);
    server.treatSubscriptions('broken');
    gossip.release();
    await eventually(() => server.readings.broken).toBeGreaterThan(givenUp);
    server.treatSubscriptions('served');
    const writer = opened(openOn(server.endpoint.port));
    const events = [eventOf(), eventOf()];
    await writer.append('render-1', events, noStream);
    expect(await follower.ended()).toBe(0);
    expect(follower.lines).toEqual(['ready', ...events.map(({ id }) => id)]);
  });

  it('is not made any more when it is found', async () => {
    const server = await start();
    const gossip = server.holdGossip();
    // Long enough that attempts are made once on a busy machine when the member is known.
    const engine = opened(openKurrentDbEventStore(clusterUrl(server.endpoint.port), { ...quickTimes, attemptMs: 2_000, watchMs: 60_000 }));
    const live = collect(engine, 0, 2);
    const operations = [engine.append('render-1', eventsOf(1), noStream), engine.read('render-2')];
    await eventually(gossip.waiting).toBeGreaterThan(1);
    gossip.release();
    await Promise.all(operations);
    await engine.append('render-1', eventsOf(1), 0);
    expect(await live).toHaveLength(2);
    expect(server.readings).toMatchObject({ subscribedAfter: [0], appends: 2, reads: 1 });
  });
});

describe('A subscription to KurrentDB that is ended', () => {
  it('before the server has confirmed it is cancelled there', async () => {
    const server = await start();
    server.treatSubscriptions('kept waiting');
    const engine = opened(openOn(server.endpoint.port));
    const enough = new AbortController();
    const following = Array.fromAsync(engine.subscribe(0, enough.signal));
    await eventually(() => server.readings.keptWaiting).toBe(1);
    enough.abort();
    expect(await following).toEqual([]);
    await eventually(() => server.readings.keptWaiting).toBe(0);
  });
});
