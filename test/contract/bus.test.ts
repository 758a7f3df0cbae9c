import { describe, expect, it } from 'vitest';
import { openMemoryBus } from '#libs/bus/memory.ts';
import { type Delivery, deduplicationMs } from '#libs/bus/port.ts';
import { describeBusContract } from './bus.contract.ts';
import { isEmpty, messageOf, next, worker } from './bus/messages.ts';

type Timer = { at: number; act: () => void };

/** The queue in memory, with a clock that the test moves. */
const open = async () => {
  let time = 0;
  const timers = new Set<Timer>();
  const after = (ms: number, act: () => void) => {
    const timer = { at: time + ms, act };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const engine = openMemoryBus({ now: () => time, after });
  const advance = async (ms: number): Promise<void> => {
    time += ms;
    for (const timer of [...timers].filter(({ at }) => at <= time).toSorted((one, other) => one.at - other.at)) {
      if (timers.delete(timer)) timer.act();
    }
  };
  return { engine, advance, deduplicationMs, timers, close: () => engine.close() };
};

describeBusContract('memory', open);

describe('the queue in memory', () => {
  const inThisTurn = (waiting: Promise<Delivery>): Promise<unknown> => Promise.race([waiting, new Promise((resolve) => setImmediate(resolve, 'later'))]);

  it('delivers a message in the turn in which it comes or comes back', async () => {
    const { engine, close } = await open();
    const first = next(engine);
    await engine.publish(messageOf('new'));
    expect(await inThisTurn(first)).toMatchObject({ data: 'new', attempt: 1 });
    const second = next(engine);
    await (await first).nak(0);
    expect(await inThisTurn(second)).toMatchObject({ data: 'new', attempt: 2 });
    await close();
  });

  it('keeps no timer for what has ended, nor once it is closed', async () => {
    const { engine, timers, close } = await open();
    for (const end of ['ack', 'nak'] as const) {
      await engine.publish(messageOf());
      await (await next(engine))[end](0);
    }
    expect(timers.size).toBe(0);
    await (await next(engine)).nak(1_000);
    expect(await isEmpty(engine)).toBe(true);
    await close();
    expect(timers.size).toBe(0);
    expect(await engine.next(worker, new AbortController().signal)).toBeNull();
  });
});
