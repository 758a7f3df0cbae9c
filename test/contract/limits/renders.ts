import { expect } from 'vitest';
import { type Cases, needed } from '../harness.ts';
import { allowedOf, always, at, later, many, monthIn, noon, renderOf, take, usedBy, type OpenedLimits } from './accounts.ts';

/** What every engine does with the renders of a month: counted, taken back, corrected. */
export const renders: Cases<OpenedLimits> = {
  'of many renders at once exactly as many pass as the quota allows, those of the usage counted': async ({ engine }) => {
    expect(allowedOf(await many(50, () => take(engine, 'known', 20)))).toBe(17);
    expect(allowedOf(await many(50, () => take(engine, 'new', 20)))).toBe(20);
    expect(await monthIn(engine, 'known', 20)).toEqual({ allowed: false, limit: 20, used: 20, resetAt: at('2026-06-01T00:00:00.000Z') });
  },

  'also when the month has just changed': async ({ engine }) => {
    await take(engine, 'a', 20, at('2026-05-31T23:59:59.999Z'));
    expect(allowedOf(await many(50, () => take(engine, 'a', 20, at('2026-06-01T00:00:00.000Z'))))).toBe(20);
  },

  'a window of renders is the month in UTC, at the end of the year and in February of leap years too': async ({ engine }) => {
    const edges = [
      ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
      ['2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-04-01T00:00:00.000Z'],
      ['2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00.000Z', '2027-04-01T00:00:00.000Z'],
    ] as const;
    for (const [last, first, end] of edges) {
      expect(await take(engine, last, 1, at(last))).toMatchObject({ allowed: true, resetAt: at(first) });
      expect((await take(engine, last, 1, at(last))).allowed).toBe(false);
      expect(await take(engine, last, 1, at(first))).toMatchObject({ allowed: true, used: 1, resetAt: at(end) });
    }
    expect(await monthIn(engine, 'leap', 1, at('2028-02-28T12:00:00.000Z'))).toMatchObject({ resetAt: at('2028-03-01T00:00:00.000Z') });
  },

  'asking for the month does not count': async ({ engine }) => {
    for (let time = 0; time < 2; time += 1) expect(await monthIn(engine, 'known', 4)).toMatchObject({ allowed: true, used: 3 });
    expect((await take(engine, 'known', 4)).allowed).toBe(true);
    expect(await monthIn(engine, 'known', 4)).toMatchObject({ allowed: false, used: 4 });
  },

  'a month without a quota allows everything': async ({ engine }) => {
    expect(allowedOf(await many(500, () => take(engine, 'a', null)))).toBe(500);
    expect(await monthIn(engine, 'a', null)).toMatchObject({ allowed: true, limit: null });
  },

  'an account that comes to have a quota again has used what the usage has': async ({ engine, usage }) => {
    for (const render of [renderOf('known', 500, noon, { since: 7 }), renderOf('known', null)]) {
      await engine.takeRender(render);
      await engine.settleRender(render, 140);
    }
    usage.set('known', '2026-05', { used: 40, through: 140 });
    const render = renderOf('known', 41, noon, { since: 11 });
    expect(await engine.takeRender(render)).toMatchObject({ allowed: true, used: 41 });
    expect(await take(engine, 'known', 41, noon, { since: 11 })).toMatchObject({ allowed: false, used: 41 });
  },

  'a render that was not accepted is taken back, once': async ({ engine }) => {
    const [kept, failed] = [renderOf('a', 2), renderOf('a', 2)];
    for (const render of [kept, failed]) await engine.takeRender(render);
    await Promise.all([failed, failed, renderOf('a', 2)].map((render) => engine.settleRender(render, null)));
    expect(await usedBy(engine, 'a')).toBe(1);
    expect(allowedOf(await many(5, () => take(engine, 'a', 2)))).toBe(1);
  },

  'a render that is taken again before it is settled counts once, and is allowed even where nothing is left': async ({ engine }) => {
    const render = renderOf('a', 2);
    for (let time = 0; time < 3; time += 1) expect(await engine.takeRender(render)).toMatchObject({ allowed: true, used: 1 });
    await take(engine, 'a', 2);
    expect(await engine.takeRender(render)).toMatchObject({ allowed: true, used: 2 });
    expect((await take(engine, 'a', 2)).allowed).toBe(false);
  },

  'a render that the usage gives back can be had again': async ({ engine, usage }) => {
    const render = renderOf('a', 1);
    await engine.takeRender(render);
    await engine.settleRender(render, 101);
    usage.set('a', '2026-05', { used: 0, through: 105 });
    await engine.correct(always(101), noon);
    expect(allowedOf(await many(5, () => take(engine, 'a', 1)))).toBe(1);
  },

  'a render that two corrections at once give back is given back once': async ({ engine, usage }) => {
    await take(engine, 'known', 5);
    usage.set('known', '2026-05', { used: 3, through: 105 });
    await engine.correct(async () => {
      await engine.correct(always(101), noon);
      return 101;
    }, noon);
    expect(await usedBy(engine, 'known')).toBe(3);
  },

  'a render of last month that is given back late leaves the count of this month alone': async ({ engine, usage }) => {
    const [may, june] = [at('2026-05-31T23:59:50.000Z'), at('2026-06-01T00:00:10.000Z')];
    const late = renderOf('known', 10, may);
    for (const render of [renderOf('known', 10, may), late, renderOf('known', 10, june)]) await engine.takeRender(render);
    await engine.settleRender(late, null);
    usage.set('known', '2026-05', { used: 2, through: 101 });
    await engine.correct(always('pending'), june);
    expect([await usedBy(engine, 'known', may), await usedBy(engine, 'known', june)]).toEqual([3, 1]);
  },

  'a render that was never accepted is taken back by a correction, and not while it is pending': async ({ engine }) => {
    await take(engine, 'known', 5);
    await engine.correct(always('pending'), noon);
    expect(await usedBy(engine, 'known')).toBe(4);
    await Promise.all([engine.correct(always('never'), noon), engine.correct(always('never'), noon)]);
    expect(await usedBy(engine, 'known')).toBe(3);
  },

  'a render that is taken back while a correction gives it up is taken back once': async ({ engine }) => {
    const render = renderOf('known', 5);
    await engine.takeRender(render);
    await engine.correct(async () => {
      await engine.settleRender(render, null);
      return 'never';
    }, noon);
    expect(await usedBy(engine, 'known')).toBe(3);
  },

  'a render that was accepted and never settled counts once': async ({ engine, usage }) => {
    await take(engine, 'known', 10);
    usage.set('known', '2026-05', { used: 4, through: 101 });
    await engine.correct(always(101), noon);
    expect(await usedBy(engine, 'known')).toBe(4);
    await take(engine, 'known', 10);
    await engine.correct(always(102), noon);
    expect(await usedBy(engine, 'known')).toBe(5);
  },

  'months are forgotten after three months': async ({ engine }) => {
    await take(engine, 'known', 10);
    await engine.correct(always('never'), later(noon, 24 * 31 * 5));
    expect(await usedBy(engine, 'known')).toBe(3);
  },

  'no month is begun while the usage is behind, and it is asked again': async ({ engine, usage }) => {
    usage.caughtUp = () => Promise.reject(new Error('behind'));
    await expect(take(engine, 'known', 5)).rejects.toThrow('behind');
    await expect(engine.admit('known', { perMinute: null, perMonth: 5 }, noon)).rejects.toThrow('behind');
    usage.caughtUp = async () => undefined;
    expect(await take(engine, 'known', 5)).toMatchObject({ allowed: true, used: 4 });
  },

  'all is still counted after reopening': async ({ engine, reopen }, skip) => {
    const open = needed(reopen, 'lasting storage', skip);
    const render = renderOf('known', 10);
    await engine.admit('known', { perMinute: 1, perMonth: 10 }, noon);
    await engine.takeRender(render);
    const again = await open();
    expect((await again.admit('known', { perMinute: 1, perMonth: 10 }, noon)).minute.allowed).toBe(false);
    await again.settleRender(render, null);
    expect(await usedBy(again, 'known')).toBe(4 - 1);
  },
};
