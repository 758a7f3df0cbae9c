import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noStream, RevisionConflict } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
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

const open = async (lockWaitMs?: number) => {
  const opened = await openInTemporaryFolder((folder) => openSqliteEventStore(fileIn(folder), lockWaitMs));
  return { ...opened, engineModule: engineModuleIn(opened.folder) };
};

describeEventStoreContract('SQLite', open);

describe('the log in SQLite', () => {
  it('counts positions from 1 without a gap, conflicts or not', async () => {
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

  it('hands an event to a subscriber of the same process in the turn in which it is acknowledged', async () => {
    const { engine, close } = await open();
    const events = engine.subscribe(0, new AbortController().signal)[Symbol.asyncIterator]();
    const next = events.next();
    await engine.append('render-1', newEvents(1), noStream);
    const turnEnds = new Promise((resolve) => setImmediate(resolve, 'later'));
    expect(await Promise.race([next, turnEnds])).toMatchObject({ value: [{ stream: 'render-1' }] });
    await close();
  });

  it('lets an append wait while another process holds the lock, and readers go on', async () => {
    const { engine, folder, close } = await open();
    const other = startProgram('../programs/hold-lock.ts', { file: fileIn(folder) });
    await other.waitForLines(1);
    const answers = [0, 1, 2].map((number) => engine.append(`render-${number}`, newEvents(1), noStream));
    expect(await engine.head()).toBe(0);
    other.writeLine('let go');
    expect((await Promise.all(answers)).map(({ revision }) => revision)).toEqual([0, 0, 0]);
    await other.exited();
    await close();
  });

  it('refuses an append when the lock does not come free in time, and works again after', async () => {
    const { engine, folder, close } = await open(50);
    const other = startProgram('../programs/hold-lock.ts', { file: fileIn(folder) });
    await other.waitForLines(1);
    await expect(engine.append('render-1', newEvents(1), noStream)).rejects.toThrow('locked');
    other.writeLine('let go');
    await other.exited();
    await expect(engine.append('render-1', newEvents(1), noStream)).resolves.toMatchObject({ revision: 0 });
    await close();
  });

  it('refuses every append under way when the disk is full, and keeps what it had acknowledged', async () => {
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
