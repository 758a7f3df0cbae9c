import { z } from 'zod';
import { identifier } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

/**
 * Each event log has one installation stream. It records the secret and the blob store that belong to the event log.
 */
export const installationEvents = {
  /** The first start. The fingerprint identifies the secret without revealing it. */
  InstallationCreated: z.object({ installationId: identifier(), secretFingerprint: identifier() }),
  SecretRotated: z.object({ from: identifier(), to: identifier() }),
  /**
   * `blobStoreId` identifies the blob store of the installation, whose content cannot be rebuilt from the event log.
   */
  BlobStoreRegistered: z.object({ blobStoreId: identifier() }),
  /** An operator accepted another blob store in place of the registered one. */
  BlobStoreReplaced: z.object({}),
} as const;

export type InstallationEvent = EventsIn<typeof installationEvents>;
