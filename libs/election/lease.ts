import type { Collection, PositionedDocuments } from '#libs/read-store/port.ts';
import { type Candidate, hasEnded } from './candidate.ts';

/**
 * Who is the leader for each job that one process does at a time. The position of the document counts renewals: the
 * process that moves the lease on from the renewal it has seen is the leader, and two cannot. The document says who it
 * is, so that others need not wait for a process that has ended.
 */
export const leaseCollection: Collection = { name: 'leases', indexes: [] };

type LeaseDocument = { holder: Candidate | null };

export type Lease = { renewals: number; holder: Candidate | null };

const keyOf = (job: string) => ({ collection: leaseCollection.name, generation: '', id: job });

export const readLease = async (documents: Pick<PositionedDocuments, 'read'>, job: string): Promise<Lease> => {
  const { document, position } = await documents.read(keyOf(job));
  return { renewals: position, holder: (document as LeaseDocument | null)?.holder ?? null };
};

/** Takes, renews or (with null) gives up the lease after `renewals`. False where another process has moved it on. */
export const moveLease = (
  documents: Pick<PositionedDocuments, 'replace'>,
  job: string,
  renewals: number,
  holder: Candidate | null,
): Promise<boolean> =>
  documents.replace({ ...keyOf(job), document: { holder } satisfies LeaseDocument, position: renewals + 1 }, renewals);

/** Whether the lease can be taken without waiting. */
export const isVacant = ({ holder }: Lease, own: Candidate): boolean => holder === null || hasEnded(holder, own);
