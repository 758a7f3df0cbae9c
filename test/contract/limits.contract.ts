import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Limits, LogFact, ReadMonth } from '#libs/limits/port.ts';
import { type Cases, describeContract, needed, type Opened } from './harness.ts';

/** `another` opens the same counts once more, as a second process would. */
export type OpenedLimits = Opened<Limits> & { another?: () => Promise<Limits> };

const at = (time: string): Date => new Date(time);
const noon = at('2026-05-20T12:00:30.000Z');
const many = <T>(count: number, work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, work));
const allowedOf = (answers: readonly { allowed: boolean }[]): number => answers.filter(({ allowed }) => allowed).length;

/** What the log is made to say: the account `known` has had three renders in May 2026, up to position 100. */
const monthInTheLog: ReadMonth = async (accountId, month) => ({ used: accountId === 'known' && month === '2026-05' ? 3 : 0, through: 100 });

/** A new render of an account. */
const of = (accountId: string) => ({ id: randomUUID(), accountId });
const givenBack = (accountId: string, month: string, position: number): LogFact => ({ kind: 'given-back', accountId, month, position });
const usedBy = async (engine: Limits, accountId: string, now = noon): Promise<number> => (await engine.renders(accountId, null, now)).used;

const cases: Cases<OpenedLimits> = {
  'requests are allowed up to the limit, and the count stays there': async ({ engine }) => {
    const answers = [];
    for (let request = 0; request < 4; request += 1) answers.push(await engine.takeRequest('a', 2, noon));
    const resetAt = at('2026-05-20T12:01:00.000Z');
    expect(answers).toEqual([
      { allowed: true, limit: 2, used: 1, resetAt },
      { allowed: true, limit: 2, used: 2, resetAt },
      { allowed: false, limit: 2, used: 2, resetAt },
      { allowed: false, limit: 2, used: 2, resetAt },
    ]);
  },

  'of many requests at once exactly as many pass as the limit allows': async ({ engine }) => {
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.nat({ max: 60 }), fc.nat({ max: 60 }), async (account, limit, count) => {
        const answers = await many(count, () => engine.takeRequest(account, limit, noon));
        expect(allowedOf(answers)).toBe(Math.min(limit, count));
      }),
      { numRuns: 25 },
    );
  },

  'of many renders at once exactly as many pass as the quota allows, those of the log counted': async ({ engine }) => {
    expect(allowedOf(await many(50, () => engine.takeRender(of('known'), 20, noon)))).toBe(17);
    expect(allowedOf(await many(50, () => engine.takeRender(of('new'), 20, noon)))).toBe(20);
    expect(await engine.renders('known', 20, noon)).toEqual({ allowed: false, limit: 20, used: 20, resetAt: at('2026-06-01T00:00:00.000Z') });
  },

  'also when the month has just changed': async ({ engine }) => {
    await engine.takeRender(of('a'), 20, at('2026-05-31T23:59:59.999Z'));
    expect(allowedOf(await many(50, () => engine.takeRender(of('a'), 20, at('2026-06-01T00:00:00.000Z'))))).toBe(20);
  },

  'a window of requests is the minute on the clock': async ({ engine }) => {
    expect((await engine.takeRequest('a', 1, at('2026-05-20T12:00:00.000Z'))).allowed).toBe(true);
    expect((await engine.takeRequest('a', 1, at('2026-05-20T12:00:59.999Z'))).allowed).toBe(false);
    expect(await engine.takeRequest('a', 1, at('2026-05-20T12:01:00.000Z'))).toMatchObject({ allowed: true, resetAt: at('2026-05-20T12:02:00.000Z') });
  },

  'a window of renders is the month in UTC, at the end of the year and in February of leap years too': async ({ engine }) => {
    const edges = [
      ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
      ['2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-04-01T00:00:00.000Z'],
      ['2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00.000Z', '2027-04-01T00:00:00.000Z'],
    ] as const;
    for (const [last, first, end] of edges) {
      expect(await engine.takeRender(of(last), 1, at(last))).toMatchObject({ allowed: true, resetAt: at(first) });
      expect((await engine.takeRender(of(last), 1, at(last))).allowed).toBe(false);
      expect(await engine.takeRender(of(last), 1, at(first))).toMatchObject({ allowed: true, used: 1, resetAt: at(end) });
    }
    expect(await engine.renders('leap', 1, at('2028-02-28T12:00:00.000Z'))).toMatchObject({ resetAt: at('2028-03-01T00:00:00.000Z') });
  },

  'minutes are forgotten two hours later, and not the month with them': async ({ engine, reopen }, skip) => {
    needed(reopen, 'lasting storage', skip);
    await engine.takeRender(of('a'), null, noon);
    await engine.takeRequest('a', 1, noon);
    await engine.takeRequest('a', 1, new Date(noon.getTime() + 3 * 3_600_000));
    expect((await engine.requests('a', 1, noon)).used).toBe(0);
    expect(await usedBy(engine, 'a')).toBe(1);
  },

  'no limit counts and always allows': async ({ engine }) => {
    expect(allowedOf(await many(500, () => engine.takeRequest('a', null, noon)))).toBe(500);
    expect(allowedOf(await many(500, () => engine.takeRender(of('a'), null, noon)))).toBe(500);
    expect(await engine.renders('a', null, noon)).toMatchObject({ allowed: true, limit: null, used: 500 });
  },

  'a limit of nothing allows nothing, and counts nothing': async ({ engine }) => {
    const resetAt = at('2026-05-20T12:01:00.000Z');
    const nothing = { allowed: false, limit: 0, used: 0, resetAt };
    expect(await engine.takeRequest('a', 0, noon)).toEqual(nothing);
    expect(await engine.admit('a', { perMinute: 0, perMonth: 0 }, noon)).toEqual({ minute: nothing, month: { ...nothing, resetAt: at('2026-06-01T00:00:00.000Z') } });
    expect((await engine.takeRender(of('a'), 0, noon)).allowed).toBe(false);
    expect((await engine.takeRequest('a', 1, noon)).used).toBe(1);
  },

  'a limit changed within the window holds from then on': async ({ engine }) => {
    for (let request = 0; request < 5; request += 1) await engine.takeRequest('a', 5, noon);
    expect(await engine.takeRequest('a', 3, noon)).toMatchObject({ allowed: false, limit: 3, used: 5 });
    expect(await engine.takeRequest('a', 6, noon)).toMatchObject({ allowed: true, limit: 6, used: 6 });
  },

  'accounts do not share their counts, nor do requests and renders': async ({ engine }) => {
    await engine.takeRequest('a', 1, noon);
    await engine.takeRender(of('b'), 1, noon);
    expect((await engine.takeRequest('b', 1, noon)).allowed).toBe(true);
    expect((await engine.takeRender(of('a'), 1, noon)).allowed).toBe(true);
  },

  'who is admitted is counted in the minute, and told of the month without being counted there': async ({ engine }) => {
    const resetAt = at('2026-05-20T12:01:00.000Z');
    const month = { limit: 4, resetAt: at('2026-06-01T00:00:00.000Z') };
    const ask = () => engine.admit('known', { perMinute: 1, perMonth: 4 }, noon);
    expect(await ask()).toEqual({ minute: { allowed: true, limit: 1, used: 1, resetAt }, month: { ...month, allowed: true, used: 3 } });
    await engine.takeRender(of('known'), 4, noon);
    expect(await ask()).toEqual({ minute: { allowed: false, limit: 1, used: 1, resetAt }, month: { ...month, allowed: false, used: 4 } });
    expect((await engine.takeRequest('known', 2, noon)).used).toBe(2);
  },

  'who is admitted at the turn of the month is told of the one that has begun, and counted in its first minute': async ({ engine }) => {
    const [may, june] = [at('2026-05-31T23:59:59.999Z'), at('2026-06-01T00:00:00.000Z')];
    const ask = (now: Date) => engine.admit('known', { perMinute: 1, perMonth: 3 }, now);
    expect(await ask(may)).toMatchObject({ minute: { allowed: true, used: 1, resetAt: june }, month: { allowed: false, used: 3, resetAt: june } });
    expect(await ask(june)).toMatchObject({ minute: { allowed: true, used: 1, resetAt: at('2026-06-01T00:01:00.000Z') }, month: { allowed: true, used: 0, resetAt: at('2026-07-01T00:00:00.000Z') } });
    expect((await ask(may)).minute.allowed).toBe(false);
  },

  'asking for the minute does not count': async ({ engine }) => {
    const resetAt = at('2026-05-20T12:01:00.000Z');
    expect(await engine.requests('a', 1, noon)).toEqual({ allowed: true, limit: 1, used: 0, resetAt });
    await engine.takeRequest('a', 1, noon);
    expect(await engine.requests('a', 1, noon)).toEqual({ allowed: false, limit: 1, used: 1, resetAt });
  },

  'asking for the month does not count': async ({ engine }) => {
    expect(await engine.renders('known', 4, noon)).toMatchObject({ allowed: true, used: 3 });
    expect(await engine.renders('known', 4, noon)).toMatchObject({ allowed: true, used: 3 });
    expect((await engine.takeRender(of('known'), 4, noon)).allowed).toBe(true);
    expect(await engine.renders('known', 4, noon)).toMatchObject({ allowed: false, used: 4 });
  },

  'a render that the log gives back can be had again': async ({ engine }) => {
    await engine.takeRender(of('a'), 1, noon);
    await engine.learn([givenBack('a', '2026-05', 101)]);
    expect((await engine.takeRender(of('a'), 1, noon)).allowed).toBe(true);
    expect((await engine.takeRender(of('a'), 1, noon)).allowed).toBe(false);
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
    await engine.takeRender(of('a'), 1, noon);
    await engine.learn([101, 102, 103].map((position) => givenBack('a', '2026-05', position)));
    expect(await usedBy(engine, 'a')).toBe(0);
    expect(allowedOf(await many(5, () => engine.takeRender(of('a'), 1, noon)))).toBe(1);
  },

  'a render of last month that is given back late leaves the count of this month alone': async ({ engine }) => {
    const [may, june] = [at('2026-05-31T23:59:50.000Z'), at('2026-06-01T00:00:10.000Z')];
    await engine.takeRender(of('known'), 10, may);
    const late = of('known');
    await engine.takeRender(late, 10, may);
    await engine.takeRender(of('known'), 10, june);
    await engine.learn([givenBack('known', '2026-05', 101)]);
    await engine.forgoRender(late.id);
    expect([await usedBy(engine, 'known', may), await usedBy(engine, 'known', june)]).toEqual([3, 1]);
  },

  'a render that never came into the log is taken back, once': async ({ engine }) => {
    const [kept, forgone] = [of('a'), of('a')];
    for (const render of [kept, forgone]) await engine.takeRender(render, 2, noon);
    await Promise.all([engine.forgoRender(forgone.id), engine.forgoRender(forgone.id), engine.forgoRender('never taken')]);
    expect(await usedBy(engine, 'a')).toBe(1);
  },

  'a render that is asked for again while it is open counts once, and is allowed even where nothing is left': async ({ engine }) => {
    const render = of('a');
    for (let time = 0; time < 3; time += 1) expect(await engine.takeRender(render, 1, noon)).toMatchObject({ allowed: true, used: 1 });
    expect(await engine.takeRender(render, null, noon)).toMatchObject({ allowed: true, used: 1 });
    expect((await engine.takeRender(of('a'), 1, noon)).allowed).toBe(false);
  },

  'a render that is in the log is no longer open, and is not taken back any more': async ({ engine }) => {
    const render = of('a');
    await engine.takeRender(render, 2, noon);
    await engine.learn([{ kind: 'accepted', renderId: render.id }, { kind: 'accepted', renderId: 'of another process' }]);
    await engine.forgoRender(render.id);
    expect(await usedBy(engine, 'a')).toBe(1);
    expect(await engine.openRenders(at('2027-01-01T00:00:00.000Z'))).toEqual([]);
  },

  'renders are open from when they are counted; those that were refused are not': async ({ engine }) => {
    const [early, late, refused] = [of('a'), of('a'), of('a')];
    const after = new Date(noon.getTime() + 10_000);
    await engine.takeRender(early, 2, noon);
    await engine.takeRender(late, 2, after);
    await engine.takeRender(refused, 2, after);
    expect(await engine.openRenders(noon)).toEqual([]);
    expect(await engine.openRenders(after)).toEqual([early.id]);
    expect((await engine.openRenders(new Date(after.getTime() + 1))).toSorted()).toEqual([early.id, late.id].toSorted());
  },

  'processes that share the counts are exact together': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const takers = Array.from({ length: 60 }, (_, number) => (number % 2 ? engine : other));
    expect(allowedOf(await Promise.all(takers.map((limits) => limits.takeRequest('a', 25, noon))))).toBe(25);
    expect(allowedOf(await Promise.all(takers.map((limits) => limits.takeRender(of('known'), 25, noon))))).toBe(22);
    const facts = [givenBack('known', '2026-05', 101)];
    await Promise.all([engine.learn(facts), other.learn(facts)]);
    expect([await usedBy(engine, 'known'), await usedBy(other, 'known')]).toEqual([24, 24]);
  },

  'all is still counted after reopening': async ({ engine, reopen }, skip) => {
    const open = needed(reopen, 'lasting storage', skip);
    const render = of('known');
    await engine.takeRequest('a', 1, noon);
    await engine.takeRender(render, 10, noon);
    await engine.learn([givenBack('known', '2026-05', 101)]);
    const again = await open();
    expect((await again.takeRequest('a', 1, noon)).allowed).toBe(false);
    await again.learn([givenBack('known', '2026-05', 101)]);
    expect(await usedBy(again, 'known')).toBe(3);
    await again.forgoRender(render.id);
    expect(await usedBy(again, 'known')).toBe(2);
  },

  'a clock that jumps back an hour locks nobody out, lets nobody through twice and forgets nothing': async ({ engine }) => {
    const [now, before] = [noon, new Date(noon.getTime() - 3_600_000)];
    await many(5, () => engine.takeRequest('a', 5, now));
    expect(allowedOf(await many(9, () => engine.takeRequest('a', 5, before)))).toBe(5);
    expect((await engine.takeRequest('a', 5, before)).resetAt).toEqual(at('2026-05-20T11:01:00.000Z'));
    expect((await engine.takeRequest('a', 5, now)).allowed).toBe(false);
    expect((await engine.takeRequest('a', 6, now)).allowed).toBe(true);
    expect((await engine.takeRequest('a', 5, before)).allowed).toBe(false);
    const [june, may] = [at('2026-06-01T00:30:00.000Z'), at('2026-05-31T23:30:00.000Z')];
    await many(2, () => engine.takeRender(of('a'), 2, june));
    expect(allowedOf(await many(5, () => engine.takeRender(of('a'), 2, may)))).toBe(2);
    await engine.takeRequest('a', null, june);
    expect((await engine.takeRender(of('a'), 2, june)).allowed).toBe(false);
    expect((await engine.takeRender(of('a'), 2, may)).allowed).toBe(false);
  },
};

/** What every engine of the limits does. `open` gives an engine without counts that learns from `readMonth`. */
export const describeLimitsContract = (name: string, open: (readMonth: ReadMonth) => Promise<OpenedLimits>): void => describeContract(`${name} as limits`, () => open(monthInTheLog), cases);
