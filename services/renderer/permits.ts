/** A slow render mostly waits and does not count as a quick one. At most this many renders run for each quick one. */
const maxConcurrencyFactor = 4;

const permitsFor = (concurrency: number) => ({
  maxQuick: concurrency,
  maxTotal: concurrency * maxConcurrencyFactor,
});

/**
 * How many renders of one account a process runs at once; twice as many of several accounts. Office documents do not take
 * the permits of others: they wait for LibreOffice, which lays out only a few at once.
 */
export const renderPermits = (concurrency: number) => ({
  renders: permitsFor(concurrency),
  officeRenders: permitsFor(Math.ceil(concurrency / 2)),
});
