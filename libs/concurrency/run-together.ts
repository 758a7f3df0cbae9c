/** Runs loops until all have ended. When one fails, the others are aborted. Throws the first failure. */
export const runTogether = async (
  signal: AbortSignal,
  ...loops: readonly ((signal: AbortSignal) => Promise<void>)[]
): Promise<void> => {
  const aborter = new AbortController();
  const loopSignal = AbortSignal.any([signal, aborter.signal]);
  const abortOthers = (error: unknown): never => {
    aborter.abort();
    throw error;
  };
  const results = await Promise.allSettled(loops.map((loop) => loop(loopSignal).catch(abortOthers)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
};
