import { BlobMissing, type BlobStore } from '#libs/blob-store/port.ts';

export type BlobProblem = { sha256: string; problem: string };

const atOnce = 8;

/** What keeps a blob from being read, null where nothing does: its bytes must have the hash that it is named by. */
const problemOf = async (blobs: Pick<BlobStore, 'get' | 'has'>, sha256: string): Promise<string | null> => {
  try {
    await blobs.get(sha256);
    return null;
  } catch (error) {
    if (!(error instanceof BlobMissing)) return `cannot be read: ${(error as Error).message}`;
    return (await blobs.has(sha256)) ? 'is damaged: its bytes do not have this hash' : 'is missing';
  }
};

/** Reads every one of these blobs, a few at once. */
export const checkBlobs = async (blobs: Pick<BlobStore, 'get' | 'has'>, hashes: Iterable<string>): Promise<{ checked: number; problems: BlobProblem[] }> => {
  const problems: BlobProblem[] = [];
  const left = hashes[Symbol.iterator]();
  let checked = 0;
  const work = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const problem = await problemOf(blobs, next.value);
      checked += 1;
      if (problem !== null) problems.push({ sha256: next.value, problem });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { checked, problems };
};
