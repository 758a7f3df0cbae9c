import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { lookUpFirst, type DnsClient } from './dns.ts';
import { defaultLimits } from './limits.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const ipv4 = { address: '8.8.8.8', family: 4 };
const ipv6 = { address: '2001:4860:4860::8888', family: 6 };

/** Starts a look-up whose queries for A and AAAA records are pending until they are answered or cancelled. */
const startLookup = () => {
  const a = Promise.withResolvers<{ address: string; ttl: number }[]>();
  const aaaa = Promise.withResolvers<{ address: string; ttl: number }[]>();
  const client = {
    resolve4: () => a.promise,
    resolve6: () => aaaa.promise,
    cancel: () => [a, aaaa].forEach(({ reject }) => reject(Object.assign(new Error('no'), { code: 'ECANCELLED' }))),
  } as unknown as DnsClient;
  const { ipv6DelayMs } = defaultLimits;
  const result = lookUpFirst({ createClient: () => client, ipv6DelayMs }, ['name.test'], new AbortController().signal);
  return { a, aaaa, addresses: result.then(({ addresses }) => addresses) };
};

const noData = Object.assign(new Error('no'), { code: 'ENODATA' });

describe('A name', () => {
  test('has its IPv4 and IPv6 addresses when the IPv6 ones come soon after', async () => {
    const { a, aaaa, addresses } = startLookup();
    a.resolve([{ address: ipv4.address, ttl: 60 }]);
    await vi.advanceTimersByTimeAsync(499);
    aaaa.resolve([{ address: ipv6.address, ttl: 60 }]);
    expect(await addresses).toEqual([ipv4, ipv6]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('has only its IPv4 addresses when the IPv6 ones come later', async () => {
    const { a, aaaa, addresses } = startLookup();
    a.resolve([{ address: ipv4.address, ttl: 60 }]);
    await vi.advanceTimersByTimeAsync(500);
    aaaa.resolve([{ address: '::1', ttl: 60 }]);
    expect(await addresses).toEqual([ipv4]);
  });

  test('without IPv4 addresses waits for its IPv6 ones', async () => {
    const { a, aaaa, addresses } = startLookup();
    a.reject(noData);
    await vi.advanceTimersByTimeAsync(3_000);
    aaaa.resolve([{ address: ipv6.address, ttl: 60 }]);
    expect(await addresses).toEqual([ipv6]);
  });

  test('with IPv6 addresses waits for its IPv4 ones', async () => {
    const { a, aaaa, addresses } = startLookup();
    aaaa.resolve([{ address: ipv6.address, ttl: 60 }]);
    await vi.advanceTimersByTimeAsync(3_000);
    a.resolve([{ address: ipv4.address, ttl: 60 }]);
    expect(await addresses).toEqual([ipv4, ipv6]);
  });

  test('with many addresses keeps the same number of both families', async () => {
    const { a, aaaa, addresses } = startLookup();
    const records = (prefix: string) =>
      Array.from({ length: 50 }, (_, at) => ({ address: `${prefix}${at + 1}`, ttl: 60 }));
    a.resolve(records('8.8.8.'));
    aaaa.resolve(records('2606::'));
    const ofFamily = async (wanted: number) => (await addresses).filter(({ family }) => family === wanted).length;
    expect([(await addresses).length, await ofFamily(4), await ofFamily(6)]).toEqual([32, 16, 16]);
  });
});
