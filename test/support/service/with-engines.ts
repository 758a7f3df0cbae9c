import { type Engines, openEngines } from '#libs/engines/engine-factory.ts';
import type { CommandLine } from './installation.ts';
import { waitUntil } from '../wait-until.ts';

/** Uses the engines of an installation in this process, also while a service runs. They are opened unless they are open. */
export const withInstallationEngines = async <T>(
  installation: CommandLine,
  use: (engines: Engines) => Promise<T>,
): Promise<T> => {
  if (installation.engines) return use(installation.engines);
  const engines = await openEngines(installation.settings);
  try {
    await waitUntil('the engines are there', () => engines.missing().length === 0);
    return await use(engines);
  } finally {
    await engines.close();
  }
};
