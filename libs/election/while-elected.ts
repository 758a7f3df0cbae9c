import { setTimeout as sleep } from 'node:timers/promises';
import type { PositionedDocuments } from '#libs/read-store/port.ts';
import type { Candidate } from './candidate.ts';
import { isVacant, moveLease, readLease } from './lease.ts';

/** In milliseconds. `patienceMs` without a beat end an office for the others, `doubtMs` without a confirmed one for the holder: the latter is shorter, so that the holder leaves first. */
export type ElectionTimes = { beatMs: number; doubtMs: number; patienceMs: number; lookMs: number };
export const usualTimes: ElectionTimes = { beatMs: 1_000, doubtMs: 2_400, patienceMs: 3_000, lookMs: 400 };

export type Office = {
  reads: Pick<PositionedDocuments, 'read' | 'replace'>;
  office: string;
  candidate: Candidate;
  /** Told of every taking of office and every leaving. */
  report: (fact: Record<string, unknown>, message: string) => void;
  times?: ElectionTimes;
};

const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);

/** Waits until the office is this candidate's, and answers with the beat that it holds; null when `signal` aborts. Nobody's clock is compared: a beat that stands still for long is the sign. */
const takeOffice = async ({ reads, office, candidate, times = usualTimes }: Office, signal: AbortSignal): Promise<number | null> => {
  let seen = { renewals: -1, since: 0 };
  while (!signal.aborted) {
    const standing = await readLease(reads, office);
    if (standing.renewals !== seen.renewals) seen = { renewals: standing.renewals, since: performance.now() };
    const overdue = performance.now() - seen.since >= times.patienceMs;
    if ((overdue || isVacant(standing, candidate)) && (await moveLease(reads, office, standing.renewals, candidate))) return standing.renewals + 1;
    await pause(times.lookMs, signal);
  }
  return null;
};

/** Renews the lease until `signal` aborts; answers with the beat it holds then, null where it was lost. `onBeat` is called at every confirmed beat. */
const keepOffice = async ({ reads, office, candidate, times = usualTimes }: Office, beat: number, onBeat: () => void, signal: AbortSignal): Promise<number | null> => {
  for (let held = beat; ; ) {
    await pause(times.beatMs, signal);
    if (signal.aborted) return held;
    // An error is no answer: whether the beat counts is seen at the next one, and doubt ends the office before anybody else may have it.
    const moved = await moveLease(reads, office, held, candidate).catch(() => null);
    if (moved === false) {
      const { renewals: now, holder } = await readLease(reads, office).catch(() => ({ renewals: -1, holder: null }));
      if (holder?.id !== candidate.id) return null;
      held = now;
    } else if (moved) {
      held += 1;
      onBeat();
    }
  }
};

const holdOffice = async (parts: Office, beat: number, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<'done' | 'lost'> => {
  const { reads, office, report, times = usualTimes } = parts;
  const over = new AbortController();
  const lost = (): void => {
    if (!over.signal.aborted) report({ office }, 'left an office: its lease could not be renewed');
    over.abort();
  };
  let doubt = setTimeout(lost, times.doubtMs);
  const onBeat = (): void => {
    clearTimeout(doubt);
    doubt = setTimeout(lost, times.doubtMs);
  };
  const released = new AbortController();
  const keeping = keepOffice(parts, beat, onBeat, released.signal).then((held) => {
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
    const held = over.signal.aborted ? null : await Promise.race([keeping, sleep(times.doubtMs, null, { ref: false })]);
    if (held !== null) await moveLease(reads, office, held, null).catch(() => undefined);
  }
};

/**
 * Does `work` in one process at a time: this one, whenever it is elected, until `signal` aborts or the work is done. The signal that `work` gets aborts when the office is lost, too.
 * For a moment two may be at it, where one has been frozen: what they write must be guarded by checkpoints, as everything is here.
 * @throws what `work` throws; the office is given up then
 */
export const whileElected = async (parts: Office, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const beat = await takeOffice(parts, signal);
    if (beat === null) return;
    parts.report({ office: parts.office }, 'took an office');
    if ((await holdOffice(parts, beat, work, signal)) === 'done') return;
  }
};
