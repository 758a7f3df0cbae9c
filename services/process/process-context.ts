import { hostname } from 'node:os';
import { type BlobCache, createBlobCache } from '#libs/blob-store/cache.ts';
import { createUnreadableBlobs, type UnreadableBlobs } from '#libs/blob-store/unreadable-blobs.ts';
import type { Settings } from '#libs/config/settings.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import type { Egress } from '#libs/egress/egress.ts';
import { type ProcessIdentity, createProcessIdentity } from '#libs/leader-election/process-identity.ts';
import { type EngineFactory, createEngineFactory } from '#libs/engines/engine-factory.ts';
import { loadInstallationSecrets } from '#libs/secrets/secret-file.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import type { Logger, Report } from '#libs/telemetry/logger.ts';
import { aggregateRepeatedWarnings } from '#libs/telemetry/repeated-warnings.ts';
import type { Telemetry } from '#libs/telemetry/telemetry.ts';
import type { ProcessRole } from './running-role.ts';

/** What the roles of one process share. Nothing is opened, nor its code loaded, before a role needs it. */
export type ProcessContext = {
  settings: Settings;
  logger: Logger;
  telemetry: Telemetry;
  report: Report;
  roles: readonly ProcessRole[];
  engines: EngineFactory;
  /** Cached inputs and templates, shared by all roles. */
  blobCache: BlobCache;
  /** Blobs that a role of this process could not read. */
  unreadableBlobs: UnreadableBlobs;
  egress(): Promise<Egress>;
  preparation(): Promise<DocumentPreparation>;
  secrets(): InstallationSecrets;
  /** Identifies this process in leader elections. */
  processIdentity: ProcessIdentity;
  /** Names this process in the log. */
  processName: string;
  now: () => Date;
  /** Whether an engine is known to be unavailable. */
  isEngineUnavailable: () => boolean;
  close(): Promise<void>;
};

/** Opens no engine, and reads no secret, before a role asks for it. */
export const openProcessContext = (
  settings: Settings,
  logger: Logger,
  telemetry: Telemetry,
  roles: readonly ProcessRole[],
): ProcessContext => {
  const engines = createEngineFactory(settings, {
    onDeadLetter: (message) =>
      logger.error(
        { ...message },
        'message moved to dead letters after the last delivery; the relay publishes open work again',
      ),
    onSetAside: (fields) => logger.error(fields, 'damaged database set aside; it is rebuilt from the event log'),
  });
  const repeatedWarnings = aggregateRepeatedWarnings((fields, message, level = 'warn') =>
    logger[level](fields, message),
  );
  const processName = `${hostname()}/${process.pid}`;
  let egress: Promise<Egress> | undefined;
  let preparation: Promise<DocumentPreparation> | undefined;
  let secrets: InstallationSecrets | undefined;
  const startEgress = async (): Promise<Egress> => {
    const { openEgress } = await import('#libs/egress/egress.ts');
    return openEgress({ allowList: settings.egressAllow, logger, caFile: settings.egressCaFile });
  };
  const startPreparation = async (): Promise<DocumentPreparation> =>
    (await import('#libs/documents/document-preparation.ts')).openDocumentPreparation();
  return {
    settings,
    logger,
    telemetry,
    roles,
    engines,
    blobCache: createBlobCache(),
    unreadableBlobs: createUnreadableBlobs(),
    processName,
    report: repeatedWarnings.report,
    egress: () => (egress ??= startEgress()),
    preparation: () => (preparation ??= startPreparation()),
    secrets: () => (secrets ??= loadInstallationSecrets(settings)),
    processIdentity: createProcessIdentity(processName),
    now: () => new Date(),
    isEngineUnavailable: () => engines.missing().length > 0,
    close: async () => {
      await Promise.all([preparation, egress].map(async (opened) => (await opened)?.close()));
      await engines.close();
      repeatedWarnings.close();
      await telemetry.close();
    },
  };
};
