/** Then the cause is a server, not the counters, and each further one would wait for its timeout, too. */
const maxFailuresInARow = 3;

/**
 * Corrects one counter after the other. One that fails does not keep the others from being corrected, but three in a row
 * end the round.
 * @throws AggregateError in the end, if counters failed
 */
export const correctEach = async <Counter>(
  counters: Iterable<Counter>,
  correct: (counter: Counter) => Promise<void>,
): Promise<void> => {
  const failures: unknown[] = [];
  let inARow = 0;
  for (const counter of counters) {
    if (inARow === maxFailuresInARow) break;
    try {
      await correct(counter);
      inARow = 0;
    } catch (error) {
      failures.push(error);
      inARow += 1;
    }
  }
  if (failures.length === 0) return;
  throw new AggregateError(failures, `${failures.length} counters failed, the first with ${String(failures[0])}`);
};
