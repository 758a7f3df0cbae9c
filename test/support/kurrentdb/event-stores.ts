import { type KurrentDbOptions, openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';

/** Short enough for tests with a server that does not respond, long enough for a busy machine. */
export const quickOptions: KurrentDbOptions = {
  attemptTimeoutMs: 1_000,
  operationTimeoutMs: 100_000,
  unavailableTimeoutMs: 100_000,
  minRetryDelayMs: 10,
  maxRetryDelayMs: 200,
  checkIntervalMs: 50,
};

export const urlOf = (port: number): string => `kurrentdb://127.0.0.1:${port}?tls=false`;

export const openEventStoreOn = (port: number, options: Partial<KurrentDbOptions> = {}) =>
  openKurrentDbEventStore(urlOf(port), { ...quickOptions, ...options });
