import { type Engines, openEngines } from '#libs/engines/open.ts';
import type { House } from './service.ts';
import { until } from './until.ts';

/** Looks into a house's engines from this process, whether a service runs on them or not. */
export const lookInto = async <T>(house: House, look: (engines: Engines) => Promise<T>): Promise<T> => {
  const engines = await openEngines(house.engines);
  try {
    await until('the engines are there', () => engines.missing().length === 0);
    return await look(engines);
  } finally {
    await engines.close();
  }
};
