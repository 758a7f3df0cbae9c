import { chown, writeFile } from 'node:fs/promises';
import pRetry from 'p-retry';

/** The user and the group `nobody`. */
const nobodyId = 65534;

const runsAsRoot = (): boolean => process.getuid?.() === 0;

/** The ids of the user of started processes, for `spawn`: those of `nobody` if this process runs as root, else none. */
export const childUser = (): { uid?: number; gid?: number } => (runsAsRoot() ? { uid: nobodyId, gid: nobodyId } : {});

/** Makes the user of started processes the owner of these files. */
export const giveToChildUser = async (...paths: readonly string[]): Promise<void> => {
  if (runsAsRoot()) await Promise.all(paths.map((path) => chown(path, nobodyId, nobodyId)));
};

/** Whether a process runs, also one of another user. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Ends all processes of a group. */
export const killProcessGroup = (processGroup: number): void => {
  try {
    process.kill(-processGroup, 'SIGKILL');
  } catch {
    // It has ended already.
  }
};

/**
 * How much lower the priority of processes that work on documents is (nice). Short work of the service, such as accepting
 * requests and appending events, must not wait for documents. It is the same for browsers, LibreOffice and workers, so
 * that one kind of document does not push another off the processor.
 */
export const documentNiceness = 10;

/** The kernel lets ordinary users change one session in 100 ms, of all on the machine. */
const busyCode = 'EAGAIN';
const retryOptions = { retries: 100, minTimeout: 120, factor: 1, randomize: true, unref: true };

/**
 * Where the kernel divides processor time among sessions (autogroup), niceness has no effect unless the session itself
 * has a lower priority. Elsewhere this does nothing. `processGroup` leads a session of its own.
 */
export const lowerSessionPriority = (processGroup: number, niceness: number): Promise<void> =>
  pRetry(() => writeFile(`/proc/${processGroup}/autogroup`, String(niceness)), {
    ...retryOptions,
    shouldRetry: ({ error }) => (error as NodeJS.ErrnoException).code === busyCode,
  }).catch(() => undefined);
