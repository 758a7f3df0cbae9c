import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projections } from '#libs/projections/all.ts';
import { withInstallationEngines } from './with-engines.ts';
import type { CommandLine } from './installation.ts';
import { isOnServers } from '../environment.ts';

/** A running service may remove a file between the listing and the reading. */
const nullIfRemoved = (error: NodeJS.ErrnoException): null => {
  if (error.code === 'ENOENT') return null;
  throw error;
};

const readFilesText = async ({ dataDir }: CommandLine): Promise<string[]> => {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1').catch(nullIfRemoved));
  return (await Promise.all(texts)).filter((text) => text !== null);
};

const readServersText = (installation: CommandLine): Promise<string[]> =>
  withInstallationEngines(installation, async ({ store, reads }) => {
    const documents = await Promise.all(
      projections.map(({ collection }) => reads.find(collection.name, { where: {}, limit: 100_000 })),
    );
    return [await store.readAll(0, 100_000), ...documents].map((kept) => JSON.stringify(kept));
  });

/** All stored data as text: the files in the data folder, or event log and read models from the servers. */
export const readStoredText = (installation: CommandLine): Promise<string[]> =>
  isOnServers ? readServersText(installation) : readFilesText(installation);
