import type { Collection, DocumentStore } from '#libs/read-store/port.ts';
import { type ProcessIdentity, hasEnded } from './process-identity.ts';

/**
 * The leader of each role that one process does at a time. The position of the document counts renewals. A write names
 * the renewal that it replaces, so only one process can write the next renewal. The document names the holder, so that
 * the lease of a process that has ended is free at once.
 */
export const leaderLeaseCollection: Collection = { name: 'leases', indexes: [] };

type LeaderLeaseDocument = { holder: ProcessIdentity | null };

export type LeaderLease = { renewals: number; holder: ProcessIdentity | null };

const keyOf = (role: string) => ({ collection: leaderLeaseCollection.name, generation: '', id: role });

/** The lease of a role; without renewals and holder if no process ever held it. */
export const readLeaderLease = async (documents: Pick<DocumentStore, 'read'>, role: string): Promise<LeaderLease> => {
  const { document, position } = await documents.read(keyOf(role));
  return { renewals: position, holder: (document as LeaderLeaseDocument | null)?.holder ?? null };
};

/**
 * Acquires, renews or (with null) releases the lease that has `renewals` renewals. False when another process has
 * written it since.
 */
export const replaceLeaderLease = (
  documents: Pick<DocumentStore, 'replace'>,
  role: string,
  renewals: number,
  holder: ProcessIdentity | null,
): Promise<boolean> =>
  documents.replace(
    { ...keyOf(role), document: { holder } satisfies LeaderLeaseDocument, position: renewals + 1 },
    renewals,
  );

/** Whether the lease can be acquired without waiting. */
export const isFreeLease = ({ holder }: LeaderLease, thisProcess: ProcessIdentity): boolean =>
  holder === null || hasEnded(holder, thisProcess);
