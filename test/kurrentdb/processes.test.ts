import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { noStream } from '#libs/event-store/port.ts';
import { readSubscription, newEvent, newEvents, eventIds, isInOrder } from '../support/contract/new-events.ts';
import { temporaryFolder } from '../support/contract/temporary-folder.ts';
import { runInOtherProcess } from '../support/processes/other-process.ts';
import { openEventStoreOn, urlOf } from '../support/kurrentdb/event-stores.ts';
import { eventually } from '../support/kurrentdb/test-servers.ts';
import { type FakeKurrentDbProcess, startFakeKurrentDbProcess } from '../support/kurrentdb/process.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** A server in a process of its own that can go, and come back over the same data on the same port. */
const startRestartableServer = async () => {
  const { folder, remove } = await temporaryFolder();
  const data = join(folder, 'log.jsonl');
  const all: FakeKurrentDbProcess[] = [await startFakeKurrentDbProcess({ data })];
  const { port } = all[0]!;
  endings.push(remove, async () => void (await Promise.all(all.map((server) => server.kill()))));
  return {
    port,
    server: () => all.at(-1)!,
    comeBack: async () => void all.push(await startFakeKurrentDbProcess({ data, port })),
  };
};

const openUntilTestEnd = (port: number, times: Parameters<typeof openEventStoreOn>[1] = {}) => {
  const engine = openEventStoreOn(port, times);
  endings.push(engine.close);
  return engine;
};

it('appends under way when KurrentDB is killed are made once it is back, each once, and subscribers miss nothing', async () => {
  const { port, server, comeBack } = await startRestartableServer();
  const engine = openUntilTestEnd(port);
  const live = readSubscription(engine, 0, 600);
  const events = newEvents(600);
  const appends = events.map((event, number) =>
    engine.append(`render-${number % 100}-${Math.floor(number / 100)}`, [event], noStream),
  );
  await appends[100];
  await server().kill();
  await comeBack();
  await Promise.all(appends);
  const all = await engine.readAll(0, 1_000);
  expect(eventIds(all).toSorted()).toEqual(eventIds(events).toSorted());
  expect(isInOrder(all)).toBe(true);
  expect(await live).toEqual(all);
});

it('a KurrentDB that freezes is told of as one that does not answer, and all that was asked is done when it goes on', async () => {
  const { port, server } = await startRestartableServer();
  const engine = openUntilTestEnd(port, { attemptTimeoutMs: 300 });
  await eventually(() => engine.missing()).toBeNull();
  const live = readSubscription(engine, 0, 60);
  await engine.append('render-0', newEvents(1), noStream);
  server().signal('SIGSTOP');
  const appends = Array.from({ length: 59 }, (_, number) =>
    engine.append(`render-${number + 1}`, newEvents(1), noStream),
  );
  await eventually(() => engine.missing()).toContain('does not respond');
  server().signal('SIGCONT');
  await Promise.all(appends);
  await eventually(() => engine.missing()).toBeNull();
  expect(await engine.readAll(0, 100)).toHaveLength(60);
  expect(isInOrder(await live)).toBe(true);
});

it('a flood of appends to a KurrentDB that freezes and is then killed does not take the process along', async () => {
  const { port, server, comeBack } = await startRestartableServer();
  const engine = openUntilTestEnd(port, { attemptTimeoutMs: 1_500 });
  await engine.append('render-0', newEvents(1), noStream);
  server().signal('SIGSTOP');
  const events = Array.from({ length: 400 }, () => newEvent('x'.repeat(5_000)));
  const appends = events.map((event, number) => engine.append(`render-${number + 1}`, [event], noStream));
  await eventually(() => engine.missing()).toContain('does not respond');
  await server().kill();
  await comeBack();
  await Promise.all(appends);
  expect(await engine.readAll(0, 1_000)).toHaveLength(401);
});

it('a KurrentDB that is absent is waited for: the store opens at once, says so, and serves when it comes', async () => {
  const { port, server, comeBack } = await startRestartableServer();
  await server().kill();
  const engine = openUntilTestEnd(port);
  expect(engine.missing()).toContain('has not responded yet');
  await eventually(() => engine.missing()).toBe(
    `No server listens at 127.0.0.1:${port}, the address of KurrentDB in EVENT_STORE_URL.`,
  );
  const live = readSubscription(engine, 0, 1);
  const append = engine.append('render-1', newEvents(1), noStream);
  await comeBack();
  await append;
  expect(await live).toHaveLength(1);
  await eventually(() => engine.missing()).toBeNull();
});

it('a KurrentDB that goes away later is told of as missing', async () => {
  const { port, server, comeBack } = await startRestartableServer();
  const engine = openUntilTestEnd(port);
  await eventually(() => engine.missing()).toBeNull();
  await server().kill();
  await eventually(() => engine.missing()).toContain(`127.0.0.1:${port}`);
  await comeBack();
  await eventually(() => engine.missing()).toBeNull();
  expect(await engine.head()).toBe(0);
});

it('a process whose KurrentDB is away can close its store, and ends', async () => {
  const { port, server } = await startRestartableServer();
  await server().kill();
  const other = runInOtherProcess(
    { module: '#libs/event-store/kurrentdb.ts', name: 'openKurrentDbEventStore', args: [urlOf(port)] },
    'open',
  );
  expect(await other.exited()).toBe(0);
});
