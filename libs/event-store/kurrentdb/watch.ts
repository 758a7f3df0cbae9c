import { setTimeout as sleep } from 'node:timers/promises';

/** What is known of whether the server serves. */
export type Watch = {
  missing(): string | null;
  /** Told of an operation that failed: what it failed by holds until the server has been seen to serve again. */
  failed(sentence: string): void;
};

/** Asks `probe` over and over, every `everyMs`, until `closed` aborts; `sentenceOf` says what its failure means. */
export const openWatch = (probe: () => Promise<void>, sentenceOf: (error: unknown) => string, everyMs: number, closed: AbortSignal, atFirst: string): Watch => {
  let missing: string | null = atFirst;
  const watch = async (): Promise<void> => {
    while (!closed.aborted) {
      try {
        await probe();
        missing = null;
      } catch (error) {
        missing = sentenceOf(error);
      }
      await sleep(everyMs, undefined, { signal: closed, ref: false }).catch(() => undefined);
    }
  };
  void watch();
  return {
    missing: () => missing,
    failed: (sentence) => (missing = sentence),
  };
};
