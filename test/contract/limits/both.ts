import { expect } from 'vitest';
import { type Cases, needed } from '../harness.ts';
import { allowedOf, at, givenBack, many, noon, of, takeRequest, usedBy, type OpenedLimits } from './accounts.ts';

/** What holds for requests and renders alike. */
export const both: Cases<OpenedLimits> = {
  'no limit counts and always allows': async ({ engine }) => {
    expect(allowedOf(await many(500, () => takeRequest(engine, 'a', null, noon)))).toBe(500);
    expect(allowedOf(await many(500, () => engine.takeRender(of('a'), { perMonth: null }, noon)))).toBe(500);
    expect(await engine.renders('a', { perMonth: null }, noon)).toMatchObject({ allowed: true, limit: null, used: 500 });
  },

  'a limit of nothing allows nothing, and counts nothing': async ({ engine }) => {
    const resetAt = at('2026-05-20T12:01:00.000Z');
    const nothing = { allowed: false, limit: 0, used: 0, resetAt };
    expect(await takeRequest(engine, 'a', 0, noon)).toEqual(nothing);
    expect(await engine.admit('a', { perMinute: 0, perMonth: 0 }, noon)).toEqual({ minute: nothing, month: { ...nothing, resetAt: at('2026-06-01T00:00:00.000Z') } });
    expect((await engine.takeRender(of('a'), { perMonth: 0 }, noon)).allowed).toBe(false);
    expect((await takeRequest(engine, 'a', 1, noon)).used).toBe(1);
  },

  'accounts do not share their counts, nor do requests and renders': async ({ engine }) => {
    await takeRequest(engine, 'a', 1, noon);
    await engine.takeRender(of('b'), { perMonth: 1 }, noon);
    expect((await takeRequest(engine, 'b', 1, noon)).allowed).toBe(true);
    expect((await engine.takeRender(of('a'), { perMonth: 1 }, noon)).allowed).toBe(true);
  },

  'processes that share the counts are exact together': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const takers = Array.from({ length: 60 }, (_, number) => (number % 2 ? engine : other));
    expect(allowedOf(await Promise.all(takers.map((limits) => takeRequest(limits, 'a', 25, noon))))).toBe(25);
    expect(allowedOf(await Promise.all(takers.map((limits) => limits.takeRender(of('known'), { perMonth: 25 }, noon))))).toBe(22);
    const facts = [givenBack('known', '2026-05', 101)];
    await Promise.all([engine.learn(facts), other.learn(facts)]);
    expect([await usedBy(engine, 'known'), await usedBy(other, 'known')]).toEqual([24, 24]);
  },

  'all is still counted after reopening': async ({ engine, reopen }, skip) => {
    const open = needed(reopen, 'lasting storage', skip);
    const render = of('known');
    await takeRequest(engine, 'a', 1, noon);
    await engine.takeRender(render, { perMonth: 10 }, noon);
    await engine.learn([givenBack('known', '2026-05', 101)]);
    const again = await open();
    expect((await takeRequest(again, 'a', 1, noon)).allowed).toBe(false);
    await again.learn([givenBack('known', '2026-05', 101)]);
    expect(await usedBy(again, 'known')).toBe(3);
    await again.forgoRender(render.id);
    expect(await usedBy(again, 'known')).toBe(2);
  },

  'what was counted from an event log that has been exchanged is counted anew when it is forgotten, and minutes stay': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    expect(await engine.builtTo()).toBe(0);
    await takeRequest(engine, 'known', 1, noon);
    const open = of('known');
    await engine.takeRender(open, { perMonth: 10 }, noon);
    await engine.learn([givenBack('known', '2026-05', 900), givenBack('known', '2026-05', 901)]);
    expect([await usedBy(engine, 'known'), await other.builtTo()]).toEqual([2, 901]);
    await other.forget();
    expect(await engine.builtTo()).toBe(0);
    expect([await usedBy(engine, 'known'), await engine.builtTo()]).toEqual([3, 100]);
    await engine.forgoRender(open.id);
    await engine.learn([givenBack('known', '2026-05', 101)]);
    expect(await usedBy(other, 'known')).toBe(2);
    expect((await takeRequest(engine, 'known', 1, noon)).allowed).toBe(false);
  },

  'a clock that jumps back an hour locks nobody out, lets nobody through twice and forgets nothing': async ({ engine }) => {
    const [now, before] = [noon, new Date(noon.getTime() - 3_600_000)];
    await many(5, () => takeRequest(engine, 'a', 5, now));
    expect(allowedOf(await many(9, () => takeRequest(engine, 'a', 5, before)))).toBe(5);
    expect((await takeRequest(engine, 'a', 5, before)).resetAt).toEqual(at('2026-05-20T11:01:00.000Z'));
    expect((await takeRequest(engine, 'a', 5, now)).allowed).toBe(false);
    expect((await takeRequest(engine, 'a', 6, now)).allowed).toBe(true);
    expect((await takeRequest(engine, 'a', 5, before)).allowed).toBe(false);
    const [june, may] = [at('2026-06-01T00:30:00.000Z'), at('2026-05-31T23:30:00.000Z')];
    await many(2, () => engine.takeRender(of('a'), { perMonth: 2 }, june));
    expect(allowedOf(await many(5, () => engine.takeRender(of('a'), { perMonth: 2 }, may)))).toBe(2);
    await takeRequest(engine, 'a', null, june);
    expect((await engine.takeRender(of('a'), { perMonth: 2 }, june)).allowed).toBe(false);
    expect((await engine.takeRender(of('a'), { perMonth: 2 }, may)).allowed).toBe(false);
  },
};
