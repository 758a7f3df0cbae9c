import { isDurableBus } from '#libs/bus/port.ts';
import type { Engines, EngineUrls } from '#libs/engines/engine-factory.ts';
import type { EngineWithInstallationId, ConfiguredEngine, InstallationEngineKind } from './installation-ids.ts';

const dataDirectorySchemes = new Set(['sqlite:', 'file:']);

/** The setting for messages, with the data folder if the URL has no path. */
const describeSetting = (variable: string, url: string): string =>
  dataDirectorySchemes.has(url) ? `${variable} (${url} in COLOPHON_DATA_DIR)` : variable;

/** The setting with the URL of an engine. */
const settingOf = (kind: InstallationEngineKind, { blobStoreUrl, busUrl, readStoreUrl }: EngineUrls): string => {
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

/** Those of these engines that have an installation id, the blob store first. */
export const enginesWithInstallationId = (
  { blobs, bus, reads }: { [Part in 'blobs' | 'bus' | 'reads']?: Engines[Part] | undefined },
  urls: EngineUrls,
): ConfiguredEngine[] => {
  const configured = (kind: InstallationEngineKind, engine: EngineWithInstallationId | undefined) =>
    engine ? [{ kind, setting: settingOf(kind, urls), engine }] : [];
  return [
    ...configured('blobs', blobs),
    ...configured('bus', bus && isDurableBus(bus) ? bus : undefined),
    ...configured('read models', reads),
  ];
};
