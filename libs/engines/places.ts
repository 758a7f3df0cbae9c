import { join } from 'node:path';
import { type EngineUrls, placeOf } from './pick.ts';

/** Folders and files in which the service keeps what it knows, on this machine. Files lie in folders that may belong to somebody else. */
export type Places = { folders: string[]; files: string[] };

/** `hasOwnSecret` tells that the secret of the installation is kept in the data folder, too. */
export const placesOf = (urls: EngineUrls, hasOwnSecret: boolean): Places => {
  const { dataDir, eventStoreUrl, busUrl, readStoreUrl, blobStoreUrl } = urls;
  const databases = [[eventStoreUrl, 'log.db'], [busUrl, 'bus.db'], [readStoreUrl, 'read-models.db']].flatMap(([url, name]) => (url!.startsWith('sqlite:') ? [placeOf(url!, dataDir, name!)] : []));
  const blobs = blobStoreUrl.startsWith('file:') ? [placeOf(blobStoreUrl, dataDir, 'blobs')] : [];
  // The counts of limits lie in the data folder wherever read models are in a file.
  const usesDataDir = hasOwnSecret || readStoreUrl.startsWith('sqlite:') || [...databases, ...blobs].some((path) => path.startsWith(join(dataDir, '/')));
  return {
    folders: [...(usesDataDir ? [dataDir] : []), ...blobs],
    files: databases.flatMap((path) => [path, `${path}-wal`, `${path}-shm`]),
  };
};
