import { expect, it } from 'vitest';
import type { ProcessContext } from './process-context.ts';
import { ensureInstallation } from './installation.ts';

it('A process that cannot see whose an engine is says why, and tries again until it is told to stop', async () => {
  const told: unknown[] = [];
  const stop = new AbortController();
  const server = {
    missing: () => null,
    read: async () => Promise.reject(new Error('no permission to read streams')),
  };
  const house = {
    roles: ['renderer'],
    settings: { blobStoreUrl: 'gridfs:', busUrl: 'nats://bus', readStoreUrl: 'mongodb://reads' },
    engines: { store: async () => server, blobs: async () => server, bus: async () => server, missing: () => [] },
    now: () => new Date(0),
    report: (fact: unknown) => {
      told.push(fact);
      if (told.length === 2) stop.abort();
    },
  } as unknown as ProcessContext;
  await expect(ensureInstallation(house, stop.signal, () => undefined)).rejects.toThrow('no permission');
  expect(told).toEqual(
    Array.from({ length: 2 }, () => ({ missing: [], error: 'Error: no permission to read streams' })),
  );
});
