import { expect } from 'vitest';
import { type Cases } from '../harness.ts';
import { allowedOf, at, givenBack, many, noon, of, usedBy, type OpenedLimits } from './accounts.ts';

/** What every engine does with the renders of a month: counted, given back, open until the log has them. */
export const renders: Cases<OpenedLimits> = {
  'of many renders at once exactly as many pass as the quota allows, those of the log counted': async ({ engine }) => {
    expect(allowedOf(await many(50, () => engine.takeRender(of('known'), { perMonth: 20 }, noon)))).toBe(17);
    expect(allowedOf(await many(50, () => engine.takeRender(of('new'), { perMonth: 20 }, noon)))).toBe(20);
    expect(await engine.renders('known', { perMonth: 20 }, noon)).toEqual({ allowed: false, limit: 20, used: 20, resetAt: at('2026-06-01T00:00:00.000Z') });
  },

  'also when the month has just changed': async ({ engine }) => {
    await engine.takeRender(of('a'), { perMonth: 20 }, at('2026-05-31T23:59:59.999Z'));
    expect(allowedOf(await many(50, () => engine.takeRender(of('a'), { perMonth: 20 }, at('2026-06-01T00:00:00.000Z'))))).toBe(20);
  },

  'a window of renders is the month in UTC, at the end of the year and in February of leap years too': async ({ engine }) => {
    const edges = [
      ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
      ['2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-04-01T00:00:00.000Z'],
      ['2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00.000Z', '2027-04-01T00:00:00.000Z'],
    ] as const;
    for (const [last, first, end] of edges) {
      expect(await engine.takeRender(of(last), { perMonth: 1 }, at(last))).toMatchObject({ allowed: true, resetAt: at(first) });
      expect((await engine.takeRender(of(last), { perMonth: 1 }, at(last))).allowed).toBe(false);
      expect(await engine.takeRender(of(last), { perMonth: 1 }, at(first))).toMatchObject({ allowed: true, used: 1, resetAt: at(end) });
    }
    expect(await engine.renders('leap', { perMonth: 1 }, at('2028-02-28T12:00:00.000Z'))).toMatchObject({ resetAt: at('2028-03-01T00:00:00.000Z') });
  },

  'asking for the month does not count': async ({ engine }) => {
    expect(await engine.renders('known', { perMonth: 4 }, noon)).toMatchObject({ allowed: true, used: 3 });
    expect(await engine.renders('known', { perMonth: 4 }, noon)).toMatchObject({ allowed: true, used: 3 });
    expect((await engine.takeRender(of('known'), { perMonth: 4 }, noon)).allowed).toBe(true);
    expect(await engine.renders('known', { perMonth: 4 }, noon)).toMatchObject({ allowed: false, used: 4 });
  },

  'a render that the log gives back can be had again': async ({ engine }) => {
    await engine.takeRender(of('a'), { perMonth: 1 }, noon);
    await engine.learn([givenBack('a', '2026-05', 101)]);
    expect((await engine.takeRender(of('a'), { perMonth: 1 }, noon)).allowed).toBe(true);
    expect((await engine.takeRender(of('a'), { perMonth: 1 }, noon)).allowed).toBe(false);
  },

  'what the log gives back counts once, however often it is told, and not where the first count knew of it': async ({ engine }) => {
    expect(await usedBy(engine, 'known')).toBe(3);
    await engine.learn([givenBack('known', '2026-05', 99), givenBack('known', '2026-05', 100)]);
    expect(await usedBy(engine, 'known')).toBe(3);
    const facts = [givenBack('known', '2026-05', 101), givenBack('known', '2026-05', 105)];
    await engine.learn(facts);
    await engine.learn(facts);
    expect(await usedBy(engine, 'known')).toBe(1);
  },

  'the count never falls below nothing': async ({ engine }) => {
    await engine.takeRender(of('a'), { perMonth: 1 }, noon);
    await engine.learn([101, 102, 103].map((position) => givenBack('a', '2026-05', position)));
    expect(await usedBy(engine, 'a')).toBe(0);
    expect(allowedOf(await many(5, () => engine.takeRender(of('a'), { perMonth: 1 }, noon)))).toBe(1);
  },

  'a render of last month that is given back late leaves the count of this month alone': async ({ engine }) => {
    const [may, june] = [at('2026-05-31T23:59:50.000Z'), at('2026-06-01T00:00:10.000Z')];
    await engine.takeRender(of('known'), { perMonth: 10 }, may);
    const late = of('known');
    await engine.takeRender(late, { perMonth: 10 }, may);
    await engine.takeRender(of('known'), { perMonth: 10 }, june);
    await engine.learn([givenBack('known', '2026-05', 101)]);
    await engine.forgoRender(late.id);
    expect([await usedBy(engine, 'known', may), await usedBy(engine, 'known', june)]).toEqual([3, 1]);
  },

  'a render that never came into the log is taken back, once': async ({ engine }) => {
    const [kept, forgone] = [of('a'), of('a')];
    for (const render of [kept, forgone]) await engine.takeRender(render, { perMonth: 2 }, noon);
    await Promise.all([engine.forgoRender(forgone.id), engine.forgoRender(forgone.id), engine.forgoRender('never taken')]);
    expect(await usedBy(engine, 'a')).toBe(1);
  },

  'a render that is asked for again while it is open counts once, and is allowed even where nothing is left': async ({ engine }) => {
    const render = of('a');
    for (let time = 0; time < 3; time += 1) expect(await engine.takeRender(render, { perMonth: 1 }, noon)).toMatchObject({ allowed: true, used: 1 });
    expect(await engine.takeRender(render, { perMonth: null }, noon)).toMatchObject({ allowed: true, used: 1 });
    expect((await engine.takeRender(of('a'), { perMonth: 1 }, noon)).allowed).toBe(false);
  },

  'a render that is in the log is no longer open, and is not taken back any more': async ({ engine }) => {
    const render = of('a');
    await engine.takeRender(render, { perMonth: 2 }, noon);
    await engine.learn([{ kind: 'accepted', renderId: render.id }, { kind: 'accepted', renderId: 'of another process' }]);
    await engine.forgoRender(render.id);
    expect(await usedBy(engine, 'a')).toBe(1);
    expect(await engine.openRenders(at('2027-01-01T00:00:00.000Z'))).toEqual([]);
  },

  'renders are open from when they are counted; those that were refused are not': async ({ engine }) => {
    const [early, late, refused] = [of('a'), of('a'), of('a')];
    const after = new Date(noon.getTime() + 10_000);
    await engine.takeRender(early, { perMonth: 2 }, noon);
    await engine.takeRender(late, { perMonth: 2 }, after);
    await engine.takeRender(refused, { perMonth: 2 }, after);
    expect(await engine.openRenders(noon)).toEqual([]);
    expect(await engine.openRenders(after)).toEqual([early.id]);
    expect((await engine.openRenders(new Date(after.getTime() + 1))).toSorted()).toEqual([early.id, late.id].toSorted());
  },
};
