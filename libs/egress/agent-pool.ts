import type { Agent } from 'undici';

/** The number of accounts that keep their connections while they have no request in progress. */
const maxIdleAgents = 100;

/**
 * One agent for each account, so that slow receivers of one account use no connections of another.
 * The most recently used idle agents stay open, with their connections.
 */
export const createAgentPool = () => {
  const pool = new Map<string, { agent: Agent; requests: number }>();
  let isDestroyed = false;

  const trim = (): void => {
    for (const [account, { agent, requests }] of pool) {
      if (pool.size <= maxIdleAgents) return;
      if (requests > 0) continue;
      pool.delete(account);
      void agent.destroy();
    }
  };

  return {
    /** Runs the work with the agent of the account; `createAgent` makes it if there is none. */
    withAgent: async <T>(account: string, createAgent: () => Agent, work: (agent: Agent) => Promise<T>): Promise<T> => {
      const entry = pool.get(account) ?? { agent: createAgent(), requests: 0 };
      // Keeps the map in order of last use.
      pool.delete(account);
      pool.set(account, entry);
      entry.requests += 1;
      // undici may still load when the pool is destroyed. Such a request fails, as one with a connection does.
      if (isDestroyed) void entry.agent.destroy();
      try {
        return await work(entry.agent);
      } finally {
        entry.requests -= 1;
        trim();
      }
    },
    /** Destroys all agents, also those that are created afterwards. Their requests fail. */
    destroy: async (): Promise<void> => {
      isDestroyed = true;
      await Promise.all([...pool.values()].map(({ agent }) => agent.destroy()));
    },
  };
};
