import { expect, it } from 'vitest';
import type { ProcessContext } from './process-context.ts';
import { ensureInstallation } from './installation.ts';

it('A process that cannot check the installation of its engines reports why and retries until it stops', async () => {
  const reported: unknown[] = [];
  const stop = new AbortController();
  const server = {
    missing: () => null,
    read: async () => Promise.reject(new Error('no permission to read streams')),
  };
  const context = {
    roles: ['renderer'],
    settings: { blobStoreUrl: 'gridfs:', busUrl: 'nats://bus', readStoreUrl: 'mongodb://reads' },
    engines: { store: async () => server, blobs: async () => server, bus: async () => server, missing: () => [] },
    now: () => new Date(0),
    report: (fact: unknown) => {
      reported.push(fact);
      if (reported.length === 2) stop.abort();
    },
  } as unknown as ProcessContext;
  await expect(ensureInstallation(context, stop.signal, () => undefined)).rejects.toThrow('no permission');
  expect(reported).toEqual(
    Array.from({ length: 2 }, () => ({ missing: [], error: 'Error: no permission to read streams' })),
  );
});
