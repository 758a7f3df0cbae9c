import type { Collection, ReadStore } from '#libs/read-store/port.ts';
import { type Candidate, hasEnded } from './candidate.ts';

/**
 * Who holds each office. The checkpoint counts the beats: whoever moves it from the beat they have seen holds the office, and two cannot.
 * The document only says who it was, so that others need not wait for somebody who has left.
 */
export const leaseCollection: Collection = { name: 'leases', indexes: [] };

type LeaseDocument = { office: string; holder: Candidate | null };

const modelOf = (office: string): string => `lease/${office}`;

/** The lease as it stands. */
export type Standing = { beat: number; holder: Candidate | null };

export const readLease = async (reads: ReadStore, office: string): Promise<Standing> => {
  const beat = await reads.checkpoint(modelOf(office));
  const document = (await reads.get(leaseCollection.name, office)) as LeaseDocument | null;
  return { beat, holder: document?.holder ?? null };
};

/** Moves the lease on from `beat` in the name of `holder`, null to give it up. False where somebody else has moved it. */
export const moveLease = (reads: ReadStore, office: string, beat: number, holder: Candidate | null): Promise<boolean> =>
  reads.apply(modelOf(office), beat, beat + 1, [{ collection: leaseCollection.name, id: office, document: { office, holder } satisfies LeaseDocument }]);

/** Moves the lease on for whoever holds it already: who that is need not be written again. */
export const renewLease = (reads: ReadStore, office: string, beat: number): Promise<boolean> => reads.apply(modelOf(office), beat, beat + 1, []);

/** Whether nobody needs to be waited for. */
export const isVacant = ({ holder }: Standing, own: Candidate): boolean => holder === null || hasEnded(holder, own);
