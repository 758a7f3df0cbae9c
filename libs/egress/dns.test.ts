import { expect, test } from 'vitest';
import { type DnsClient, lookUpFirst } from './dns.ts';

test('Of a name with many addresses, the same number of both families is kept', async () => {
  const records = (prefix: string) => async () =>
    Array.from({ length: 50 }, (_, at) => ({ address: `${prefix}${at + 1}`, ttl: 60 }));
  const client = { resolve4: records('8.8.8.'), resolve6: records('2606::'), cancel: () => {} } as unknown as DnsClient;
  const { addresses } = await lookUpFirst(() => client, ['many.test'], new AbortController().signal);
  const ofFamily = (wanted: number) => addresses.filter(({ family }) => family === wanted).length;
  expect([addresses.length, ofFamily(4), ofFamily(6)]).toEqual([32, 16, 16]);
});
