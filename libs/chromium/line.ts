/** Where documents wait for a place in a browser. */
export type Line = {
  /** Does the work as soon as there is a place. `group` says whose it is. */
  add<T>(group: string, work: () => Promise<T>): Promise<T>;
  running(): number;
  waiting(): number;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
};

type Waiting = { group: string; since: number; begin: () => void };

/** Who has waited so long for a place that is not there gets one of the reserve, if nothing else of the same group runs. */
const patienceMs = 100;

/** A line before so many places, first come, first served; and as many again for groups that would wait for others' long documents. */
export const openLine = (places: number): Line => {
  const running = new Map<symbol, string>();
  const waiting: Waiting[] = [];
  let idlers: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  const runs = (group: string): boolean => [...running.values()].includes(group);
  const begin = (at: number): void => waiting.splice(at, 1)[0]!.begin();

  const serveReserve = (): void => {
    timer = undefined;
    const patient = performance.now() - patienceMs;
    for (let at = 0; at < waiting.length && running.size < places * 2; ) {
      const { since, group } = waiting[at]!;
      if (since <= patient && !runs(group)) begin(at);
      else at += 1;
    }
    serve();
  };

  const serve = (): void => {
    while (waiting.length > 0 && running.size < places) begin(0);
    if (waiting.length > 0) timer ??= setTimeout(serveReserve, patienceMs);
    else if (running.size === 0) for (const resolve of idlers.splice(0)) resolve();
  };

  return {
    add: async (group, work) => {
      const mine = Symbol(group);
      await new Promise<void>((resolve) => {
        const take = (): void => {
          running.set(mine, group);
          resolve();
        };
        waiting.push({ group, since: performance.now(), begin: take });
        serve();
      });
      try {
        return await work();
      } finally {
        running.delete(mine);
        serve();
      }
    },
    running: () => running.size,
    waiting: () => waiting.length,
    idle: () =>
      new Promise((resolve) => {
        idlers = [...idlers, resolve];
        serve();
      }),
  };
};
