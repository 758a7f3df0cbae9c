import { type Engines, openEngines } from '#libs/engines/engine-factory.ts';
import type { CommandLine } from './installation.ts';
import { waitUntil } from '../wait-until.ts';

/** Looks into a installation's engines from this process, whether a service runs on them or not. */
export const withInstallationEngines = async <T>(
  installation: CommandLine,
  look: (engines: Engines) => Promise<T>,
): Promise<T> => {
  const engines = await openEngines(installation.settings);
  try {
    await waitUntil('the engines are there', () => engines.missing().length === 0);
    return await look(engines);
  } finally {
    await engines.close();
  }
};
