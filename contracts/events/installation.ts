import { z } from 'zod';
import { identifier } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

/** One stream a log: what belongs to this log, and must not be exchanged without a word. */
export const installationEvents = {
  /** The first start ever. The fingerprint tells one secret from another and reveals nothing of it. */
  InstallationCreated: z.object({ installationId: identifier(), secretFingerprint: identifier() }),
  SecretRotated: z.object({ from: identifier(), to: identifier() }),
  /** The blob store of the installation is the one with this mark, which no other has. It holds what cannot be built anew from the log. */
  BlobStoreRegistered: z.object({ blobStoreId: identifier() }),
  /** A person has accepted another blob store in place of the one that was marked. */
  BlobStoreReplaced: z.object({}),
} as const;

export type InstallationEvent = EventsIn<typeof installationEvents>;
