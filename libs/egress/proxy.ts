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
  /** Makes the agent for plain requests from the proxy's own way to connect. */
  createAgent: (dial: Dial) => Agent;
  dial: (target: Parameters<Dial>[0], asker: LookupOwner) => ReturnType<Dial>;
  limits: EgressLimits;
  onError: OnEgressError;
};

/** An HTTP proxy on a free loopback port, for one document: who connects to the port is of that document. */
export type DocumentProxy = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** Sets the account of the document. Traffic before that counts for no account. */
  assignAccount: (account: string) => void;
  /** Ends all connections, and the look-ups and attempts to connect that are under way. */
  close: () => Promise<void>;
};

export const startProxy = async ({ createAgent, dial, limits, onError }: ProxyOptions): Promise<DocumentProxy> => {
  const closing = new AbortController();
  let account = '';
  const until = (signal: AbortSignal | undefined) =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  const dialHere: Dial = (target, signal) => dial(target, { account, signal: until(signal) });
  const agent = createAgent(dialHere);
  const server = createServer({ maxHeaderSize: limits.maxHeaderBytes });
  server.maxConnections = limits.maxProxyConnections;
  const tunnelling = createTunnels({ dial: dialHere, limits, onError });
  const forwarding = { agent, maxResponseBytes: limits.maxProxyResponseBytes, onError: onError };
  server.on('request', (request, response) => void forward(forwarding, request, response));
  server.on('connect', tunnelling.accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    assignAccount: (to) => void (account = to),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      tunnelling.close();
      closing.abort();
      await Promise.all([closed, agent.destroy()]);
    },
  };
};
