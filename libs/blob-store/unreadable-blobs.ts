import { BlobNotFound, type BlobStore } from './port.ts';

/** Blobs that the event log names and the blob store could not give, as long as it cannot. */
export type UnreadableBlobs = {
  /** The same store; failures of `get` are noted. */
  wrap(blobs: BlobStore): BlobStore;
  /** What is wrong with the store, in at most one sentence; empty where nothing is. */
  missing(): string[];
};

/** In milliseconds: how often noted blobs are looked for, and how long after the last failure a note is kept. */
export type UnreadableBlobsOptions = { checkIntervalMs: number; forgetAfterMs: number; clock: () => number };
/** A message comes again after a minute at the latest: who has not asked for longer does not need the blob any more. */
const defaultCheckOptions: UnreadableBlobsOptions = {
  checkIntervalMs: 1_000,
  forgetAfterMs: 150_000,
  clock: () => performance.now(),
};

const maxTrackedBlobs = 1_000;
const maxChecksPerRun = 20;

/** `reason` is `missing`, or an error code of the file system. */
type UnreadableBlob = { blobs: BlobStore; at: number; reason: string };

/** Errors of the file system. What servers meet, they tell of themselves. */
const reasonOf = (error: unknown): string | null => {
  if (error instanceof BlobNotFound) return 'missing';
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : null;
};

const describeUnreadableBlobs = (count: number, sha256: string, reason: string): string => {
  const which = count === 1 ? `the blob ${sha256}` : `${count} blobs (${sha256} is one)`;
  const what =
    reason === 'missing'
      ? `The event log names ${which}, but the blob store lacks ${count === 1 ? 'it' : 'them'} or holds damaged bytes.`
      : `The blob store cannot read ${which} (${reason}).`;
  return `${what} Renders and callbacks that need ${count === 1 ? 'it' : 'them'} wait. Check BLOB_STORE_URL: it must lead to this installation's blobs. If they are lost, restore them from the backup.`;
};

export const createUnreadableBlobs = ({
  checkIntervalMs,
  forgetAfterMs,
  clock,
}: UnreadableBlobsOptions = defaultCheckOptions): UnreadableBlobs => {
  const notes = new Map<string, UnreadableBlob>();
  let timer: NodeJS.Timeout | undefined;

  /** One that is there may be damaged, or not for this process to read. */
  const isReadable = (blobs: BlobStore, sha256: string): Promise<boolean> =>
    blobs
      .has(sha256)
      .then(async (isThere) => isThere && blobs.get(sha256).then(() => true))
      .catch(() => false);
  const lookFor = async ([sha256, { blobs, at }]: [string, UnreadableBlob]): Promise<void> => {
    const isOver = clock() - at > forgetAfterMs || (await isReadable(blobs, sha256));
    if (isOver && notes.get(sha256)?.at === at) notes.delete(sha256);
  };
  const look = async (): Promise<void> => {
    // One after another: those that are read may be large.
    for (const one of [...notes].slice(0, maxChecksPerRun)) await lookFor(one);
    timer = undefined;
    lookSoon();
  };
  const lookSoon = (): void => {
    if (notes.size > 0) timer ??= setTimeout(() => void look(), checkIntervalMs).unref();
  };
  const note = (sha256: string, fresh: UnreadableBlob): void => {
    if (notes.size >= maxTrackedBlobs && !notes.has(sha256)) return;
    notes.set(sha256, fresh);
    lookSoon();
  };

  return {
    wrap: (blobs) => ({
      ...blobs,
      get: async (sha256) => {
        try {
          const bytes = await blobs.get(sha256);
          notes.delete(sha256);
          return bytes;
        } catch (error) {
          const reason = reasonOf(error);
          if (reason !== null) note(sha256, { blobs, at: clock(), reason });
          throw error;
        }
      },
    }),
    missing: () => {
      const [first] = notes;
      return first ? [describeUnreadableBlobs(notes.size, first[0], first[1].reason)] : [];
    },
  };
};
