import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engines, openEngines } from '#libs/engines/engine-factory.ts';

/** The embedded engines in a temporary folder. `remove` closes them and removes the folder. */
export const openTemporaryEngines = async (): Promise<{ engines: Engines; remove(): Promise<void> }> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'colophon-engines-'));
  const urls = { eventStoreUrl: 'sqlite:', busUrl: 'memory:', readStoreUrl: 'sqlite:', blobStoreUrl: 'file:' };
  const engines = await openEngines({ dataDir, ...urls });
  const remove = async (): Promise<void> => {
    await engines.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  return { engines, remove };
};
