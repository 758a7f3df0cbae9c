import { openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';

/** An event log on a server of its own, for its contract. `stopServer` is called when the contract closes it. */
export const openEventStoreUnderTest = (url: string, stopServer: () => Promise<unknown>) => {
  const all = [openKurrentDbEventStore(url)];
  return {
    engine: all[0]!,
    reopen: async () => {
      await all.at(-1)!.close();
      all.push(openKurrentDbEventStore(url));
      return all.at(-1)!;
    },
    engineModule: { module: '#libs/event-store/kurrentdb.ts', name: 'openKurrentDbEventStore', args: [url] },
    close: async () => {
      await Promise.all(all.map((engine) => engine.close()));
      await stopServer();
    },
  };
};
