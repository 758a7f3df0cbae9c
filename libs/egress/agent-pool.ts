import type { Agent } from 'undici';

/** The number of accounts that keep their connections while they have no call under way. */
const maxIdleAgents = 100;

/**
 * An agent for each account that has calls under way, so that one account's slow receivers take no connections from another's.
 * The last accounts to have called keep theirs, with its open connections.
 */
export const createAgentPool = (open: (account: string) => Agent) => {
  const known = new Map<string, { agent: Agent; calls: number }>();

  const trim = (): void => {
    for (const [account, { agent, calls }] of known) {
      if (known.size <= maxIdleAgents) return;
      if (calls > 0) continue;
      known.delete(account);
      void agent.destroy();
    }
  };

  return {
    withAgent: async <T>(account: string, work: (agent: Agent) => Promise<T>): Promise<T> => {
      const entry = known.get(account) ?? { agent: open(account), calls: 0 };
      // The one that was used last comes last, and is closed last.
      known.delete(account);
      known.set(account, entry);
      entry.calls += 1;
      try {
        return await work(entry.agent);
      } finally {
        entry.calls -= 1;
        trim();
      }
    },
    destroy: async (): Promise<void> => {
      await Promise.all([...known.values()].map(({ agent }) => agent.destroy()));
    },
  };
};
