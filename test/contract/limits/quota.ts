import { expect } from 'vitest';
import type { RenderOutcome } from '#libs/limits/port.ts';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import {
  countAllowed,
  alwaysOutcome,
  dateOf,
  hoursLater,
  repeatInParallel,
  readQuotaStatus,
  noon,
  newRenderToCount,
  takeNewRender,
  readQuotaUsed,
  type LimitsUnderTest,
} from '../../support/contract/limits-under-test.ts';

/** The renders of a month are counted, released and corrected. */
export const quotaCases: ContractCases<LimitsUnderTest> = {
  'of many parallel renders exactly as many are allowed as the quota has left': async ({ engine }) => {
    expect(countAllowed(await repeatInParallel(50, () => takeNewRender(engine, 'known', 20)))).toBe(17);
    expect(countAllowed(await repeatInParallel(50, () => takeNewRender(engine, 'new', 20)))).toBe(20);
    expect(await readQuotaStatus(engine, 'known', 20)).toEqual({
      allowed: false,
      limit: 20,
      used: 20,
      resetAt: dateOf('2026-06-01T00:00:00.000Z'),
    });
  },

  'of many parallel renders in a new month exactly as many are allowed as the quota has': async ({ engine }) => {
    await takeNewRender(engine, 'a', 20, dateOf('2026-05-31T23:59:59.999Z'));
    expect(
      countAllowed(
        await repeatInParallel(50, () => takeNewRender(engine, 'a', 20, dateOf('2026-06-01T00:00:00.000Z'))),
      ),
    ).toBe(20);
  },

  'a quota window is a calendar month in UTC, also at the end of a year and in a leap year': async ({ engine }) => {
    const edges = [
      ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
      ['2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-04-01T00:00:00.000Z'],
      ['2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00.000Z', '2027-04-01T00:00:00.000Z'],
    ] as const;
    for (const [last, first, end] of edges) {
      expect(await takeNewRender(engine, last, 1, dateOf(last))).toMatchObject({
        allowed: true,
        resetAt: dateOf(first),
      });
      expect((await takeNewRender(engine, last, 1, dateOf(last))).allowed).toBe(false);
      expect(await takeNewRender(engine, last, 1, dateOf(first))).toMatchObject({
        allowed: true,
        used: 1,
        resetAt: dateOf(end),
      });
    }
    expect(await readQuotaStatus(engine, 'leap', 1, dateOf('2028-02-28T12:00:00.000Z'))).toMatchObject({
      resetAt: dateOf('2028-03-01T00:00:00.000Z'),
    });
  },

  'reading the quota status does not count a render': async ({ engine }) => {
    for (let time = 0; time < 2; time += 1)
      expect(await readQuotaStatus(engine, 'known', 4)).toMatchObject({ allowed: true, used: 3 });
    expect((await takeNewRender(engine, 'known', 4)).allowed).toBe(true);
    expect(await readQuotaStatus(engine, 'known', 4)).toMatchObject({ allowed: false, used: 4 });
  },

  'without a quota all renders are allowed': async ({ engine }) => {
    expect(countAllowed(await repeatInParallel(500, () => takeNewRender(engine, 'a', null)))).toBe(500);
    expect(await readQuotaStatus(engine, 'a', null)).toMatchObject({ allowed: true, limit: null });
  },

  'an account that gets a quota again starts with the usage of the read model': async ({ engine, usage }) => {
    for (const render of [newRenderToCount('known', 500, noon, { quotaSince: 7 }), newRenderToCount('known', null)]) {
      await engine.countRender(render);
      await engine.confirmOrReleaseRender(render, 140);
    }
    usage.set('known', '2026-05', { used: 40, lastPosition: 140 });
    const render = newRenderToCount('known', 41, noon, { quotaSince: 11 });
    expect(await engine.countRender(render)).toMatchObject({ allowed: true, used: 41 });
    expect(await takeNewRender(engine, 'known', 41, noon, { quotaSince: 11 })).toMatchObject({
      allowed: false,
      used: 41,
    });
  },

  'a render that was not accepted is released once': async ({ engine }) => {
    const [kept, failed] = [newRenderToCount('a', 2), newRenderToCount('a', 2)];
    for (const render of [kept, failed]) await engine.countRender(render);
    await Promise.all(
      [failed, failed, newRenderToCount('a', 2)].map((render) => engine.confirmOrReleaseRender(render, null)),
    );
    expect(await readQuotaUsed(engine, 'a')).toBe(1);
    expect(countAllowed(await repeatInParallel(5, () => takeNewRender(engine, 'a', 2)))).toBe(1);
  },

  'a render that is counted again before it is confirmed counts once, and is allowed even if no quota is left': async ({
    engine,
  }) => {
    const render = newRenderToCount('a', 2);
    for (let time = 0; time < 3; time += 1)
      expect(await engine.countRender(render)).toMatchObject({ allowed: true, used: 1 });
    await takeNewRender(engine, 'a', 2);
    expect(await engine.countRender(render)).toMatchObject({ allowed: true, used: 2 });
    expect((await takeNewRender(engine, 'a', 2)).allowed).toBe(false);
  },

  'a render that the usage refunds can be used again': async ({ engine, usage }) => {
    const render = newRenderToCount('a', 1);
    await engine.countRender(render);
    await engine.confirmOrReleaseRender(render, 101);
    usage.set('a', '2026-05', { used: 0, lastPosition: 105 });
    await engine.correctCounters(alwaysOutcome(101), noon);
    expect(countAllowed(await repeatInParallel(5, () => takeNewRender(engine, 'a', 1)))).toBe(1);
  },

  'two parallel corrections refund a render once': async ({ engine, usage }) => {
    await takeNewRender(engine, 'known', 5);
    usage.set('known', '2026-05', { used: 3, lastPosition: 105 });
    await engine.correctCounters(async () => {
      await engine.correctCounters(alwaysOutcome(101), noon);
      return 101;
    }, noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(3);
  },

  'a late release of a render of last month does not change the count of this month': async ({ engine, usage }) => {
    const [may, june] = [dateOf('2026-05-31T23:59:50.000Z'), dateOf('2026-06-01T00:00:10.000Z')];
    const late = newRenderToCount('known', 10, may);
    for (const render of [newRenderToCount('known', 10, may), late, newRenderToCount('known', 10, june)])
      await engine.countRender(render);
    await engine.confirmOrReleaseRender(late, null);
    usage.set('known', '2026-05', { used: 2, lastPosition: 101 });
    await engine.correctCounters(alwaysOutcome('pending'), june);
    expect([await readQuotaUsed(engine, 'known', may), await readQuotaUsed(engine, 'known', june)]).toEqual([3, 1]);
  },

  'a correction releases a render that was never accepted, but not while it is pending': async ({ engine }) => {
    await takeNewRender(engine, 'known', 5);
    await engine.correctCounters(alwaysOutcome('pending'), noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(4);
    await Promise.all([
      engine.correctCounters(alwaysOutcome('never'), noon),
      engine.correctCounters(alwaysOutcome('never'), noon),
    ]);
    expect(await readQuotaUsed(engine, 'known')).toBe(3);
  },

  'a correction goes on while the usage is behind: the renders that it lacks stay pending': async ({
    engine,
    usage,
  }) => {
    const [first, second, lost] = Array.from({ length: 3 }, () => newRenderToCount('known', 10));
    for (const render of [first!, second!, lost!]) await engine.countRender(render);
    usage.caughtUp = () => Promise.reject(new Error('behind'));
    const positions = new Map([
      [first!.id, 101],
      [second!.id, 102],
    ]);
    const outcomeOf = async (id: string): Promise<RenderOutcome> => positions.get(id) ?? 'never';
    usage.set('known', '2026-05', { used: 4, lastPosition: 101 });
    await engine.correctCounters(outcomeOf, noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(5);
    usage.set('known', '2026-05', { used: 4, lastPosition: 103 });
    await engine.correctCounters(outcomeOf, noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(4);
  },

  'while the usage is behind, one that is older than the counter takes no render off': async ({ engine, usage }) => {
    await takeNewRender(engine, 'known', 10);
    usage.caughtUp = () => Promise.reject(new Error('behind'));
    usage.set('known', '2026-05', { used: 2, lastPosition: 90 });
    await engine.correctCounters(alwaysOutcome('pending'), noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(4);
    usage.set('known', '2026-05', { used: 4, lastPosition: 101 });
    await engine.correctCounters(alwaysOutcome(101), noon);
    usage.set('known', '2026-05', { used: 3, lastPosition: 100 });
    await engine.correctCounters(alwaysOutcome('pending'), noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(4);
  },

  'a counter that fails does not keep the others from being corrected': async ({ engine }) => {
    const lost = ['a', 'b', 'c'].map((account) => newRenderToCount(account, 5));
    for (const render of lost) await engine.countRender(render);
    for (const failing of lost) {
      const outcomeOf = async (id: string): Promise<RenderOutcome> =>
        id === failing.id ? Promise.reject(new Error('unreadable')) : 'never';
      await expect(engine.correctCounters(outcomeOf, noon)).rejects.toThrow('unreadable');
      for (const { id, accountId } of lost)
        expect(await readQuotaUsed(engine, accountId)).toBe(id === failing.id ? 1 : 0);
      for (const render of lost) await engine.countRender(render);
    }
  },

  'a render that is released during a correction is released once': async ({ engine }) => {
    const render = newRenderToCount('known', 5);
    await engine.countRender(render);
    await engine.correctCounters(async () => {
      await engine.confirmOrReleaseRender(render, null);
      return 'never';
    }, noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(3);
  },

  'a render that was accepted but not confirmed counts once': async ({ engine, usage }) => {
    await takeNewRender(engine, 'known', 10);
    usage.set('known', '2026-05', { used: 4, lastPosition: 101 });
    await engine.correctCounters(alwaysOutcome(101), noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(4);
    await takeNewRender(engine, 'known', 10);
    await engine.correctCounters(alwaysOutcome(102), noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(5);
  },

  'counters of a month are removed after three months': async ({ engine }) => {
    await takeNewRender(engine, 'known', 10);
    await engine.correctCounters(alwaysOutcome('never'), hoursLater(noon, 24 * 31 * 5));
    expect(await readQuotaUsed(engine, 'known')).toBe(3);
  },

  'no counter is created while the usage is behind, and the next call tries again': async ({ engine, usage }) => {
    usage.caughtUp = () => Promise.reject(new Error('behind'));
    await expect(takeNewRender(engine, 'known', 5)).rejects.toThrow('behind');
    await expect(engine.countRequest('known', { perMinute: null, perMonth: 5 }, noon)).rejects.toThrow('behind');
    usage.caughtUp = async () => undefined;
    expect(await takeNewRender(engine, 'known', 5)).toMatchObject({ allowed: true, used: 4 });
  },

  'all counts remain after reopening': async ({ engine, reopen }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    const render = newRenderToCount('known', 10);
    await engine.countRequest('known', { perMinute: 1, perMonth: 10 }, noon);
    await engine.countRender(render);
    const again = await open();
    expect((await again.countRequest('known', { perMinute: 1, perMonth: 10 }, noon)).rateLimit.allowed).toBe(false);
    await again.confirmOrReleaseRender(render, null);
    expect(await readQuotaUsed(again, 'known')).toBe(4 - 1);
  },
};
