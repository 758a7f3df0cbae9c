import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { noStream } from '#libs/event-store/port.ts';
import { readSubscription, newEvent, newEvents, eventIds, isInOrder } from '../support/contract/new-events.ts';
import { temporaryFolder } from '../support/contract/temporary-folder.ts';
import { runInOtherProcess } from '../support/processes/other-process.ts';
import { openEventStoreOn, urlOf } from '../support/kurrentdb/event-stores.ts';
import { eventually } from '../support/kurrentdb/test-servers.ts';
import { type KurrentDbStandInProcess, startKurrentDbStandInProcess } from '../support/kurrentdb/process.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** A server in its own process that can be killed and restarted with the same data and port. */
const startRestartableServer = async () => {
  const { folder, remove } = await temporaryFolder();
  const data = join(folder, 'log.jsonl');
  const all: KurrentDbStandInProcess[] = [await startKurrentDbStandInProcess({ data })];
  const { port } = all[0]!;
  endings.push(remove, async () => void (await Promise.all(all.map((server) => server.kill()))));
  return {
    port,
    server: () => all.at(-1)!,
    restart: async () => void all.push(await startKurrentDbStandInProcess({ data, port })),
  };
};

const openUntilTestEnd = (port: number, options: Parameters<typeof openEventStoreOn>[1] = {}) => {
  const engine = openEventStoreOn(port, options);
  endings.push(engine.close);
  return engine;
};

it('Appends that run when KurrentDB is killed are made once after its restart, and subscribers miss no event', async () => {
  const { port, server, restart } = await startRestartableServer();
  const engine = openUntilTestEnd(port);
  const live = readSubscription(engine, 0, 300);
  const events = newEvents(300);
  const appends = events.map((event, number) =>
    engine.append(`render-${number % 100}-${Math.floor(number / 100)}`, [event], noStream),
  );
  await appends[100];
  await server().kill();
  await restart();
  await Promise.all(appends);
  const all = await engine.readAll(0, 1_000);
  expect(eventIds(all).toSorted()).toEqual(eventIds(events).toSorted());
  expect(isInOrder(all)).toBe(true);
  expect(await live).toEqual(all);
});

it('A suspended KurrentDB is reported as not responding, and pending operations finish when it resumes', async () => {
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

it('An append that fails because KurrentDB is known to be suspended is not made when it resumes', async () => {
  const { port, server } = await startRestartableServer();
  const limits = { attemptTimeoutMs: 300, unavailableTimeoutMs: 100, operationTimeoutMs: 600_000 };
  const engine = openUntilTestEnd(port, limits);
  await engine.append('render-0', newEvents(1), noStream);
  server().signal('SIGSTOP');
  await eventually(() => engine.missing()).toContain('does not respond');
  // The description of the problem, not the timeout of an attempt: nothing was sent.
  await expect(engine.append('render-1', newEvents(1), noStream)).rejects.toThrow('does not respond');
  server().signal('SIGCONT');
  await eventually(() => engine.missing()).toBeNull();
  await engine.append('render-2', newEvents(1), noStream);
  expect((await engine.readAll(0, 100)).map(({ stream }) => stream)).toEqual(['render-0', 'render-2']);
});

it('Many appends to a KurrentDB that is suspended and then killed do not end the process', async () => {
  const { port, server, restart } = await startRestartableServer();
  const engine = openUntilTestEnd(port, { attemptTimeoutMs: 1_500 });
  await engine.append('render-0', newEvents(1), noStream);
  server().signal('SIGSTOP');
  const events = Array.from({ length: 400 }, () => newEvent('x'.repeat(5_000)));
  const appends = events.map((event, number) => engine.append(`render-${number + 1}`, [event], noStream));
  await eventually(() => engine.missing()).toContain('does not respond');
  await server().kill();
  await restart();
  await Promise.all(appends);
  expect(await engine.readAll(0, 1_000)).toHaveLength(401);
});

it('A store without a running KurrentDB opens at once, reports the problem, and works when the server starts', async () => {
  const { port, server, restart } = await startRestartableServer();
  await server().kill();
  const engine = openUntilTestEnd(port);
  expect(engine.missing()).toContain('has not responded yet');
  await eventually(() => engine.missing()).toBe(
    `No server listens at 127.0.0.1:${port}, the address of KurrentDB in EVENT_STORE_URL.`,
  );
  const live = readSubscription(engine, 0, 1);
  const append = engine.append('render-1', newEvents(1), noStream);
  await restart();
  await append;
  expect(await live).toHaveLength(1);
  await eventually(() => engine.missing()).toBeNull();
});

it('A KurrentDB that stops later is reported', async () => {
  const { port, server, restart } = await startRestartableServer();
  const engine = openUntilTestEnd(port);
  await eventually(() => engine.missing()).toBeNull();
  await server().kill();
  await eventually(() => engine.missing()).toContain(`127.0.0.1:${port}`);
  await restart();
  await eventually(() => engine.missing()).toBeNull();
  expect(await engine.head()).toBe(0);
});

it('A process whose KurrentDB is unavailable can close its store and end', async () => {
  const { port, server } = await startRestartableServer();
  await server().kill();
  const other = runInOtherProcess(
    { module: '#libs/event-store/kurrentdb.ts', name: 'openKurrentDbEventStore', args: [urlOf(port)] },
    'open',
  );
  expect(await other.exited()).toBe(0);
});
