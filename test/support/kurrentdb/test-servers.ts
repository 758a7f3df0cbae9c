import { afterEach, expect } from 'vitest';
import { openFakeEventLog } from './fake-event-log.ts';
import { startFakeKurrentDb } from './server.ts';

/** Looks until what is expected is there; a busy machine may take its time. */
export const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 25_000 });

/** Servers and stores that are ended after each test of a file, the last one first. */
export const useTestServers = () => {
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });

  const start = async (settings: Parameters<typeof startFakeKurrentDb>[0] = {}) => {
    const server = await startFakeKurrentDb(settings);
    endings.push(server.stop);
    return server;
  };

  return {
    start,
    closeAfterTest: <Engine extends { close(): Promise<void> }>(engine: Engine): Engine => {
      endings.push(engine.close);
      return engine;
    },
    /** Two members of a cluster over the same log, of which the first leads. */
    startTwo: async () => {
      const log = openFakeEventLog();
      const [a, b] = [await start({ eventLog: log }), await start({ eventLog: log })];
      const lead = (leader: typeof a): void => {
        for (const member of [a, b]) member.setCluster({ members: [a.endpoint, b.endpoint], leader: leader.endpoint });
      };
      lead(a);
      return { a, b, lead };
    },
  };
};
