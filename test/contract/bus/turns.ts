import { expect } from 'vitest';
import type { OpenedBus } from './opened.ts';
import type { Cases } from '../harness.ts';
import { messageOf, next, worker } from './messages.ts';

const publish = async ({ engine }: OpenedBus, labels: readonly string[], more: { urgent?: boolean; group?: string } = {}): Promise<void> => {
  for (const label of labels) await engine.publish({ ...messageOf(label), ...more });
};

const takeAll = async ({ engine }: OpenedBus, count: number): Promise<unknown[]> => {
  const taken: unknown[] = [];
  for (let number = 0; number < count; number += 1) {
    const delivery = await next(engine);
    taken.push(delivery.data);
    await delivery.ack();
  }
  return taken;
};

const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, number) => `${name}${number}`);

export const turns: Cases<OpenedBus> = {
  'a group with much to do does not hold up a group with little': async (opened) => {
    await publish(opened, numbered('many', 50), { group: 'many' });
    await publish(opened, ['one'], { group: 'one' });
    expect(await takeAll(opened, 3)).toContain('one');
  },

  'groups take turns, and each keeps its order': async (opened) => {
    for (const group of ['a', 'b', 'c']) await publish(opened, numbered(group, 5), { group });
    const taken = await takeAll(opened, 15);
    for (const group of ['a', 'b', 'c']) {
      expect(taken.filter((label) => String(label).startsWith(group))).toEqual(numbered(group, 5));
      expect(taken.slice(0, 3).some((label) => String(label).startsWith(group))).toBe(true);
    }
  },

  'urgent messages go before the others': async (opened) => {
    await publish(opened, numbered('ordinary', 5));
    await publish(opened, ['urgent0', 'urgent1'], { urgent: true });
    expect((await takeAll(opened, 3)).filter((label) => String(label).startsWith('urgent'))).toHaveLength(2);
  },

  'however many urgent messages there are, the others do not starve': async (opened) => {
    await publish(opened, numbered('urgent', 40), { urgent: true });
    await publish(opened, ['ordinary']);
    expect(await takeAll(opened, 10)).toContain('ordinary');
  },

  'a message beside some groups is one of another group, urgent ones first, and there may be none': async (opened) => {
    const beside = async (...groups: string[]): Promise<unknown> => (await opened.engine.nextBeside(worker, new Set(groups)))?.data ?? null;
    await publish(opened, numbered('a', 3), { group: 'a' });
    await publish(opened, ['b0'], { group: 'b' });
    await publish(opened, ['c0'], { group: 'c', urgent: true });
    await publish(opened, ['none0']);
    expect([await beside('a', ''), await beside('a', ''), await beside('a', '')]).toEqual(['c0', 'b0', null]);
    expect([await beside('a'), await beside('a', 'b', 'c')]).toEqual(['none0', null]);
    expect([await beside('b'), await beside(), await beside(), await beside()]).toEqual(['a0', 'a1', 'a2', null]);
  },

  'a message that came back is among those beside other groups, and not among those beside its own': async (opened) => {
    await publish(opened, ['back'], { group: 'a' });
    const first = await next(opened.engine);
    expect(first.group).toBe('a');
    await first.nak(0);
    expect(await opened.engine.nextBeside(worker, new Set(['a']))).toBeNull();
    expect(await opened.engine.nextBeside(worker, new Set(['b']))).toMatchObject({ data: 'back', attempt: 2 });
  },

  'groups take turns also beside others': async (opened) => {
    for (const group of ['a', 'b', 'c', 'd']) await publish(opened, numbered(group, 3), { group });
    const taken: unknown[] = [];
    for (let number = 0; number < 6; number += 1) taken.push((await opened.engine.nextBeside(worker, new Set(['b'])))!.data);
    expect(taken.toSorted()).toEqual(['a0', 'a1', 'c0', 'c1', 'd0', 'd1']);
  },

  'what waits of one group can be counted, before it was ever looked at and while some of it is given out': async (opened) => {
    const { engine } = opened;
    await publish(opened, numbered('ordinary', 3), { group: 'a' });
    await publish(opened, ['urgent'], { urgent: true, group: 'a' });
    await publish(opened, ['other'], { group: 'b' });
    expect(await engine.waiting(worker, 'a')).toEqual({ urgent: 1, ordinary: 3 });
    expect(await engine.waiting(worker, 'nobody')).toEqual({ urgent: 0, ordinary: 0 });
    const given = await engine.nextBeside(worker, new Set(['b']));
    expect(given!.data).toBe('urgent');
    expect(await engine.waiting(worker, 'a')).toEqual({ urgent: 0, ordinary: 3 });
  },

  'urgent messages can be counted by themselves': async (opened) => {
    await publish(opened, numbered('ordinary', 3));
    await publish(opened, ['urgent'], { urgent: true });
    expect(await opened.engine.pending(worker, 'urgent')).toBe(1);
    expect(await opened.engine.pending(worker)).toBe(4);
  },
};
