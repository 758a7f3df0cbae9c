import { BlobNotFound, type BlobStore } from './port.ts';

/** Tracks blobs that the event log refers to and the blob store cannot read, until it can. */
export type UnreadableBlobs = {
  /** The same store; records failures of `get`. */
  wrap(blobs: BlobStore): BlobStore;
  /** The problem of the store in one text; empty if there is none. */
  missing(): string[];
};

/** In milliseconds: the interval of checks, and how long after its last failure a blob is tracked. */
export type UnreadableBlobsOptions = { checkIntervalMs: number; forgetAfterMs: number; clock: () => number };
/** Messages are redelivered within a minute. A blob that is not requested for longer is not needed any more. */
const defaultCheckOptions: UnreadableBlobsOptions = {
  checkIntervalMs: 1_000,
  forgetAfterMs: 150_000,
  clock: () => performance.now(),
};

const maxTrackedBlobs = 1_000;
const maxChecksPerRun = 20;

/** `reason` is `missing`, or an error code of the file system. */
type UnreadableBlob = { blobs: BlobStore; at: number; reason: string };

/** Only a missing blob and file system errors count. Servers report their own problems. */
const reasonOf = (error: unknown): string | null => {
  if (error instanceof BlobNotFound) return 'missing';
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : null;
};

const describeUnreadableBlobs = (count: number, sha256: string, reason: string): string => {
  const which = count === 1 ? `the blob ${sha256}` : `${count} blobs (${sha256} is one)`;
  const problem =
    reason === 'missing'
      ? `The event log names ${which}, but the blob store lacks ${count === 1 ? 'it' : 'them'} or holds damaged bytes.`
      : `The blob store cannot read ${which} (${reason}).`;
  return (
    `${problem} Renders and webhooks that need ${count === 1 ? 'it' : 'them'} wait. Check BLOB_STORE_URL and EVENT_STORE_URL: ` +
    `they must refer to this installation's blobs and events. If they are lost, restore them from the backup.`
  );
};

/** Checks tracked blobs at intervals while there are any; `clock` returns milliseconds. */
export const createUnreadableBlobs = ({
  checkIntervalMs,
  forgetAfterMs,
  clock,
}: UnreadableBlobsOptions = defaultCheckOptions): UnreadableBlobs => {
  const tracked = new Map<string, UnreadableBlob>();
  let timer: NodeJS.Timeout | undefined;

  /** A blob that exists may be damaged, or its file may not be readable for this process. */
  const isReadable = (blobs: BlobStore, sha256: string): Promise<boolean> =>
    blobs
      .has(sha256)
      .then(async (exists) => exists && blobs.get(sha256).then(() => true))
      .catch(() => false);
  const check = async ([sha256, { blobs, at }]: [string, UnreadableBlob]): Promise<void> => {
    const isResolved = clock() - at > forgetAfterMs || (await isReadable(blobs, sha256));
    if (isResolved && tracked.get(sha256)?.at === at) tracked.delete(sha256);
  };
  const checkAll = async (): Promise<void> => {
    // One after another, because blobs can be large.
    for (const entry of [...tracked].slice(0, maxChecksPerRun)) await check(entry);
    timer = undefined;
    scheduleCheck();
  };
  const scheduleCheck = (): void => {
    if (tracked.size > 0) timer ??= setTimeout(() => void checkAll(), checkIntervalMs).unref();
  };
  const track = (sha256: string, blob: UnreadableBlob): void => {
    if (tracked.size >= maxTrackedBlobs && !tracked.has(sha256)) return;
    tracked.set(sha256, blob);
    scheduleCheck();
  };

  return {
    wrap: (blobs) => ({
      ...blobs,
      get: async (sha256) => {
        try {
          const bytes = await blobs.get(sha256);
          tracked.delete(sha256);
          return bytes;
        } catch (error) {
          const reason = reasonOf(error);
          if (reason !== null) track(sha256, { blobs, at: clock(), reason });
          throw error;
        }
      },
    }),
    missing: () => {
      const [first] = tracked;
      return first ? [describeUnreadableBlobs(tracked.size, first[0], first[1].reason)] : [];
    },
  };
};
