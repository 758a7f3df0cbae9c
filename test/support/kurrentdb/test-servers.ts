import { afterEach, expect } from 'vitest';
import { openStandInEventLog } from './stand-in-event-log.ts';
import { startKurrentDbStandIn } from './server.ts';

/** Polls until the expectation is met, with a long timeout for busy machines. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 });

/** Servers and stores that are closed after each test of a file, the last one first. */
export const useTestServers = () => {
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });

  const start = async (settings: Parameters<typeof startKurrentDbStandIn>[0] = {}) => {
    const server = await startKurrentDbStandIn(settings);
    endings.push(server.stop);
    return server;
  };

  return {
    start,
    closeAfterTest: <Engine extends { close(): Promise<void> }>(engine: Engine): Engine => {
      endings.push(engine.close);
      return engine;
    },
    /** Two members of a cluster with the same event log. The first is the leader. */
    startTwo: async () => {
      const eventLog = openStandInEventLog();
      const [a, b] = [await start({ eventLog }), await start({ eventLog })];
      const lead = (leader: typeof a): void => {
        for (const member of [a, b]) member.setCluster({ members: [a.endpoint, b.endpoint], leader: leader.endpoint });
      };
      lead(a);
      return { a, b, lead };
    },
  };
};
