import { type Engines, openEngines } from '#libs/engines/open.ts';
import type { House } from './service.ts';

/** Looks into a house's engines from this process, whether a service runs on them or not. */
export const lookInto = async <T>({ dataDir }: House, look: (engines: Engines) => Promise<T>): Promise<T> => {
  const engines = await openEngines({ dataDir, eventStoreUrl: 'sqlite:', busUrl: 'sqlite:', readStoreUrl: 'sqlite:', blobStoreUrl: 'file:' });
  try {
    return await look(engines);
  } finally {
    await engines.close();
  }
};
