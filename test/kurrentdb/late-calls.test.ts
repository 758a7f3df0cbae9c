import { afterEach, describe, expect, it } from 'vitest';
import { openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';
import { noStream } from '#libs/event-store/port.ts';
import { readSubscription, newEvent, newEvents } from '../support/contract/new-events.ts';
import { runInOtherProcess, type OtherProcess } from '../support/processes/other-process.ts';
import { openEventStoreOn, quickOptions } from '../support/kurrentdb/event-stores.ts';
import { eventually, useTestServers } from '../support/kurrentdb/test-servers.ts';

const { start, closeAfterTest } = useTestServers();
const others: OtherProcess[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.kill();
});

const clusterUrl = (port: number): string => `kurrentdb+discover://127.0.0.1:${port}?tls=false`;
/** How many attempts time out while the members of the cluster are unknown. */
const abandonedAttempts = 3;

describe('An attempt that times out before its KurrentDB is found', () => {
  it('does not end the process when a resumed leader breaks its calls, and no event is lost', async () => {
    const server = await start();
    const gossip = server.holdGossip();
    const follower = runInOtherProcess(
      {
        module: '#libs/event-store/kurrentdb.ts',
        name: 'openKurrentDbEventStore',
        args: [clusterUrl(server.endpoint.port), quickOptions],
      },
      'subscribe',
      { count: 2 },
    );
    others.push(follower);
    await eventually(gossip.waiting).toBeGreaterThan(abandonedAttempts);
    server.setSubscriptionMode('broken');
    gossip.release();
    await eventually(() => server.counters.brokenSubscriptions).toBeGreaterThan(abandonedAttempts);
    server.setSubscriptionMode('served');
    const writer = closeAfterTest(openEventStoreOn(server.endpoint.port));
    const events = [newEvent(), newEvent()];
    await writer.append('render-1', events, noStream);
    expect(await follower.exited()).toBe(0);
    expect(follower.lines).toEqual(['ready', ...events.map(({ id }) => id)]);
  });

  it('is not made later when the server is found', async () => {
    const server = await start();
    const gossip = server.holdGossip();
    // Long enough for a single attempt on a busy machine once the member is known.
    const engine = closeAfterTest(
      openKurrentDbEventStore(clusterUrl(server.endpoint.port), {
        ...quickOptions,
        attemptTimeoutMs: 2_000,
        checkIntervalMs: 60_000,
      }),
    );
    const live = readSubscription(engine, 0, 2);
    const operations = [engine.append('render-1', newEvents(1), noStream), engine.read('render-2')];
    await eventually(gossip.waiting).toBeGreaterThan(1);
    gossip.release();
    await Promise.all(operations);
    await engine.append('render-1', newEvents(1), 0);
    expect(await live).toHaveLength(2);
    expect(server.counters).toMatchObject({ subscribedAfter: [0], appends: 2, reads: 1 });
  });
});

describe('A subscription to KurrentDB that is ended', () => {
  it('before the server has confirmed it is cancelled on the server', async () => {
    const server = await start();
    server.setSubscriptionMode('kept waiting');
    const engine = closeAfterTest(openEventStoreOn(server.endpoint.port));
    const enough = new AbortController();
    const following = Array.fromAsync(engine.subscribe(0, enough.signal));
    await eventually(() => server.counters.waitingSubscriptions).toBe(1);
    enough.abort();
    expect(await following).toEqual([]);
    await eventually(() => server.counters.waitingSubscriptions).toBe(0);
  });
});
