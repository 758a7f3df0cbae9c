import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type BlobCache, createBlobCache } from '#libs/blob-store/cache.ts';
import { createUnreadableBlobs, type UnreadableBlobs } from '#libs/blob-store/unreadable-blobs.ts';
import type { Settings } from '#libs/config/settings.ts';
import { openDocumentPreparation, type DocumentPreparation } from '#libs/documents/document-preparation.ts';
import { type Egress, openEgress } from '#libs/egress/egress.ts';
import { type ProcessIdentity, createProcessIdentity } from '#libs/leader-election/process-identity.ts';
import { type EngineFactory, createEngineFactory } from '#libs/engines/engine-factory.ts';
import { loadInstallationSecrets } from '#libs/secrets/secret-file.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import type { Logger, Report } from '#libs/telemetry/logger.ts';
import { aggregateRepeatedWarnings } from '#libs/telemetry/repeated-warnings.ts';
import type { Telemetry } from '#libs/telemetry/telemetry.ts';
import type { Role } from './running-role.ts';

/** What the roles of one process share; whatever a role does not ask for is never opened. */
export type ProcessContext = {
  settings: Settings;
  logger: Logger;
  telemetry: Telemetry;
  report: Report;
  roles: readonly Role[];
  engines: EngineFactory;
  /** What this process knows of inputs and templates, whichever role it has them from. */
  blobMemory: BlobCache;
  /** What the roles of this process have looked for in the blob store in vain. */
  unreadableBlobs: UnreadableBlobs;
  egress(): Promise<Egress>;
  preparation(): DocumentPreparation;
  secrets(): InstallationSecrets;
  /** This process, as one of those that stand for the same offices. */
  processIdentity: ProcessIdentity;
  /** Names this process in the log. */
  processName: string;
  now: () => Date;
  /** Whether an engine is known to be away. */
  isEngineUnavailable: () => boolean;
  close(): Promise<void>;
};

export const openProcessContext = (
  settings: Settings,
  logger: Logger,
  telemetry: Telemetry,
  roles: readonly Role[],
): ProcessContext => {
  const engines = createEngineFactory(settings, {
    onDeadLetter: (message) =>
      logger.error(
        { ...message },
        'a message was delivered as often as it may be and was moved to the dead letters; the relay publishes open work again',
      ),
    onSetAside: (what) => logger.error(what, 'a damaged database was set aside and is built anew from the event log'),
  });
  const counted = aggregateRepeatedWarnings((fact, message, level = 'warn') => logger[level](fact, message));
  const worker = `${hostname()}/${process.pid}`;
  let egress: Promise<Egress> | undefined;
  let preparation: DocumentPreparation | undefined;
  let secrets: InstallationSecrets | undefined;
  const caFile = settings.egressCaFile ? { caFile: settings.egressCaFile } : {};
  return {
    settings,
    logger,
    telemetry,
    roles,
    engines,
    blobMemory: createBlobCache(),
    unreadableBlobs: createUnreadableBlobs(),
    processName: worker,
    report: counted.report,
    egress: () => (egress ??= openEgress({ allowList: settings.egressAllow, logger: logger, ...caFile })),
    preparation: () => (preparation ??= openDocumentPreparation()),
    secrets: () => (secrets ??= loadInstallationSecrets(settings)),
    processIdentity: createProcessIdentity(worker),
    now: () => new Date(),
    isEngineUnavailable: () => engines.missing().length > 0,
    close: async () => {
      await Promise.all([preparation?.close(), egress?.then((door) => door.close())]);
      await engines.close();
      counted.close();
      await telemetry.close();
    },
  };
};

/** The release that runs. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
