import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deduplicationMs, type Delivery, longestWaitMs } from '#libs/bus/port.ts';
import { openSqliteBus } from '#libs/bus/sqlite.ts';
import { describeBusContract } from './bus.contract.ts';
import { isEmpty, messageOf, next } from './bus/messages.ts';
import { openedIn } from './folder.ts';

const fileIn = (folder: string): string => join(folder, 'bus.db');

const start = 5_000_000;

const open = async () => {
  let time = start;
  const opened = await openedIn((folder) => openSqliteBus(fileIn(folder), () => time));
  return {
    ...opened,
    elsewhere: { module: './bus/at-time.ts', name: 'openBusAt', args: [fileIn(opened.folder), start] },
    advance: async (ms: number) => void (time += ms),
    deduplicationMs,
  };
};

describeBusContract('SQLite', open);

afterEach(() => void vi.useRealTimers());

describe('the queue in SQLite', () => {
  it('forgets messages that have been done for longer than the de-duplication window, and keeps the others', async () => {
    const { engine, folder, advance, close } = await open();
    const rows = (): number => {
      const database = new DatabaseSync(fileIn(folder), { readOnly: true });
      const { n } = database.prepare('SELECT count(*) AS n FROM messages').get() as { n: number };
      database.close();
      return n;
    };
    for (let number = 0; number < 100; number += 1) {
      await engine.publish(messageOf());
      await (await next(engine)).ack();
    }
    await engine.publish(messageOf('waits on'));
    expect(rows()).toBe(101);
    await advance(deduplicationMs + 1);
    for (let number = 0; number < 20; number += 1) await engine.publish(messageOf());
    expect(rows()).toBe(21);
    expect((await next(engine)).data).toBe('waits on');
    await close();
  });

  it('hands a message to whoever waits in the same process in the turn in which it comes or comes back', async () => {
    const { engine, close } = await open();
    const inThisTurn = (waiting: Promise<Delivery>): Promise<unknown> => Promise.race([waiting, new Promise((resolve) => setImmediate(resolve, 'later'))]);
    const first = next(engine);
    await engine.publish(messageOf('new'));
    expect(await inThisTurn(first)).toMatchObject({ data: 'new', attempt: 1 });
    const second = next(engine);
    await (await first).nak(0);
    expect(await inThisTurn(second)).toMatchObject({ data: 'new', attempt: 2 });
    await close();
  });

  it('gives out what has waited long enough where the clock of the machine is set back by an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { engine, close } = await openedIn((folder) => openSqliteBus(fileIn(folder)));
    const message = messageOf();
    await engine.publish(message);
    const delivery = await next(engine);
    await delivery.working();
    await delivery.nak(1);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await next(engine)).toMatchObject({ id: message.id, attempt: 2 });
    await close();
  });

  it('delays no message for longer than a minute after a restart of the machine, and remembers finished ones as long as before', async () => {
    let time = start;
    const { folder, close } = await openedIn((at) => openSqliteBus(fileIn(at), () => time));
    const bus = openSqliteBus(fileIn(folder), () => time);
    const [done, delayed, held] = [messageOf(), messageOf(), messageOf()];
    for (const message of [done, delayed, held]) await bus.publish(message);
    await (await next(bus)).ack();
    await (await next(bus)).nak(30_000);
    await next(bus);
    await bus.close();
    time = 1_000;
    const again = openSqliteBus(fileIn(folder), () => time);
    await again.publish(done);
    time += longestWaitMs;
    const back = [await next(again), await next(again)];
    expect(new Set(back.map(({ id }) => id))).toEqual(new Set([delayed.id, held.id]));
    expect(await isEmpty(again)).toBe(true);
    for (const delivery of back) await delivery.ack();
    time += deduplicationMs;
    await again.publish(done);
    expect((await next(again)).id).toBe(done.id);
    await again.close();
    await close();
  });

  it('gives out what came back before what is new', async () => {
    const { engine, close } = await open();
    const [old, fresh] = [messageOf(), messageOf()];
    await engine.publish(old);
    const delivery = await next(engine);
    await engine.publish(fresh);
    await delivery.nak(0);
    expect([(await next(engine)).id, (await next(engine)).id]).toEqual([old.id, fresh.id]);
    await close();
  });
});
