import { isDurableBus } from '#libs/bus/port.ts';
import type { Engines, EngineUrls } from '#libs/engines/engine-factory.ts';
import type { EngineWithInstallationId, ConfiguredEngine, InstallationEngineKind } from './installation-ids.ts';

const dataDirectorySchemes = new Set(['sqlite:', 'file:']);

/** A setting as messages name it: what has no place of its own lies in the data folder. */
const describeSetting = (variable: string, url: string): string =>
  dataDirectorySchemes.has(url) ? `${variable} (${url} in COLOPHON_DATA_DIR)` : variable;

/** Where the address of each engine stands. */
export const settingOf = (part: InstallationEngineKind, { blobStoreUrl, busUrl, readStoreUrl }: EngineUrls): string => {
  switch (part) {
    case 'blobs':
      return describeSetting('BLOB_STORE_URL', blobStoreUrl);
    case 'bus':
      return describeSetting('BUS_URL', busUrl);
    case 'read models':
      return describeSetting('READ_STORE_URL', readStoreUrl);
    default:
      return part satisfies never;
  }
};

const toConfiguredEngine = (
  part: InstallationEngineKind,
  engine: EngineWithInstallationId,
  urls: EngineUrls,
): ConfiguredEngine => ({ kind: part, setting: settingOf(part, urls), engine });

/** All engines that have marks, the blob store first. */
export const enginesWithInstallationId = (
  { blobs, bus, reads }: Pick<Engines, 'blobs' | 'bus' | 'reads'>,
  urls: EngineUrls,
): [ConfiguredEngine, ...ConfiguredEngine[]] => [
  toConfiguredEngine('blobs', blobs, urls),
  ...(isDurableBus(bus) ? [toConfiguredEngine('bus', bus, urls)] : []),
  toConfiguredEngine('read models', reads, urls),
];
