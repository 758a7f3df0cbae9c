import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from 'undici';
import type { Dial } from './dial.ts';
import { forward } from './forward.ts';
import type { EgressLimits } from './limits.ts';
import type { LookupOwner } from './resolve.ts';
import type { OnEgressError } from './errors.ts';
import { createTunnels } from './tunnel.ts';

export type ProxyOptions = {
  /** Returns the function that creates the agent for plain http requests. Called only until there is one. */
  loadAgentFactory: () => Promise<(dial: Dial) => Agent>;
  dial: (target: Parameters<Dial>[0], owner: LookupOwner) => ReturnType<Dial>;
  limits: EgressLimits;
  onError: OnEgressError;
};

/** An HTTP proxy on a free loopback port, for one document. Every connection to the port belongs to that document. */
export type DocumentProxy = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** Sets the account of the document. Earlier traffic counts for no account. */
  assignAccount: (account: string) => void;
  /** Closes all connections, and ends look-ups and connection attempts. */
  close: () => Promise<void>;
};

/** Listens on 127.0.0.1 when it resolves. */
export const startProxy = async ({ loadAgentFactory, dial, limits, onError }: ProxyOptions): Promise<DocumentProxy> => {
  const closing = new AbortController();
  let account = '';
  const orClosing = (signal: AbortSignal | undefined) =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  const dialForAccount: Dial = (target, signal) => dial(target, { account, signal: orClosing(signal) });
  let agent: Agent | undefined;
  const getAgent = async (): Promise<Agent> => {
    if (agent) return agent;
    const createAgent = await loadAgentFactory();
    // Another request may have created it meanwhile.
    return (agent ??= createAgent(dialForAccount));
  };
  const server = createServer({ maxHeaderSize: limits.maxHeaderBytes });
  server.maxConnections = limits.maxProxyConnections;
  const tunnels = createTunnels({ dial: dialForAccount, limits, onError });
  const forwardOptions = { getAgent, maxResponseBytes: limits.maxProxyResponseBytes, onError };
  server.on('request', (request, response) => void forward(forwardOptions, request, response));
  server.on('connect', tunnels.accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    assignAccount: (id) => void (account = id),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      tunnels.close();
      closing.abort();
      await Promise.all([closed, agent?.destroy()]);
    },
  };
};
