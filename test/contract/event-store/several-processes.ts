import { expect } from 'vitest';
import { type EventStore, noStream } from '#libs/event-store/port.ts';
import { type ContractCases, requireAbility, type EngineUnderTest } from '../../support/contract/describe-contract.ts';
import { runInOtherProcess } from '../../support/processes/other-process.ts';
import { readSubscription, newEvents, eventIds, isInOrder } from '../../support/contract/new-events.ts';

export const eventStoreProcessesCases: ContractCases<EngineUnderTest<EventStore>> = {
  'a waiting subscription gets events that another process appends': async ({ engine, engineModule }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'append', {
      stream: 'render-1',
      count: 20,
    });
    const got = await readSubscription(engine, 0, 20);
    await other.exited();
    expect(eventIds(got)).toEqual(other.lines);
  },

  'a process that only subscribes keeps running until there are events': async ({ engine, engineModule }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'subscribe', { count: 2 });
    await other.waitForLines(1);
    const events = newEvents(2);
    await engine.append('render-1', events, noStream);
    expect(await other.exited()).toBe(0);
    expect(other.lines).toEqual(['ready', ...eventIds(events)]);
  },

  'parallel appends of two processes have one order': async ({ engine, engineModule }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'append', {
      stream: 'render-1',
      count: 50,
    });
    const live = readSubscription(engine, 0, 100);
    await other.waitForLines(1);
    for (let number = 0; number < 50; number += 1) await engine.append('render-2', newEvents(1), number - 1);
    expect(await other.exited()).toBe(0);
    const all = await engine.readAll(0, 1_000);
    expect(all).toHaveLength(100);
    expect(isInOrder(all)).toBe(true);
    expect(await live).toEqual(all);
  },

  'no acknowledged event is lost when the process is killed': async ({ engine, engineModule, reopen }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'appendForever', {
      stream: 'render',
      callers: 16,
    });
    await other.waitForLines(300);
    await other.kill();
    for (const open of [async () => engine, requireAbility(reopen, 'lasting storage', skip)]) {
      const all = await (await open()).readAll(0, 1_000_000);
      const known = new Set(eventIds(all));
      expect(other.lines.filter((id) => !known.has(id))).toEqual([]);
      expect(isInOrder(all)).toBe(true);
    }
  },

  'an event log accepts appends at once after its last writer was killed': async ({ engine, engineModule }, skip) => {
    const other = runInOtherProcess(requireAbility(engineModule, 'second process', skip), 'appendForever', {
      stream: 'render',
      callers: 4,
    });
    await other.waitForLines(20);
    await other.kill();
    await expect(engine.append('render-after', newEvents(1), noStream)).resolves.toMatchObject({ revision: 0 });
  },

  'several processes can open a new event log at the same moment': async ({ engineModule }, skip) => {
    const engineToOpen = requireAbility(engineModule, 'second process', skip);
    const codes = await Promise.all(Array.from({ length: 3 }, () => runInOtherProcess(engineToOpen, 'open').exited()));
    expect(codes).toEqual([0, 0, 0]);
  },
};
