import { expect } from 'vitest';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import {
  countAllowed,
  dateOf,
  hoursLater,
  repeatInParallel,
  noon,
  countOneRequest,
  takeNewRender,
  type LimitsUnderTest,
} from '../../support/contract/limits-under-test.ts';

/** What applies to both requests and renders. */
export const requestAndRenderCases: ContractCases<LimitsUnderTest> = {
  'a limit of zero allows nothing and counts nothing': async ({ engine }) => {
    const resetAt = dateOf('2026-05-20T12:01:00.000Z');
    const nothing = { allowed: false, limit: 0, used: 0, resetAt };
    expect(await countOneRequest(engine, 'a', 0, noon)).toEqual(nothing);
    expect(await engine.countRequest('a', { perMinute: 0, perMonth: 0 }, noon)).toEqual({
      rateLimit: nothing,
      quota: { ...nothing, resetAt: dateOf('2026-06-01T00:00:00.000Z') },
    });
    expect((await takeNewRender(engine, 'a', 0)).allowed).toBe(false);
    expect((await countOneRequest(engine, 'a', 1, noon)).used).toBe(1);
  },

  'accounts have separate counts, and so have requests and renders': async ({ engine }) => {
    await countOneRequest(engine, 'a', 1, noon);
    await takeNewRender(engine, 'b', 1);
    expect((await countOneRequest(engine, 'b', 1, noon)).allowed).toBe(true);
    expect((await takeNewRender(engine, 'a', 1)).allowed).toBe(true);
  },

  'processes that share the counts are exact together': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    const engines = Array.from({ length: 60 }, (_, number) => (number % 2 ? engine : other));
    expect(countAllowed(await Promise.all(engines.map((limits) => countOneRequest(limits, 'a', 25, noon))))).toBe(25);
    expect(countAllowed(await Promise.all(engines.map((limits) => takeNewRender(limits, 'known', 25))))).toBe(22);
  },

  'a clock that jumps back an hour blocks no account, allows nothing twice and loses no count': async ({ engine }) => {
    const before = hoursLater(noon, -1);
    await repeatInParallel(5, () => countOneRequest(engine, 'a', 5, noon));
    expect(countAllowed(await repeatInParallel(9, () => countOneRequest(engine, 'a', 5, before)))).toBe(5);
    expect((await countOneRequest(engine, 'a', 5, before)).resetAt).toEqual(dateOf('2026-05-20T11:01:00.000Z'));
    expect((await countOneRequest(engine, 'a', 5, noon)).allowed).toBe(false);
    expect((await countOneRequest(engine, 'a', 6, noon)).allowed).toBe(true);
    expect((await countOneRequest(engine, 'a', 5, before)).allowed).toBe(false);
    const [june, may] = [dateOf('2026-06-01T00:30:00.000Z'), dateOf('2026-05-31T23:30:00.000Z')];
    await repeatInParallel(2, () => takeNewRender(engine, 'a', 2, june));
    expect(countAllowed(await repeatInParallel(5, () => takeNewRender(engine, 'a', 2, may)))).toBe(2);
    expect((await takeNewRender(engine, 'a', 2, june)).allowed).toBe(false);
    expect((await takeNewRender(engine, 'a', 2, may)).allowed).toBe(false);
  },
};
