/**
 * Lets work under one key wait for the work before it, within this process. Only to spare conflicts: between
 * processes the expected revision decides.
 */
export const oneAtATime = () => {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = mine.then(() => undefined, () => undefined);
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return mine;
  };
};
