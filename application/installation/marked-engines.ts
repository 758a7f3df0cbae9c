import { isStored } from '#libs/bus/port.ts';
import type { Engines, EngineUrls } from '#libs/engines/open.ts';
import type { Marked, MarkedEngine, MarkedPart } from './marks.ts';

const inDataFolder = new Set(['sqlite:', 'file:']);

/** A setting as messages name it: what has no place of its own lies in the data folder. */
const named = (variable: string, url: string): string => (inDataFolder.has(url) ? `${variable} (${url} in COLOPHON_DATA_DIR)` : variable);

/** Where the address of each engine stands. */
export const settingOf = (part: MarkedPart, { blobStoreUrl, busUrl, readStoreUrl }: EngineUrls): string => {
  switch (part) {
    case 'blobs':
      return named('BLOB_STORE_URL', blobStoreUrl);
    case 'bus':
      return named('BUS_URL', busUrl);
    case 'read models':
      return named('READ_STORE_URL', readStoreUrl);
    default:
      return part satisfies never;
  }
};

const marked = (part: MarkedPart, engine: Marked, urls: EngineUrls): MarkedEngine => ({ part, setting: settingOf(part, urls), engine });

/** All engines that have marks, the blob store first. */
export const markedEngines = ({ blobs, bus, reads }: Pick<Engines, 'blobs' | 'bus' | 'reads'>, urls: EngineUrls): [MarkedEngine, ...MarkedEngine[]] => [
  marked('blobs', blobs, urls), ...(isStored(bus) ? [marked('bus', bus, urls)] : []), marked('read models', reads, urls),
];
