import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noStream, RevisionConflict } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { withUpcasting } from '#libs/event-store/upcasting.ts';
import { openInTemporaryFolder, temporaryFolder } from '../support/contract/temporary-folder.ts';
import { describeEventStoreContract } from './event-store.contract.ts';
import { newEvents, eventIds } from '../support/contract/new-events.ts';
import { runInOtherProcess, startProgram } from '../support/processes/other-process.ts';

const fileIn = (folder: string): string => join(folder, 'log.db');
const engineModuleIn = (folder: string) => ({
  module: '#libs/event-store/sqlite.ts',
  name: 'openSqliteEventStore',
  args: [fileIn(folder)],
});

const open = async (lockTimeoutMs?: number) => {
  const opened = await openInTemporaryFolder((folder) =>
    withUpcasting(openSqliteEventStore(fileIn(folder), { lockTimeoutMs })),
  );
  return { ...opened, engineModule: engineModuleIn(opened.folder) };
};

describeEventStoreContract('SQLite with upcasting', open);

describe('The event log in SQLite', () => {
  it('counts positions from 1 without a gap, also after conflicts', async () => {
    const { engine, close } = await open();
    await Promise.allSettled(
      Array.from({ length: 40 }, (_, number) => engine.append(`render-${number % 8}`, newEvents(2), noStream)),
    );
    await expect(engine.append('render-0', newEvents(1), noStream)).rejects.toThrow(RevisionConflict);
    expect((await engine.readAll(0, 100)).map(({ position }) => position)).toEqual(
      Array.from({ length: 16 }, (_, index) => index + 1),
    );
    await close();
  });

  it('delivers an event to a subscriber of the same process in the turn in which it acknowledges the append', async () => {
    const { engine, close } = await open();
    const events = engine.subscribe(0, new AbortController().signal)[Symbol.asyncIterator]();
    const next = events.next();
    await engine.append('render-1', newEvents(1), noStream);
    const turnEnds = new Promise((resolve) => setImmediate(resolve, 'later'));
    expect(await Promise.race([next, turnEnds])).toMatchObject({ value: [{ stream: 'render-1' }] });
    await close();
  });

  it('delays an append while another process holds the lock, but no read', async () => {
    const { engine, folder, close } = await open();
    const other = startProgram('../programs/hold-lock.ts', { file: fileIn(folder) });
    await other.waitForLines(1);
    const appends = [0, 1, 2].map((number) => engine.append(`render-${number}`, newEvents(1), noStream));
    expect(await engine.head()).toBe(0);
    other.writeLine('let go');
    expect((await Promise.all(appends)).map(({ revision }) => revision)).toEqual([0, 0, 0]);
    await other.exited();
    await close();
  });

  it('rejects an append after the lock timeout, and works again afterwards', async () => {
    const { engine, folder, close } = await open(50);
    const other = startProgram('../programs/hold-lock.ts', { file: fileIn(folder) });
    await other.waitForLines(1);
    await expect(engine.append('render-1', newEvents(1), noStream)).rejects.toThrow('locked');
    other.writeLine('let go');
    await other.exited();
    await expect(engine.append('render-1', newEvents(1), noStream)).resolves.toMatchObject({ revision: 0 });
    await close();
  });

  it('rejects all running appends when the disk is full, and keeps acknowledged events', async () => {
    const { folder, remove } = await temporaryFolder();
    const halfMegabyte = 'ulimit -f 1024;';
    const other = runInOtherProcess(
      engineModuleIn(folder),
      'appendUntilRefused',
      { stream: 'render', callers: 8 },
      halfMegabyte,
    );
    await other.exited();
    const refused = other.lines.filter((line) => line.startsWith('refused'));
    expect(refused).toHaveLength(8);
    for (const line of refused) expect(line).toMatch(/disk|full|I\/O/);
    const store = openSqliteEventStore(fileIn(folder));
    const known = new Set(eventIds(await store.readAll(0, 10_000)));
    expect(known.size).toBeGreaterThan(8);
    expect(other.lines.filter((line) => !line.startsWith('refused') && !known.has(line))).toEqual([]);
    await store.close();
    await remove();
  });
});
