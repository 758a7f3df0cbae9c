import { describe, expect, test } from 'vitest';
import type { LookupResult } from './dns.ts';
import { createSharedLookups } from './shared-lookups.ts';

const publicAddress = { address: '8.8.8.8', family: 4 as const };
const found = (ttlMs: number, address = publicAddress.address): LookupResult => ({
  addresses: [{ address, family: 4 }],
  ttlMs,
});
const absent: LookupResult = { addresses: [], ttlMs: 0 };
const forever = new AbortController().signal;
const minuteMs = 60_000;

/** Look-ups by a clock that is set by hand. Each name has what it is said to have; undefined stands for a server that does not answer yet. */
const lookupsOf = (answers: Record<string, LookupResult | Error | undefined>, perAccount = 2) => {
  const asked: string[] = [];
  const ended: string[] = [];
  let time = 1;
  const pending = new Map<string, (answer: LookupResult) => void>();
  const ask = createSharedLookups({
    lookUp: (name, signal) => {
      asked.push(name);
      signal.addEventListener('abort', () => ended.push(name));
      const answer = answers[name];
      if (answer instanceof Error) return Promise.reject(answer);
      return answer ? Promise.resolve(answer) : new Promise((resolve) => pending.set(name, resolve));
    },
    lookupTimeoutMs: 1_000_000_000,
    maxPerAccount: perAccount,
    now: () => time,
  });
  return {
    ask,
    asked,
    ended,
    pass: (ms: number) => void (time += ms),
    answer: (name: string, answer: LookupResult) => pending.get(name)!(answer),
  };
};

describe('An answer is kept', () => {
  test.each([
    ['for its TTL', found(10_000), 10_000],
    ['for half a minute at most', found(60 * minuteMs), 30_000],
    ['for some seconds where the name does not exist', absent, 5_000],
    ['for some seconds where it is not public', found(60 * minuteMs, '10.0.0.1'), 5_000],
    ['for some seconds where the look-up failed', Object.assign(new Error('no'), { code: 'ESERVFAIL' }), 5_000],
  ])('%s', async (_how, answer, keptMs) => {
    const { ask, asked, pass } = lookupsOf({ name: answer });
    const askAgain = () => ask('name', 'acc_a', forever).catch((error: unknown) => error);
    const first = await askAgain();
    pass(keptMs - 1);
    expect(await askAgain()).toEqual(first);
    expect(asked).toHaveLength(1);
    pass(2);
    await askAgain();
    expect(asked).toHaveLength(2);
  });

  test('not at all where its TTL is 0', async () => {
    const { ask, asked } = lookupsOf({ name: found(0) });
    await ask('name', 'acc_a', forever);
    await ask('name', 'acc_a', forever);
    expect(asked).toHaveLength(2);
  });

  test('in a number that is bounded', async () => {
    const names = Array.from({ length: 5_001 }, (_, i) => `n${i}`);
    const { ask, asked } = lookupsOf(Object.fromEntries(names.map((name) => [name, found(minuteMs)])));
    for (const name of names) await ask(name, 'acc_a', forever);
    await ask('n5000', 'acc_a', forever);
    expect(asked).toHaveLength(5_001);
    await ask('n0', 'acc_a', forever);
    expect(asked).toHaveLength(5_002);
  });
});

describe('A look-up', () => {
  test('waits where its account has as many under way as it may, and nowhere else', async () => {
    const { ask, asked, answer } = lookupsOf({ quick: found(0) });
    const waiting = ['one', 'two', 'three'].map((name) => ask(name, 'acc_a', forever));
    expect(await ask('quick', 'acc_b', forever)).toEqual([publicAddress]);
    expect(asked).toEqual(['one', 'two', 'quick']);
    answer('one', found(0));
    await waiting[0];
    await expect.poll(() => asked).toContain('three');
  });

  test('is ended when the last who waits for it has left, and what it would have said is not known then', async () => {
    const { ask, asked, ended } = lookupsOf({});
    const leave = [new AbortController(), new AbortController()];
    const waiting = leave.map(({ signal }, i) => ask('name', `acc_${i}`, signal).catch(() => 'left'));
    expect(asked).toEqual(['name']);
    leave[0]!.abort();
    expect(await waiting[0]).toBe('left');
    expect(ended).toEqual([]);
    leave[1]!.abort();
    expect(await waiting[1]).toBe('left');
    expect(ended).toEqual(['name']);
    void ask('name', 'acc_c', forever);
    expect(asked).toEqual(['name', 'name']);
  });

  test('that waits for its turn and is given up is never made', async () => {
    const { ask, asked, answer } = lookupsOf({}, 1);
    const first = ask('one', 'acc_a', forever);
    const leave = new AbortController();
    const second = ask('two', 'acc_a', leave.signal).catch(() => 'left');
    const third = ask('three', 'acc_a', forever);
    leave.abort();
    expect(await second).toBe('left');
    answer('one', found(0));
    await first;
    answer('three', found(0));
    await third;
    expect(asked).toEqual(['one', 'three']);
  });
});
