import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type BlobMemory, openBlobMemory } from '#libs/blob-store/memory.ts';
import { openUnreadableBlobs, type UnreadableBlobs } from '#libs/blob-store/unreadable.ts';
import type { Settings } from '#libs/config/settings.ts';
import { openPreparation, type Preparation } from '#libs/documents/preparation.ts';
import { type Egress, openEgress } from '#libs/egress/door.ts';
import { type Candidate, thisCandidate } from '#libs/election/candidate.ts';
import { type EngineShelf, openShelf } from '#libs/engines/open.ts';
import { openServiceSecrets } from '#libs/secrets/secret-file.ts';
import type { ServiceSecrets } from '#libs/secrets/service-secret.ts';
import type { Logger, Report } from '#libs/telemetry/log.ts';
import { countingRepeats } from '#libs/telemetry/repeated.ts';
import type { Telemetry } from '#libs/telemetry/start.ts';
import type { Role } from './running.ts';

/** What the roles of one process share; whatever a role does not ask for is never opened. */
export type House = {
  settings: Settings;
  logger: Logger;
  telemetry: Telemetry;
  report: Report;
  roles: readonly Role[];
  engines: EngineShelf;
  /** What this process knows of inputs and templates, whichever role it has them from. */
  blobMemory: BlobMemory;
  /** What the roles of this process have looked for in the blob store in vain. */
  unreadableBlobs: UnreadableBlobs;
  egress(): Promise<Egress>;
  preparation(): Preparation;
  secrets(): ServiceSecrets;
  /** This process, as one of those that stand for the same offices. */
  candidate: Candidate;
  /** Names this process in the log. */
  worker: string;
  now: () => Date;
  /** Whether an engine is known to be away. */
  isAway: () => boolean;
  close(): Promise<void>;
};

export const openHouse = (settings: Settings, logger: Logger, telemetry: Telemetry, roles: readonly Role[]): House => {
  const engines = openShelf(settings, {
    onDeadLetter: (message) => logger.error({ ...message }, 'a message was delivered as often as it may be and was moved to the dead letters; the relay publishes open work again'),
    onSetAside: (what) => logger.error(what, 'a damaged database was set aside and is built anew from the event log'),
  });
  const counted = countingRepeats((fact, message, level = 'warn') => logger[level](fact, message));
  const worker = `${hostname()}/${process.pid}`;
  let egress: Promise<Egress> | undefined;
  let preparation: Preparation | undefined;
  let secrets: ServiceSecrets | undefined;
  const caFile = settings.egressCaFile ? { caFile: settings.egressCaFile } : {};
  return {
    settings, logger, telemetry, roles, engines, blobMemory: openBlobMemory(), unreadableBlobs: openUnreadableBlobs(), worker,
    report: counted.report,
    egress: () => (egress ??= openEgress({ allow: settings.egressAllow, log: logger, ...caFile })),
    preparation: () => (preparation ??= openPreparation()),
    secrets: () => (secrets ??= openServiceSecrets(settings)),
    candidate: thisCandidate(worker),
    now: () => new Date(),
    isAway: () => engines.missing().length > 0,
    close: async () => {
      await Promise.all([preparation?.close(), egress?.then((door) => door.close())]);
      await engines.close();
      counted.close();
      await telemetry.close();
    },
  };
};

/** The release that runs. */
export const packageVersion = (): string => (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
