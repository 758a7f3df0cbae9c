import { checkpointCollection } from './model-states.ts';
import type { PositionedDocuments } from './port.ts';

// The checkpoints of those who follow the event log without a read model, as the relay does: the position of a document
// without content. `follower` is the name of one.

const keyOf = (follower: string) => ({ collection: checkpointCollection.name, generation: '', id: follower });

/** The position up to which a follower has done its work; 0 at first. */
export const followerCheckpoint = async (
  documents: Pick<PositionedDocuments, 'read'>,
  follower: string,
): Promise<number> => (await documents.read(keyOf(follower))).position;

/** Moves the checkpoint of a follower up to a position. It never moves back: two may move it. */
export const moveFollower = (
  documents: Pick<PositionedDocuments, 'write'>,
  follower: string,
  position: number,
): Promise<void> => documents.write([{ ...keyOf(follower), document: {}, position }]);

/** Sets the checkpoint of a follower, be it back: for an event log that is older than the checkpoint. */
export const setFollower = async (
  documents: Pick<PositionedDocuments, 'read' | 'replace'>,
  follower: string,
  position: number,
): Promise<void> => {
  for (;;) {
    const current = await followerCheckpoint(documents, follower);
    if (current === position) return;
    if (await documents.replace({ ...keyOf(follower), document: {}, position }, current)) return;
  }
};
