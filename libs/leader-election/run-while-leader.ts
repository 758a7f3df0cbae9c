import { pause } from '#libs/concurrency/pause.ts';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { DocumentStore } from '#libs/read-store/port.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { isFreeLease, replaceLeaderLease, readLeaderLease } from './leader-lease.ts';

/**
 * In milliseconds. The leader stops after `renewalDeadlineMs` without a confirmed renewal. Other processes may acquire
 * the lease after `leaseDurationMs` without a renewal, which is longer, so that the leader has stopped by then.
 */
export type ElectionTimes = {
  renewalIntervalMs: number;
  renewalDeadlineMs: number;
  leaseDurationMs: number;
  retryIntervalMs: number;
};
const defaultTimes: ElectionTimes = {
  renewalIntervalMs: 1_000,
  renewalDeadlineMs: 2_400,
  leaseDurationMs: 3_000,
  retryIntervalMs: 400,
};

export type LeaderElection = {
  reads: Pick<DocumentStore, 'read' | 'replace'>;
  role: string;
  processIdentity: ProcessIdentity;
  /** Called when this process becomes leader or loses leadership. */
  report: (fields: Record<string, unknown>, message: string) => void;
  times?: ElectionTimes;
};

/**
 * Waits until this process holds the lease. Returns the renewal that it holds; null when `signal` aborts. A lease has
 * expired when its renewals do not change for its duration on this process's clock: clocks are never compared.
 */
const acquireLease = async (
  { reads, role, processIdentity, times = defaultTimes }: LeaderElection,
  signal: AbortSignal,
): Promise<number | null> => {
  let seen = { renewals: -1, since: 0 };
  while (!signal.aborted) {
    const lease = await readLeaderLease(reads, role);
    if (lease.renewals !== seen.renewals) seen = { renewals: lease.renewals, since: performance.now() };
    const hasExpired = performance.now() - seen.since >= times.leaseDurationMs;
    if (
      (hasExpired || isFreeLease(lease, processIdentity)) &&
      (await replaceLeaderLease(reads, role, lease.renewals, processIdentity))
    )
      return lease.renewals + 1;
    await pause(times.retryIntervalMs, signal);
  }
  return null;
};

/**
 * Renews the lease until `signal` aborts. Returns the renewal that it holds then, and null when the lease was lost.
 * `onRenewal` is called at every confirmed renewal.
 */
const renewLease = async (
  { reads, role, processIdentity, times = defaultTimes }: LeaderElection,
  acquired: number,
  onRenewal: () => void,
  signal: AbortSignal,
): Promise<number | null> => {
  for (let held = acquired; ;) {
    await pause(times.renewalIntervalMs, signal);
    if (signal.aborted) return held;
    // After an error the renewal may have been written or not. The next renewal shows it, and the renewal deadline ends
    // the leadership before another process may acquire the lease.
    const renewed = await replaceLeaderLease(reads, role, held, processIdentity).catch(() => null);
    if (renewed === false) {
      const { renewals, holder } = await readLeaderLease(reads, role).catch(() => ({ renewals: -1, holder: null }));
      if (holder?.id !== processIdentity.id) return null;
      held = renewals;
    } else if (renewed) {
      held += 1;
      onRenewal();
    }
  }
};

const runAsLeader = async (
  election: LeaderElection,
  acquired: number,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<'done' | 'lost'> => {
  const { reads, role, report, times = defaultTimes } = election;
  const lost = new AbortController();
  const onLost = (): void => {
    if (!lost.signal.aborted) report({ role }, 'lost leadership: the lease could not be renewed');
    lost.abort();
  };
  const deadline = setTimeout(onLost, times.renewalDeadlineMs);
  const onRenewal = (): void => void deadline.refresh();
  const finished = new AbortController();
  const renewing = renewLease(election, acquired, onRenewal, finished.signal).then((held) => {
    if (held === null) onLost();
    return held;
  });
  try {
    await work(AbortSignal.any([signal, lost.signal]));
    return lost.signal.aborted ? 'lost' : 'done';
  } finally {
    clearTimeout(deadline);
    finished.abort();
    // A store that does not respond must not keep this process from ending. The lease expires by itself.
    const held = lost.signal.aborted
      ? null
      : await runWithTimeout(times.renewalDeadlineMs, () => renewing).catch(() => null);
    if (held !== null) await replaceLeaderLease(reads, role, held, null).catch(() => undefined);
  }
};

/**
 * Runs `work` in one process at a time: in this one whenever it is leader, until `signal` aborts or the work is done.
 * The signal of `work` also aborts when leadership is lost. For a moment two processes may run the work, when one was
 * frozen, so checkpoints must guard its writes.
 * @throws what `work` throws; the lease is released then
 */
export const runWhileLeader = async (
  election: LeaderElection,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const acquired = await acquireLease(election, signal);
    if (acquired === null) return;
    election.report({ role: election.role }, 'became leader');
    if ((await runAsLeader(election, acquired, work, signal)) === 'done') return;
  }
};
