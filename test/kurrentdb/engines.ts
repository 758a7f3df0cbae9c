import { type KurrentDbTimes, openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';

/** Short enough for tests that meet a server which does not answer, long enough for a busy machine that does. */
export const quickTimes: KurrentDbTimes = { attemptMs: 1_000, patienceMs: 20_000, firstPauseMs: 10, longestPauseMs: 200, watchMs: 50 };

export const urlOf = (port: number): string => `kurrentdb://127.0.0.1:${port}?tls=false`;

export const openOn = (port: number, times: Partial<KurrentDbTimes> = {}) => openKurrentDbEventStore(urlOf(port), { ...quickTimes, ...times });
