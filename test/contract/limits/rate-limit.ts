import fc from 'fast-check';
import { expect } from 'vitest';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import {
  countAllowed,
  alwaysOutcome,
  dateOf,
  hoursLater,
  repeatInParallel,
  readQuotaStatus,
  noon,
  countOneRequest,
  readRateLimitStatus,
  takeNewRender,
  type LimitsUnderTest,
} from '../../support/contract/limits-under-test.ts';

const resetAt = dateOf('2026-05-20T12:01:00.000Z');

/** The requests of a minute are counted. */
export const rateLimitCases: ContractCases<LimitsUnderTest> = {
  'requests are allowed up to the limit, and the count stays there': async ({ engine }) => {
    const statuses = [];
    for (let number = 0; number < 4; number += 1) statuses.push(await countOneRequest(engine, 'a', 2, noon));
    expect(statuses).toEqual([
      { allowed: true, limit: 2, used: 1, resetAt },
      { allowed: true, limit: 2, used: 2, resetAt },
      { allowed: false, limit: 2, used: 2, resetAt },
      { allowed: false, limit: 2, used: 2, resetAt },
    ]);
  },

  'of many parallel requests exactly as many are allowed as the limit has': async ({ engine }) => {
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.nat({ max: 60 }), fc.nat({ max: 60 }), async (account, limit, count) => {
        const statuses = await repeatInParallel(count, () => countOneRequest(engine, account, limit, noon));
        expect(countAllowed(statuses)).toBe(Math.min(limit, count));
      }),
      { numRuns: 25 },
    );
  },

  'a rate limit window is a clock minute': async ({ engine }) => {
    expect((await countOneRequest(engine, 'a', 1, dateOf('2026-05-20T12:00:00.000Z'))).allowed).toBe(true);
    expect((await countOneRequest(engine, 'a', 1, dateOf('2026-05-20T12:00:59.999Z'))).allowed).toBe(false);
    expect(await countOneRequest(engine, 'a', 1, dateOf('2026-05-20T12:01:00.000Z'))).toMatchObject({
      allowed: true,
      resetAt: dateOf('2026-05-20T12:02:00.000Z'),
    });
  },

  'counters of a minute are removed after two hours, those of the month are kept': async ({ engine }) => {
    await takeNewRender(engine, 'a', 5);
    await countOneRequest(engine, 'a', 1, noon);
    await engine.correctCounters(alwaysOutcome('pending'), hoursLater(noon, 1));
    expect((await readRateLimitStatus(engine, 'a', 1, noon)).used).toBe(1);
    await engine.correctCounters(alwaysOutcome('pending'), hoursLater(noon, 3));
    expect((await readRateLimitStatus(engine, 'a', 1, noon)).used).toBe(0);
    expect((await readQuotaStatus(engine, 'a', 5)).used).toBe(1);
  },

  'a changed limit applies at once within the window': async ({ engine }) => {
    for (let number = 0; number < 5; number += 1) await countOneRequest(engine, 'a', 5, noon);
    expect(await countOneRequest(engine, 'a', 3, noon)).toMatchObject({ allowed: false, limit: 3, used: 5 });
    expect(await countOneRequest(engine, 'a', 6, noon)).toMatchObject({ allowed: true, limit: 6, used: 6 });
  },

  'a request counts toward the rate limit, and returns the quota status without counting there': async ({ engine }) => {
    const month = { limit: 4, resetAt: dateOf('2026-06-01T00:00:00.000Z') };
    const countRequest = () => engine.countRequest('known', { perMinute: 1, perMonth: 4 }, noon);
    expect(await countRequest()).toEqual({
      rateLimit: { allowed: true, limit: 1, used: 1, resetAt },
      quota: { ...month, allowed: true, used: 3 },
    });
    await takeNewRender(engine, 'known', 4);
    expect(await countRequest()).toEqual({
      rateLimit: { allowed: false, limit: 1, used: 1, resetAt },
      quota: { ...month, allowed: false, used: 4 },
    });
    expect((await countOneRequest(engine, 'known', 2, noon)).used).toBe(2);
  },

  'a request at the start of a month counts in the first minute, and returns the quota status of the new month':
    async ({ engine }) => {
      const [may, june] = [dateOf('2026-05-31T23:59:59.999Z'), dateOf('2026-06-01T00:00:00.000Z')];
      const countRequest = (now: Date) => engine.countRequest('known', { perMinute: 1, perMonth: 3 }, now);
      expect(await countRequest(may)).toMatchObject({
        rateLimit: { allowed: true, used: 1, resetAt: june },
        quota: { allowed: false, used: 3, resetAt: june },
      });
      expect(await countRequest(june)).toMatchObject({
        rateLimit: { allowed: true, used: 1, resetAt: dateOf('2026-06-01T00:01:00.000Z') },
        quota: { allowed: true, used: 0, resetAt: dateOf('2026-07-01T00:00:00.000Z') },
      });
      expect((await countRequest(may)).rateLimit.allowed).toBe(false);
    },

  'requests without a limit are all allowed, and count when a limit is set': async ({ engine, another }, skip) => {
    expect(countAllowed(await repeatInParallel(500, () => countOneRequest(engine, 'a', null, noon)))).toBe(500);
    await countOneRequest(engine, 'b', null, noon);
    expect([
      (await readRateLimitStatus(engine, 'a', null, noon)).used,
      (await readRateLimitStatus(engine, 'b', null, noon)).used,
    ]).toEqual([500, 1]);
    expect(await countOneRequest(engine, 'a', 501, noon)).toMatchObject({ allowed: true, used: 501 });
    expect((await countOneRequest(engine, 'a', 501, noon)).allowed).toBe(false);
    const other = await requireAbility(another, 'second instance', skip)();
    await Promise.all([engine, other].map((one) => repeatInParallel(50, () => countOneRequest(one, 'c', null, noon))));
    await readRateLimitStatus(other, 'c', null, noon);
    expect((await readRateLimitStatus(engine, 'c', null, noon)).used).toBe(100);
  },

  'reading the rate limit status does not count a request': async ({ engine }) => {
    expect(await readRateLimitStatus(engine, 'a', 1, noon)).toEqual({ allowed: true, limit: 1, used: 0, resetAt });
    await countOneRequest(engine, 'a', 1, noon);
    expect(await readRateLimitStatus(engine, 'a', 1, noon)).toEqual({ allowed: false, limit: 1, used: 1, resetAt });
  },
};
