/** Where documents wait for a place in a browser. */
export type Line = {
  /** Does the work as soon as there is a place. `group` says whose it is. */
  add<T>(group: string, work: () => Promise<T>): Promise<T>;
  running(): number;
  waiting(): number;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
};

type Waiting = { group: string; begin: () => void };

/** Where no place has come free for so long, those who wait get one of the reserve, unless their group has half of the usual places already. */
const patienceMs = 100;

/** A line before so many places, first come, first served; and as many again for groups that would wait for others' long documents. */
export const openLine = (places: number): Line => {
  const running = new Map<symbol, string>();
  const waiting: Waiting[] = [];
  let idlers: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  let lastFree = performance.now();

  const isServed = (group: string): boolean => [...running.values()].filter((other) => other === group).length * 2 >= places;
  const begin = (at: number): void => waiting.splice(at, 1)[0]!.begin();

  const serveReserve = (): void => {
    for (let at = 0; at < waiting.length && running.size < places * 2; ) {
      if (isServed(waiting[at]!.group)) at += 1;
      else begin(at);
    }
  };

  const serve = (): void => {
    clearTimeout(timer);
    if (running.size < places) lastFree = performance.now();
    while (waiting.length > 0 && running.size < places) begin(0);
    const patienceLeft = patienceMs - (performance.now() - lastFree);
    if (waiting.length > 0 && patienceLeft <= 0) serveReserve();
    else if (waiting.length > 0) timer = setTimeout(serve, patienceLeft);
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
        waiting.push({ group, begin: take });
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
