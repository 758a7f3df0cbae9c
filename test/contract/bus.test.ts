import { describe, expect, it } from 'vitest';
import { openMemoryBus } from '#libs/bus/memory.ts';
import { type LeasedMessage, deduplicationWindowMs } from '#libs/bus/port.ts';
import { describeBusContract } from './bus.contract.ts';
import { isBusEmpty, newMessage, leaseNext, testConsumer } from '../support/contract/bus-messages.ts';

type Timer = { at: number; act: () => void };

/** A bus in memory, with a clock that the test advances. */
const open = async () => {
  let time = 0;
  const timers = new Set<Timer>();
  const after = (ms: number, act: () => void) => {
    const timer = { at: time + ms, act };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const engine = openMemoryBus({ now: () => time, schedule: after });
  const advance = async (ms: number): Promise<void> => {
    time += ms;
    for (const timer of [...timers].filter(({ at }) => at <= time).toSorted((one, other) => one.at - other.at)) {
      if (timers.delete(timer)) timer.act();
    }
  };
  return { engine, advance, deduplicationMs: deduplicationWindowMs, timers, close: () => engine.close() };
};

describeBusContract('memory', open);

describe('The bus in memory', () => {
  const inThisTurn = (waiting: Promise<LeasedMessage>): Promise<unknown> =>
    Promise.race([waiting, new Promise((resolve) => setImmediate(resolve, 'later'))]);

  it('delivers a message in the turn in which it is published or returned', async () => {
    const { engine, close } = await open();
    const first = leaseNext(engine);
    await engine.publish(newMessage('new'));
    expect(await inThisTurn(first)).toMatchObject({ data: 'new', deliveryCount: 1 });
    const second = leaseNext(engine);
    await (await first).nak(0);
    expect(await inThisTurn(second)).toMatchObject({ data: 'new', deliveryCount: 2 });
    await close();
  });

  it('keeps no timer for ended messages or after close', async () => {
    const { engine, timers, close } = await open();
    for (const end of ['ack', 'nak'] as const) {
      await engine.publish(newMessage());
      await (await leaseNext(engine))[end](0);
    }
    expect(timers.size).toBe(0);
    await (await leaseNext(engine)).nak(1_000);
    expect(await isBusEmpty(engine)).toBe(true);
    await close();
    expect(timers.size).toBe(0);
    expect(await engine.next(testConsumer, new AbortController().signal)).toBeNull();
  });
});
