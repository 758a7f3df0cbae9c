import { afterEach, expect } from 'vitest';
import { openLog } from './log.ts';
import { startKurrentDb } from './server.ts';

/** Looks until what is expected is there; a busy machine may take its time. */
export const eventually = <T>(look: () => T) => expect.poll(look, { timeout: 25_000 });

/** Servers and stores that are ended after each test of a file, the last one first. */
export const givenInTests = () => {
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  });

  const start = async (settings: Parameters<typeof startKurrentDb>[0] = {}) => {
    const server = await startKurrentDb(settings);
    endings.push(server.stop);
    return server;
  };

  return {
    start,
    opened: <Engine extends { close(): Promise<void> }>(engine: Engine): Engine => {
      endings.push(engine.close);
      return engine;
    },
    /** Two members of a cluster over the same log, of which the first leads. */
    startTwo: async () => {
      const log = openLog();
      const [a, b] = [await start({ log }), await start({ log })];
      const lead = (leader: typeof a): void => {
        for (const member of [a, b]) member.join({ members: [a.endpoint, b.endpoint], leader: leader.endpoint });
      };
      lead(a);
      return { a, b, lead };
    },
  };
};
