import fc from 'fast-check';
import { expect } from 'vitest';
import { type Cases, needed } from '../harness.ts';
import { allowedOf, at, many, noon, of, takeRequest, usedBy, type OpenedLimits } from './accounts.ts';

/** What every engine does with the requests of a minute. */
export const requests: Cases<OpenedLimits> = {
  'requests are allowed up to the limit, and the count stays there': async ({ engine }) => {
    const answers = [];
    for (let request = 0; request < 4; request += 1) answers.push(await takeRequest(engine, 'a', 2, noon));
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
        const answers = await many(count, () => takeRequest(engine, account, limit, noon));
        expect(allowedOf(answers)).toBe(Math.min(limit, count));
      }),
      { numRuns: 25 },
    );
  },

  'a window of requests is the minute on the clock': async ({ engine }) => {
    expect((await takeRequest(engine, 'a', 1, at('2026-05-20T12:00:00.000Z'))).allowed).toBe(true);
    expect((await takeRequest(engine, 'a', 1, at('2026-05-20T12:00:59.999Z'))).allowed).toBe(false);
    expect(await takeRequest(engine, 'a', 1, at('2026-05-20T12:01:00.000Z'))).toMatchObject({ allowed: true, resetAt: at('2026-05-20T12:02:00.000Z') });
  },

  'minutes are forgotten two hours later, and not the month with them': async ({ engine, reopen }, skip) => {
    needed(reopen, 'lasting storage', skip);
    await engine.takeRender(of('a'), { perMonth: null }, noon);
    await takeRequest(engine, 'a', 1, noon);
    await takeRequest(engine, 'a', 1, new Date(noon.getTime() + 3 * 3_600_000));
    expect((await engine.requests('a', 1, noon)).used).toBe(0);
    expect(await usedBy(engine, 'a')).toBe(1);
  },

  'a limit changed within the window holds from then on': async ({ engine }) => {
    for (let request = 0; request < 5; request += 1) await takeRequest(engine, 'a', 5, noon);
    expect(await takeRequest(engine, 'a', 3, noon)).toMatchObject({ allowed: false, limit: 3, used: 5 });
    expect(await takeRequest(engine, 'a', 6, noon)).toMatchObject({ allowed: true, limit: 6, used: 6 });
  },

  'who is admitted is counted in the minute, and told of the month without being counted there': async ({ engine }) => {
    const resetAt = at('2026-05-20T12:01:00.000Z');
    const month = { limit: 4, resetAt: at('2026-06-01T00:00:00.000Z') };
    const ask = () => engine.admit('known', { perMinute: 1, perMonth: 4 }, noon);
    expect(await ask()).toEqual({ minute: { allowed: true, limit: 1, used: 1, resetAt }, month: { ...month, allowed: true, used: 3 } });
    await engine.takeRender(of('known'), { perMonth: 4 }, noon);
    expect(await ask()).toEqual({ minute: { allowed: false, limit: 1, used: 1, resetAt }, month: { ...month, allowed: false, used: 4 } });
    expect((await takeRequest(engine, 'known', 2, noon)).used).toBe(2);
  },

  'who is admitted at the turn of the month is told of the one that has begun, and counted in its first minute': async ({ engine }) => {
    const [may, june] = [at('2026-05-31T23:59:59.999Z'), at('2026-06-01T00:00:00.000Z')];
    const ask = (now: Date) => engine.admit('known', { perMinute: 1, perMonth: 3 }, now);
    expect(await ask(may)).toMatchObject({ minute: { allowed: true, used: 1, resetAt: june }, month: { allowed: false, used: 3, resetAt: june } });
    expect(await ask(june)).toMatchObject({ minute: { allowed: true, used: 1, resetAt: at('2026-06-01T00:01:00.000Z') }, month: { allowed: true, used: 0, resetAt: at('2026-07-01T00:00:00.000Z') } });
    expect((await ask(may)).minute.allowed).toBe(false);
  },

  'requests that nothing is decided by are counted together, also in a month that nobody has asked the log for': async ({ engine }) => {
    await Promise.all([engine.note('a', 3, noon), engine.note('a', 4, noon), engine.note('b', 1, noon)]);
    expect([(await engine.requests('a', null, noon)).used, (await engine.requests('b', null, noon)).used]).toEqual([7, 1]);
    expect(await takeRequest(engine, 'a', 8, noon)).toMatchObject({ allowed: true, used: 8 });
    expect((await takeRequest(engine, 'a', 8, noon)).allowed).toBe(false);
    await engine.note('known', 1, noon);
    expect(await usedBy(engine, 'known')).toBe(3);
    await engine.note('a', 1, new Date(noon.getTime() + 3 * 3_600_000));
    expect((await engine.requests('a', null, noon)).used).toBe(0);
  },

  'asking for the minute does not count': async ({ engine }) => {
    const resetAt = at('2026-05-20T12:01:00.000Z');
    expect(await engine.requests('a', 1, noon)).toEqual({ allowed: true, limit: 1, used: 0, resetAt });
    await takeRequest(engine, 'a', 1, noon);
    expect(await engine.requests('a', 1, noon)).toEqual({ allowed: false, limit: 1, used: 1, resetAt });
  },
};
