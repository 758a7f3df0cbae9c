import { expect } from 'vitest';
import { type EventStore, noStream } from '#libs/event-store/port.ts';
import { type Cases, needed, type Opened } from '../harness.ts';
import { actElsewhere } from '../other-process.ts';
import { collect, eventsOf, idsOf, isInOrder } from './events.ts';

export const sharing: Cases<Opened<EventStore>> = {
  'what another process appends is noticed by a subscription that waits': async ({ engine, elsewhere }, skip) => {
    const other = actElsewhere(needed(elsewhere, 'second process', skip), 'append', { stream: 'render-1', count: 20 });
    const got = await collect(engine, 0, 20);
    await other.ended();
    expect(idsOf(got)).toEqual(other.lines);
  },

  'a process that does nothing but follow the log stays until there is something': async ({ engine, elsewhere }, skip) => {
    const other = actElsewhere(needed(elsewhere, 'second process', skip), 'follow', { count: 2 });
    await other.wrote(1);
    const events = eventsOf(2);
    await engine.append('render-1', events, noStream);
    expect(await other.ended()).toBe(0);
    expect(other.lines).toEqual(['ready', ...idsOf(events)]);
  },

  'two processes that append at once make one order': async ({ engine, elsewhere }, skip) => {
    const other = actElsewhere(needed(elsewhere, 'second process', skip), 'append', { stream: 'render-1', count: 100 });
    const live = collect(engine, 0, 200);
    await other.wrote(1);
    for (let number = 0; number < 100; number += 1) await engine.append('render-2', eventsOf(1), number - 1);
    expect(await other.ended()).toBe(0);
    const all = await engine.readAll(0, 1_000);
    expect(all).toHaveLength(200);
    expect(isInOrder(all)).toBe(true);
    expect(await live).toEqual(all);
  },

  'nothing that was acknowledged is lost when the process is killed in the middle': async ({ engine, elsewhere, reopen }, skip) => {
    const other = actElsewhere(needed(elsewhere, 'second process', skip), 'appendForEver', { stream: 'render', callers: 16 });
    await other.wrote(300);
    await other.kill();
    for (const open of [async () => engine, needed(reopen, 'lasting storage', skip)]) {
      const all = await (await open()).readAll(0, 1_000_000);
      const known = new Set(idsOf(all));
      expect(other.lines.filter((id) => !known.has(id))).toEqual([]);
      expect(isInOrder(all)).toBe(true);
    }
  },

  'a log whose last writer was killed takes appends at once': async ({ engine, elsewhere }, skip) => {
    const other = actElsewhere(needed(elsewhere, 'second process', skip), 'appendForEver', { stream: 'render', callers: 4 });
    await other.wrote(20);
    await other.kill();
    await expect(engine.append('render-after', eventsOf(1), noStream)).resolves.toMatchObject({ revision: 0 });
  },

  'processes that open a new log at the same moment all succeed': async ({ elsewhere }, skip) => {
    const place = needed(elsewhere, 'second process', skip);
    const codes = await Promise.all(Array.from({ length: 4 }, () => actElsewhere(place, 'open').ended()));
    expect(codes).toEqual([0, 0, 0, 0]);
  },
};
