import { expect, it } from 'vitest';
import { fingerprintOf } from '#libs/secrets/installation-secret.ts';
import type { ProcessContext } from './process-context.ts';
import { ensureInstallation } from './installation.ts';
import { processRoles } from './running-role.ts';

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

it('A process of each role refuses those of its engines that belong to another installation', async () => {
  const secret = 'a secret that is long enough for a test';
  const created = {
    type: 'InstallationCreated',
    data: { installationId: 'own', secretFingerprint: fingerprintOf(Buffer.from(secret)) },
    metadata: {},
  };
  const open = async () => ({ installationId: async () => 'other' });
  const refusedBy = async (role: string) => {
    const context = {
      roles: [role],
      settings: { blobStoreUrl: 'gridfs:', busUrl: 'nats://', readStoreUrl: 'mongodb://', secret, previousSecrets: [] },
      engines: { store: async () => ({ read: async () => [created] }), blobs: open, bus: open, reads: open },
      now: () => new Date(0),
    } as unknown as ProcessContext;
    const check = ensureInstallation(context, new AbortController().signal, () => undefined);
    return String(await check.catch((error: unknown) => error)).match(/\w+(?= leads to)/g);
  };
  const refused = await Promise.all(processRoles.map(async (role) => [role, await refusedBy(role)]));
  expect(Object.fromEntries(refused)).toEqual({
    api: ['BLOB_STORE_URL', 'BUS_URL', 'READ_STORE_URL'],
    renderer: ['BLOB_STORE_URL', 'BUS_URL'],
    delivery: ['BLOB_STORE_URL', 'BUS_URL', 'READ_STORE_URL'],
    relay: ['BUS_URL', 'READ_STORE_URL'],
    projector: ['READ_STORE_URL'],
    sweeper: ['BLOB_STORE_URL', 'READ_STORE_URL'],
  });
});
