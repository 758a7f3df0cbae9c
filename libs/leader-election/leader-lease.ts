import type { Collection, DocumentStore } from '#libs/read-store/port.ts';
import { type ProcessIdentity, hasEnded } from './process-identity.ts';

/**
 * Who is the leader for each job that one process does at a time. The position of the document counts renewals: the
 * process that moves the lease on from the renewal it has seen is the leader, and two cannot. The document says who it
 * is, so that others need not wait for a process that has ended.
 */
export const leaderLeaseCollection: Collection = { name: 'leases', indexes: [] };

type LeaderLeaseDocument = { holder: ProcessIdentity | null };

export type LeaderLease = { renewals: number; holder: ProcessIdentity | null };

const keyOf = (job: string) => ({ collection: leaderLeaseCollection.name, generation: '', id: job });

export const readLeaderLease = async (documents: Pick<DocumentStore, 'read'>, job: string): Promise<LeaderLease> => {
  const { document, position } = await documents.read(keyOf(job));
  return { renewals: position, holder: (document as LeaderLeaseDocument | null)?.holder ?? null };
};

/** Takes, renews or (with null) gives up the lease after `renewals`. False where another process has moved it on. */
export const replaceLeaderLease = (
  documents: Pick<DocumentStore, 'replace'>,
  job: string,
  renewals: number,
  holder: ProcessIdentity | null,
): Promise<boolean> =>
  documents.replace(
    { ...keyOf(job), document: { holder } satisfies LeaderLeaseDocument, position: renewals + 1 },
    renewals,
  );

/** Whether the lease can be taken without waiting. */
export const isFreeLease = ({ holder }: LeaderLease, own: ProcessIdentity): boolean =>
  holder === null || hasEnded(holder, own);
