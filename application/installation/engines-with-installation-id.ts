import { isDurableBus } from '#libs/bus/port.ts';
import type { Engines, EngineUrls } from '#libs/engines/engine-factory.ts';
import type { EngineWithInstallationId, ConfiguredEngine, InstallationEngineKind } from './installation-ids.ts';

const dataDirectorySchemes = new Set(['sqlite:', 'file:']);

/** The setting for messages, with the data folder if the URL has no path. */
const describeSetting = (variable: string, url: string): string =>
  dataDirectorySchemes.has(url) ? `${variable} (${url} in COLOPHON_DATA_DIR)` : variable;

/** The setting with the URL of an engine. */
export const settingOf = (kind: InstallationEngineKind, { blobStoreUrl, busUrl, readStoreUrl }: EngineUrls): string => {
  switch (kind) {
    case 'blobs':
      return describeSetting('BLOB_STORE_URL', blobStoreUrl);
    case 'bus':
      return describeSetting('BUS_URL', busUrl);
    case 'read models':
      return describeSetting('READ_STORE_URL', readStoreUrl);
    default:
      return kind satisfies never;
  }
};

const toConfiguredEngine = (
  kind: InstallationEngineKind,
  engine: EngineWithInstallationId,
  urls: EngineUrls,
): ConfiguredEngine => ({ kind, setting: settingOf(kind, urls), engine });

/** All engines with an installation id, the blob store first. */
export const enginesWithInstallationId = (
  { blobs, bus, reads }: Pick<Engines, 'blobs' | 'bus' | 'reads'>,
  urls: EngineUrls,
): [ConfiguredEngine, ...ConfiguredEngine[]] => [
  toConfiguredEngine('blobs', blobs, urls),
  ...(isDurableBus(bus) ? [toConfiguredEngine('bus', bus, urls)] : []),
  toConfiguredEngine('read models', reads, urls),
];
