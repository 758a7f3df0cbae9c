import { setTimeout as sleep } from 'node:timers/promises';
import type { DocumentStore } from '#libs/read-store/port.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { isFreeLease, replaceLeaderLease, readLeaderLease } from './leader-lease.ts';

/** In milliseconds. `patienceMs` without a beat end an office for the others, `doubtMs` without a confirmed one for the holder: the latter is shorter, so that the holder leaves first. */
export type ElectionTimes = {
  renewalIntervalMs: number;
  renewalDeadlineMs: number;
  leaseDurationMs: number;
  retryIntervalMs: number;
};
export const defaultTimes: ElectionTimes = {
  renewalIntervalMs: 1_000,
  renewalDeadlineMs: 2_400,
  leaseDurationMs: 3_000,
  retryIntervalMs: 400,
};

export type LeaderElection = {
  reads: Pick<DocumentStore, 'read' | 'replace'>;
  role: string;
  processIdentity: ProcessIdentity;
  /** Told of every taking of office and every leaving. */
  report: (fact: Record<string, unknown>, message: string) => void;
  times?: ElectionTimes;
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** Waits until the office is this candidate's, and answers with the beat that it holds; null when `signal` aborts. Nobody's clock is compared: a beat that stands still for long is the sign. */
const acquireLease = async (
  { reads, role, processIdentity, times = defaultTimes }: LeaderElection,
  signal: AbortSignal,
): Promise<number | null> => {
  let seen = { renewals: -1, since: 0 };
  while (!signal.aborted) {
    const standing = await readLeaderLease(reads, role);
    if (standing.renewals !== seen.renewals) seen = { renewals: standing.renewals, since: performance.now() };
    const overdue = performance.now() - seen.since >= times.leaseDurationMs;
    if (
      (overdue || isFreeLease(standing, processIdentity)) &&
      (await replaceLeaderLease(reads, role, standing.renewals, processIdentity))
    )
      return standing.renewals + 1;
    await pause(times.retryIntervalMs, signal);
  }
  return null;
};

/** Renews the lease until `signal` aborts; answers with the beat it holds then, null where it was lost. `onBeat` is called at every confirmed beat. */
const renewLease = async (
  { reads, role, processIdentity, times = defaultTimes }: LeaderElection,
  beat: number,
  onBeat: () => void,
  signal: AbortSignal,
): Promise<number | null> => {
  for (let held = beat; ;) {
    await pause(times.renewalIntervalMs, signal);
    if (signal.aborted) return held;
    // An error is no answer: whether the beat counts is seen at the next one, and doubt ends the office before anybody else may have it.
    const moved = await replaceLeaderLease(reads, role, held, processIdentity).catch(() => null);
    if (moved === false) {
      const { renewals: now, holder } = await readLeaderLease(reads, role).catch(() => ({
        renewals: -1,
        holder: null,
      }));
      if (holder?.id !== processIdentity.id) return null;
      held = now;
    } else if (moved) {
      held += 1;
      onBeat();
    }
  }
};

const runAsLeader = async (
  parts: LeaderElection,
  beat: number,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<'done' | 'lost'> => {
  const { reads, role, report, times = defaultTimes } = parts;
  const over = new AbortController();
  const lost = (): void => {
    if (!over.signal.aborted) report({ role }, 'lost leadership: the lease could not be renewed');
    over.abort();
  };
  let doubt = setTimeout(lost, times.renewalDeadlineMs);
  const onBeat = (): void => {
    clearTimeout(doubt);
    doubt = setTimeout(lost, times.renewalDeadlineMs);
  };
  const released = new AbortController();
  const keeping = renewLease(parts, beat, onBeat, released.signal).then((held) => {
    if (held === null) lost();
    return held;
  });
  try {
    await work(AbortSignal.any([signal, over.signal]));
    return over.signal.aborted ? 'lost' : 'done';
  } finally {
    clearTimeout(doubt);
    released.abort();
    // A store that does not answer must not keep this process from ending: the lease runs out by itself.
    const held = over.signal.aborted
      ? null
      : await Promise.race([keeping, sleep(times.renewalDeadlineMs, null, { ref: false })]);
    if (held !== null) await replaceLeaderLease(reads, role, held, null).catch(() => undefined);
  }
};

/**
 * Does `work` in one process at a time: this one, whenever it is elected, until `signal` aborts or the work is done. The signal that `work` gets aborts when the office is lost, too.
 * For a moment two may be at it, where one has been frozen: what they write must be guarded by checkpoints, as everything is here.
 * @throws what `work` throws; the office is given up then
 */
export const runWhileLeader = async (
  parts: LeaderElection,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const beat = await acquireLease(parts, signal);
    if (beat === null) return;
    parts.report({ role: parts.role }, 'became leader');
    if ((await runAsLeader(parts, beat, work, signal)) === 'done') return;
  }
};
