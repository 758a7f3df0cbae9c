import fc from 'fast-check';
import { expect } from 'vitest';
import type { Limits } from '#libs/limits/port.ts';
import { type Cases, describeContract } from './harness.ts';

/** `rendersSoFar` is what the log says when the engine first counts an account's month. */
export type OpenedLimits = { engine: Limits; close: () => Promise<void> };
export type RendersSoFar = (accountId: string, month: string) => Promise<number>;

const at = (time: string): Date => new Date(time);
const noon = at('2026-05-20T12:00:30.000Z');
const many = <T>(count: number, work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, work));
const allowedOf = (answers: readonly { allowed: boolean }[]): number => answers.filter(({ allowed }) => allowed).length;

/** What the log is made to say: the account `known` has had three renders in May 2026. */
export const rendersInTheLog: RendersSoFar = async (accountId, month) => (accountId === 'known' && month === '2026-05' ? 3 : 0);

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
    expect(allowedOf(await many(50, () => engine.takeRender('known', 20, noon)))).toBe(17);
    expect(allowedOf(await many(50, () => engine.takeRender('new', 20, noon)))).toBe(20);
    expect(await engine.renders('known', 20, noon)).toEqual({ allowed: false, limit: 20, used: 20, resetAt: at('2026-06-01T00:00:00.000Z') });
  },

  'also when the month has just changed': async ({ engine }) => {
    await engine.takeRender('a', 20, at('2026-05-31T23:59:59.999Z'));
    expect(allowedOf(await many(50, () => engine.takeRender('a', 20, at('2026-06-01T00:00:00.000Z'))))).toBe(20);
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
      expect(await engine.takeRender(last, 1, at(last))).toMatchObject({ allowed: true, resetAt: at(first) });
      expect((await engine.takeRender(last, 1, at(last))).allowed).toBe(false);
      expect(await engine.takeRender(last, 1, at(first))).toMatchObject({ allowed: true, used: 1, resetAt: at(end) });
    }
    expect(await engine.renders('leap', 1, at('2028-02-28T12:00:00.000Z'))).toMatchObject({ resetAt: at('2028-03-01T00:00:00.000Z') });
  },

  'no limit counts and always allows': async ({ engine }) => {
    expect(allowedOf(await many(500, () => engine.takeRequest('a', null, noon)))).toBe(500);
    expect(allowedOf(await many(500, () => engine.takeRender('a', null, noon)))).toBe(500);
    expect(await engine.renders('a', null, noon)).toMatchObject({ allowed: true, limit: null, used: 500 });
  },

  'a limit changed within the window holds from then on': async ({ engine }) => {
    for (let request = 0; request < 5; request += 1) await engine.takeRequest('a', 5, noon);
    expect(await engine.takeRequest('a', 3, noon)).toMatchObject({ allowed: false, limit: 3, used: 5 });
    expect(await engine.takeRequest('a', 6, noon)).toMatchObject({ allowed: true, limit: 6, used: 6 });
  },

  'accounts do not share their counts, nor do requests and renders': async ({ engine }) => {
    await engine.takeRequest('a', 1, noon);
    await engine.takeRender('b', 1, noon);
    expect((await engine.takeRequest('b', 1, noon)).allowed).toBe(true);
    expect((await engine.takeRender('a', 1, noon)).allowed).toBe(true);
  },

  'asking for the month does not count': async ({ engine }) => {
    expect(await engine.renders('known', 4, noon)).toMatchObject({ allowed: true, used: 3 });
    expect(await engine.renders('known', 4, noon)).toMatchObject({ allowed: true, used: 3 });
    expect((await engine.takeRender('known', 4, noon)).allowed).toBe(true);
    expect(await engine.renders('known', 4, noon)).toMatchObject({ allowed: false, used: 4 });
  },

  'a render given back can be had again, and the count never falls below nothing': async ({ engine }) => {
    await engine.takeRender('a', 1, noon);
    await engine.giveBackRender('a', noon);
    expect((await engine.takeRender('a', 1, noon)).allowed).toBe(true);
    for (let time = 0; time < 3; time += 1) await engine.giveBackRender('a', noon);
    expect((await engine.renders('a', 1, noon)).used).toBe(0);
    expect(allowedOf(await many(5, () => engine.takeRender('a', 1, noon)))).toBe(1);
  },

  'a render of last month that is given back late leaves the count of this month alone': async ({ engine }) => {
    const [may, june] = [at('2026-05-31T23:59:50.000Z'), at('2026-06-01T00:00:10.000Z')];
    await engine.takeRender('known', 10, may);
    await engine.takeRender('known', 10, june);
    await engine.giveBackRender('known', may);
    expect((await engine.renders('known', 10, june)).used).toBe(1);
    expect((await engine.renders('known', 10, may)).used).toBe(3);
  },

  'a clock that jumps back an hour locks nobody out, lets nobody through twice and forgets nothing': async ({ engine }) => {
    const [now, before] = [noon, new Date(noon.getTime() - 3_600_000)];
    await many(5, () => engine.takeRequest('a', 5, now));
    expect(allowedOf(await many(9, () => engine.takeRequest('a', 5, before)))).toBe(5);
    expect((await engine.takeRequest('a', 5, before)).resetAt).toEqual(at('2026-05-20T11:01:00.000Z'));
    expect((await engine.takeRequest('a', 5, now)).allowed).toBe(false);
    const [june, may] = [at('2026-06-01T00:30:00.000Z'), at('2026-05-31T23:30:00.000Z')];
    await many(2, () => engine.takeRender('a', 2, june));
    expect(allowedOf(await many(5, () => engine.takeRender('a', 2, may)))).toBe(2);
    expect((await engine.takeRender('a', 2, june)).allowed).toBe(false);
  },
};

/** What every engine of the limits does. `open` gives an engine without counts that learns from `rendersSoFar`. */
export const describeLimitsContract = (name: string, open: (rendersSoFar: RendersSoFar) => Promise<OpenedLimits>): void => describeContract(`${name} as limits`, () => open(rendersInTheLog), cases);
