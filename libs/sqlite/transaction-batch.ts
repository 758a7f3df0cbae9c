type Transaction = <T>(work: () => T) => T;
type BatchedWork = { work: () => unknown; resolve: (value: never) => void; reject: (error: unknown) => void };

export type TransactionBatch = {
  add<T>(work: () => T): Promise<T>;
  /** Does at once what has gathered. */
  flush(): void;
};

/** Gathers the work of one turn of the event loop, and does it in one transaction when the turn ends. */
export const createTransactionBatch = (transaction: Transaction): TransactionBatch => {
  let gathered: BatchedWork[] = [];
  let next: NodeJS.Immediate | undefined;

  const alone = ({ work, resolve, reject }: BatchedWork): void => {
    try {
      resolve(transaction(work) as never);
    } catch (error) {
      reject(error);
    }
  };

  const take = (): void => {
    clearImmediate(next);
    next = undefined;
    const pieces = gathered;
    gathered = [];
    if (pieces.length < 2) return pieces.forEach(alone);
    let results: unknown[];
    try {
      results = transaction(() => pieces.map(({ work }) => work()));
    } catch {
      return pieces.forEach(alone);
    }
    pieces.forEach(({ resolve }, index) => resolve(results[index] as never));
  };

  return {
    add: (work) =>
      new Promise((resolve, reject) => {
        gathered.push({ work, resolve, reject });
        next ??= setImmediate(take);
      }),
    flush: take,
  };
};
