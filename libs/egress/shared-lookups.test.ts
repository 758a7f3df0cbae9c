import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
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

/** Shared look-ups with a manual clock and the given results. A name without a result is pending until `respond`. */
const createTestLookups = (
  results: Record<string, LookupResult | Error | undefined>,
  maxPerAccount = 2,
  lookupTimeoutMs = 1_000_000_000,
) => {
  const started: string[] = [];
  const cancelled: string[] = [];
  let time = 1;
  const pending = new Map<string, (result: LookupResult | Promise<never>) => void>();
  const lookUp = createSharedLookups({
    lookUp: (name, signal) => {
      started.push(name);
      signal.addEventListener('abort', () => cancelled.push(name));
      const result = results[name];
      if (result instanceof Error) return Promise.reject(result);
      return result ? Promise.resolve(result) : new Promise((resolve) => pending.set(name, resolve));
    },
    lookupTimeoutMs,
    maxPerAccount,
    now: () => time,
  });
  return {
    lookUp,
    started,
    cancelled,
    advance: (ms: number) => void (time += ms),
    respond: (name: string, result: LookupResult) => pending.get(name)!(result),
    fail: (name: string) => pending.get(name)!(Promise.reject(new Error('no response'))),
  };
};

describe('A look-up result is cached', () => {
  test.each([
    ['for its TTL', found(10_000), 10_000],
    ['for half a minute at most', found(60 * minuteMs), 30_000],
    ['for some seconds when the name does not exist', absent, 5_000],
    ['for some seconds when it is not public', found(60 * minuteMs, '10.0.0.1'), 5_000],
    ['for some seconds when the look-up failed', Object.assign(new Error('no'), { code: 'ESERVFAIL' }), 5_000],
  ])('%s', async (_how, result, cacheMs) => {
    const { lookUp, started, advance } = createTestLookups({ name: result });
    const lookUpAgain = () => lookUp('name', 'acc_a', forever).catch((error: unknown) => error);
    const first = await lookUpAgain();
    advance(cacheMs - 1);
    expect(await lookUpAgain()).toEqual(first);
    expect(started).toHaveLength(1);
    advance(2);
    await lookUpAgain();
    expect(started).toHaveLength(2);
  });

  test('when no name server responded in time, so that the next caller does not wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const timeoutMs = 10_000;
    const { lookUp, started, cancelled } = createTestLookups({}, 2, timeoutMs);
    /** Like a caller, which waits for at most the time of a look-up. */
    const waitFor = (account: string) =>
      runWithTimeout(timeoutMs, (signal) => lookUp('name', account, signal)).catch((error: unknown) => error);
    const first = waitFor('acc_a');
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await first).toMatchObject({ code: 'ETIMEOUT' });
    expect(await waitFor('acc_b')).toMatchObject({ code: 'ETIMEOUT' });
    expect([started, cancelled]).toEqual([['name'], ['name']]);
  });

  test('not at all when its TTL is 0', async () => {
    const { lookUp, started } = createTestLookups({ name: found(0) });
    await lookUp('name', 'acc_a', forever);
    await lookUp('name', 'acc_a', forever);
    expect(started).toHaveLength(2);
  });

  test('in a bounded cache', async () => {
    const names = Array.from({ length: 5_001 }, (_, i) => `n${i}`);
    const { lookUp, started } = createTestLookups(Object.fromEntries(names.map((name) => [name, found(minuteMs)])));
    for (const name of names) await lookUp(name, 'acc_a', forever);
    await lookUp('n5000', 'acc_a', forever);
    expect(started).toHaveLength(5_001);
    await lookUp('n0', 'acc_a', forever);
    expect(started).toHaveLength(5_002);
  });
});

describe('A look-up', () => {
  test('waits when its account is at its limit, but not for other accounts', async () => {
    const { lookUp, started, respond } = createTestLookups({ quick: found(0) });
    const waiting = ['one', 'two', 'three'].map((name) => lookUp(name, 'acc_a', forever));
    expect(await lookUp('quick', 'acc_b', forever)).toEqual([publicAddress]);
    expect(started).toEqual(['one', 'two', 'quick']);
    respond('one', found(0));
    await waiting[0];
    await expect.poll(() => started).toContain('three');
  });

  test('is cancelled when its last caller leaves, and has no result then', async () => {
    const { lookUp, started, cancelled } = createTestLookups({});
    const aborters = [new AbortController(), new AbortController()];
    const waiting = aborters.map(({ signal }, i) => lookUp('name', `acc_${i}`, signal).catch(() => 'left'));
    expect(started).toEqual(['name']);
    aborters[0]!.abort();
    expect(await waiting[0]).toBe('left');
    expect(cancelled).toEqual([]);
    aborters[1]!.abort();
    expect(await waiting[1]).toBe('left');
    expect(cancelled).toEqual(['name']);
    await setImmediate();
    void lookUp('name', 'acc_c', forever).catch(() => undefined);
    expect(started).toEqual(['name', 'name']);
  });

  test('that is cancelled while it waits is never started', async () => {
    const { lookUp, started, respond } = createTestLookups({}, 1);
    const first = lookUp('one', 'acc_a', forever);
    const aborter = new AbortController();
    const second = lookUp('two', 'acc_a', aborter.signal).catch(() => 'left');
    const third = lookUp('three', 'acc_a', forever);
    aborter.abort();
    expect(await second).toBe('left');
    respond('one', found(0));
    await first;
    respond('three', found(0));
    await third;
    expect(started).toEqual(['one', 'three']);
  });
});

describe('A name that was slow before', () => {
  type TestLookups = ReturnType<typeof createTestLookups>;

  const createOneByOne = () => createTestLookups({ first: found(0), second: found(0), quick: found(0) }, 1);

  /** Looks up a name so that it takes one second. `end` ends the look-up. */
  const lookUpSlowly = async (
    lookups: TestLookups,
    account: string,
    name: string,
    end: (abort: () => void) => void = () => lookups.respond(name, found(0)),
  ): Promise<void> => {
    const aborter = new AbortController();
    const ended = lookups.lookUp(name, account, aborter.signal).catch(() => undefined);
    lookups.advance(1_000);
    end(() => aborter.abort());
    await ended;
    // An abandoned look-up ends after its caller has left.
    await setImmediate();
  };

  /** Whether the other name waits for a look-up of the name, which is quick. */
  const delays = async ({ lookUp, started, respond }: TestLookups, name: string, other: string): Promise<boolean> => {
    const both = [name, other].map((each) => lookUp(each, 'acc_a', forever));
    await lookUp('quick', 'acc_b', forever);
    const hasWaited = !started.includes(other);
    respond(name, found(0));
    await Promise.all(both);
    return hasWaited;
  };

  test('does not delay other names of its account, until it is quick', async () => {
    const lookups = createOneByOne();
    await lookUpSlowly(lookups, 'acc_a', 'name');
    expect(await delays(lookups, 'name', 'first')).toBe(false);
    expect(await delays(lookups, 'name', 'second')).toBe(true);
  });

  test.each<[string, (lookups: TestLookups, abort: () => void) => void]>([
    ['failed', ({ fail }) => fail('name')],
    ['was abandoned', (_lookups, abort) => abort()],
  ])('does not delay other names when its slow look-up %s', async (_how, end) => {
    const lookups = createOneByOne();
    await lookUpSlowly(lookups, 'acc_a', 'name', (abort) => end(lookups, abort));
    // The failure is not cached any more.
    lookups.advance(10_000);
    expect(await delays(lookups, 'name', 'first')).toBe(false);
  });

  test('counts as slow for ten minutes', async () => {
    const lookups = createOneByOne();
    await lookUpSlowly(lookups, 'acc_a', 'name');
    lookups.advance(10 * minuteMs - 1);
    expect(await delays(lookups, 'name', 'first')).toBe(false);
    await lookUpSlowly(lookups, 'acc_a', 'name');
    lookups.advance(10 * minuteMs + 1);
    expect(await delays(lookups, 'name', 'second')).toBe(true);
  });

  test('does not delay slow names of other accounts', async () => {
    const lookups = createOneByOne();
    const { lookUp, started } = lookups;
    await lookUpSlowly(lookups, 'acc_a', 'one');
    await lookUpSlowly(lookups, 'acc_b', 'two');
    void lookUp('one', 'acc_a', forever);
    void lookUp('two', 'acc_b', forever);
    await lookUp('quick', 'acc_c', forever);
    expect(started).toEqual(['one', 'two', 'one', 'two', 'quick']);
  });
});
