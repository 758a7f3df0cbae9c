import { expect } from 'vitest';
import { type Cases, needed } from '../harness.ts';
import { allowedOf, at, later, many, noon, request, take, type OpenedLimits } from './accounts.ts';

/** What holds for requests and renders alike. */
export const both: Cases<OpenedLimits> = {
  'a limit of nothing allows nothing, and counts nothing': async ({ engine }) => {
    const resetAt = at('2026-05-20T12:01:00.000Z');
    const nothing = { allowed: false, limit: 0, used: 0, resetAt };
    expect(await request(engine, 'a', 0, noon)).toEqual(nothing);
    expect(await engine.admit('a', { perMinute: 0, perMonth: 0 }, noon)).toEqual({ minute: nothing, month: { ...nothing, resetAt: at('2026-06-01T00:00:00.000Z') } });
    expect((await take(engine, 'a', 0)).allowed).toBe(false);
    expect((await request(engine, 'a', 1, noon)).used).toBe(1);
  },

  'accounts do not share their counts, nor do requests and renders': async ({ engine }) => {
    await request(engine, 'a', 1, noon);
    await take(engine, 'b', 1);
    expect((await request(engine, 'b', 1, noon)).allowed).toBe(true);
    expect((await take(engine, 'a', 1)).allowed).toBe(true);
  },

  'processes that share the counts are exact together': async ({ engine, another }, skip) => {
    const other = await needed(another, 'second instance', skip)();
    const takers = Array.from({ length: 60 }, (_, number) => (number % 2 ? engine : other));
    expect(allowedOf(await Promise.all(takers.map((limits) => request(limits, 'a', 25, noon))))).toBe(25);
    expect(allowedOf(await Promise.all(takers.map((limits) => take(limits, 'known', 25))))).toBe(22);
  },

  'a clock that jumps back an hour locks nobody out, lets nobody through twice and forgets nothing': async ({ engine }) => {
    const before = later(noon, -1);
    await many(5, () => request(engine, 'a', 5, noon));
    expect(allowedOf(await many(9, () => request(engine, 'a', 5, before)))).toBe(5);
    expect((await request(engine, 'a', 5, before)).resetAt).toEqual(at('2026-05-20T11:01:00.000Z'));
    expect((await request(engine, 'a', 5, noon)).allowed).toBe(false);
    expect((await request(engine, 'a', 6, noon)).allowed).toBe(true);
    expect((await request(engine, 'a', 5, before)).allowed).toBe(false);
    const [june, may] = [at('2026-06-01T00:30:00.000Z'), at('2026-05-31T23:30:00.000Z')];
    await many(2, () => take(engine, 'a', 2, june));
    expect(allowedOf(await many(5, () => take(engine, 'a', 2, may)))).toBe(2);
    expect((await take(engine, 'a', 2, june)).allowed).toBe(false);
    expect((await take(engine, 'a', 2, may)).allowed).toBe(false);
  },
};
