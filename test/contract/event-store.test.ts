import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noStream, RevisionConflict } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { openedIn, temporaryFolder } from './folder.ts';
import { describeEventStoreContract } from './event-store.contract.ts';
import { eventsOf, idsOf } from './event-store/events.ts';
import { actElsewhere, startProcess } from './other-process.ts';

const fileIn = (folder: string): string => join(folder, 'log.db');
const elsewhereIn = (folder: string) => ({ module: '#libs/event-store/sqlite.ts', name: 'openSqliteEventStore', args: [fileIn(folder)] });

const open = async (lockWaitMs?: number) => {
  const opened = await openedIn((folder) => openSqliteEventStore(fileIn(folder), lockWaitMs));
  return { ...opened, elsewhere: elsewhereIn(opened.folder) };
};

describeEventStoreContract('SQLite', open);

describe('the log in SQLite', () => {
  it('counts positions from 1 without a gap, conflicts or not', async () => {
    const { engine, close } = await open();
    await Promise.allSettled(Array.from({ length: 40 }, (_, number) => engine.append(`render-${number % 8}`, eventsOf(2), noStream)));
    await expect(engine.append('render-0', eventsOf(1), noStream)).rejects.toThrow(RevisionConflict);
    expect((await engine.readAll(0, 100)).map(({ position }) => position)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
    await close();
  });

  it('hands an event to a subscriber of the same process in the turn in which it is acknowledged', async () => {
    const { engine, close } = await open();
    const events = engine.subscribe(0, new AbortController().signal)[Symbol.asyncIterator]();
    const next = events.next();
    await engine.append('render-1', eventsOf(1), noStream);
    const turnEnds = new Promise((resolve) => setImmediate(resolve, 'later'));
    expect(await Promise.race([next, turnEnds])).toMatchObject({ value: [{ stream: 'render-1' }] });
    await close();
  });

  it('lets an append wait while another process holds the lock, and readers go on', async () => {
    const { engine, folder, close } = await open();
    const other = startProcess('./hold-lock.ts', { file: fileIn(folder) });
    await other.wrote(1);
    const answers = [0, 1, 2].map((number) => engine.append(`render-${number}`, eventsOf(1), noStream));
    expect(await engine.head()).toBe(0);
    other.say('let go');
    expect((await Promise.all(answers)).map(({ revision }) => revision)).toEqual([0, 0, 0]);
    await other.ended();
    await close();
  });

  it('refuses an append when the lock does not come free in time, and works again after', async () => {
    const { engine, folder, close } = await open(50);
    const other = startProcess('./hold-lock.ts', { file: fileIn(folder) });
    await other.wrote(1);
    await expect(engine.append('render-1', eventsOf(1), noStream)).rejects.toThrow('locked');
    other.say('let go');
    await other.ended();
    await expect(engine.append('render-1', eventsOf(1), noStream)).resolves.toMatchObject({ revision: 0 });
    await close();
  });

  it('refuses every append under way when the disk is full, and keeps what it had acknowledged', async () => {
    const { folder, remove } = await temporaryFolder();
    const halfMegabyte = 'ulimit -f 1024;';
    const other = actElsewhere(elsewhereIn(folder), 'appendUntilRefused', { stream: 'render', callers: 8 }, halfMegabyte);
    await other.ended();
    const refused = other.lines.filter((line) => line.startsWith('refused'));
    expect(refused).toHaveLength(8);
    for (const line of refused) expect(line).toMatch(/disk|full|I\/O/);
    const store = openSqliteEventStore(fileIn(folder));
    const known = new Set(idsOf(await store.readAll(0, 10_000)));
    expect(known.size).toBeGreaterThan(8);
    expect(other.lines.filter((line) => !line.startsWith('refused') && !known.has(line))).toEqual([]);
    await store.close();
    await remove();
  });
});
