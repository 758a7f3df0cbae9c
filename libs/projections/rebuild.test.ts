import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { noStream, type EventStore } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { catchUp, openProjectionRunner, projectToEnd } from './catch-up.ts';
import type { Projection } from './projection.ts';
import { rebuildReadModel } from './rebuild.ts';

type Tally = { count: number };
const tallyOf = (step: number): Projection<Tally> => ({
  model: 'tally',
  collection: { name: 'tally', indexes: [] },
  handlers: { AccountOpened: () => ({ id: 'all', evolve: (tally) => ({ count: (tally?.count ?? 0) + step }) }) },
});

const metadata = {
  correlationId: 'c',
  causationId: null,
  traceparent: null,
  actor: { kind: 'service' as const, name: 'test' },
  accountId: null,
  occurredAt: '2026-05-01T00:00:00.000Z',
};

let folder: string;
let store: EventStore;
let reads: ReadStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-rebuild-'));
  store = openSqliteEventStore(join(folder, 'log.db'));
  reads = openSqliteReadStore(join(folder, 'reads.db'), [{ name: 'tally', model: 'tally', indexes: [] }]);
});
afterEach(async () => {
  await Promise.all([store.close(), reads.close()]);
  rmSync(folder, { recursive: true });
});

const open = (id: string): Promise<unknown> =>
  store.append(
    `account-${id}`,
    [{ id, type: 'AccountOpened', version: 1, data: { name: id, plan: 'free', overrides: {} }, metadata }],
    noStream,
  );

it('A storage that is emptied while a batch is projected gets documents of all events', async () => {
  for (const id of ['a', 'b']) await open(id);
  await catchUp(store, reads, [tallyOf(1)]);
  const emptied = openSqliteReadStore(
    join(folder, 'emptied.db'),
    [tallyOf(1).collection].map((collection) => ({ ...collection, model: 'tally' })),
  );
  let current = reads;
  const methods: Partial<ReadStore> = {
    read: async (key) => {
      if (key.collection === 'tally') current = emptied;
      return current.read(key);
    },
  };
  const changing = new Proxy(reads, { get: (_, name: keyof ReadStore) => methods[name] ?? current[name] });
  const runner = await openProjectionRunner(changing, [tallyOf(1)]);
  const after = runner.position();
  await open('c');
  await runner.advance(after, await store.readAll(after, 10));
  // As another process would go on, if this one ended here.
  await catchUp(store, emptied, [tallyOf(1)]);
  expect([await emptied.get('tally', 'all'), await emptied.checkpoint('tally')]).toEqual([
    { count: 3 },
    await store.head(),
  ]);
  await emptied.close();
});

it('A replay ends when it is to stop', async () => {
  await open('a');
  await projectToEnd(store, await openProjectionRunner(reads, [tallyOf(1)]), AbortSignal.abort());
  expect(await reads.checkpoint('tally')).toBe(0);
});

describe('A rebuild', () => {
  it('replaces the documents of an earlier projection, and leaves the checkpoint at the end of the event log', async () => {
    for (const id of ['a', 'b', 'c']) await open(id);
    await catchUp(store, reads, [tallyOf(1)]);
    await rebuildReadModel(store, reads, tallyOf(10));
    expect([await reads.get('tally', 'all'), await reads.checkpoint('tally')]).toEqual([
      { count: 30 },
      await store.head(),
    ]);
  });

  it('catches up while the serving generation advances, and misses no event', async () => {
    await open('a');
    const late = ['b', 'c', 'd'];
    const racing: ReadStore = {
      ...reads,
      switchOver: async (...given) => {
        const id = late.shift();
        if (id) await open(id).then(() => catchUp(store, reads, [tallyOf(1)]));
        return reads.switchOver(...given);
      },
    };
    await rebuildReadModel(store, racing, tallyOf(10));
    expect([late, await reads.get('tally', 'all')]).toEqual([[], { count: 40 }]);
  });

  it('stops when a later rebuild starts, which continues', async () => {
    for (const id of ['a', 'b']) await open(id);
    const laterGenerations: string[] = [];
    const superseded: ReadStore = {
      ...reads,
      switchOver: async (...given) => {
        laterGenerations.push(await reads.beginRebuild('tally'));
        return reads.switchOver(...given);
      },
    };
    await expect(rebuildReadModel(store, superseded, tallyOf(10))).rejects.toThrow(
      'another rebuild of tally was started later',
    );
    expect(await reads.switchOver('tally', { generation: laterGenerations[0]!, position: await store.head() })).toBe(
      true,
    );
  });

  it('that fails does not change the serving generation', async () => {
    await open('a');
    await catchUp(store, reads, [tallyOf(1)]);
    const failing = {
      ...tallyOf(10),
      handlers: {
        AccountOpened: () => {
          throw new Error('no');
        },
      },
    };
    await expect(rebuildReadModel(store, reads, failing)).rejects.toThrow('no');
    expect(await reads.get('tally', 'all')).toEqual({ count: 1 });
  });
});
