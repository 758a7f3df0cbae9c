import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from 'undici';
import type { Dial } from './dial.ts';
import { forward } from './forward.ts';
import type { EgressLimits } from './limits.ts';
import type { Asker } from './resolve.ts';
import type { OnTrouble } from './trouble.ts';
import { tunnels } from './tunnel.ts';

export type ProxySettings = {
  /** Makes the agent for plain requests from the proxy's own way to connect. */
  agentOver: (dial: Dial) => Agent;
  dial: (target: Parameters<Dial>[0], asker: Asker) => ReturnType<Dial>;
  limits: EgressLimits;
  onTrouble: OnTrouble;
};

/** An HTTP proxy on a free loopback port, for one document: who connects to the port is of that document. */
export type DocumentProxy = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** Sets the account of the document. Traffic before that counts for no account. */
  assign: (account: string) => void;
  /** Ends all connections, and the look-ups and attempts to connect that are under way. */
  close: () => Promise<void>;
};

export const startProxy = async ({ agentOver, dial, limits, onTrouble }: ProxySettings): Promise<DocumentProxy> => {
  const closing = new AbortController();
  let account = '';
  const until = (signal: AbortSignal | undefined) => (signal ? AbortSignal.any([signal, closing.signal]) : closing.signal);
  const dialHere: Dial = (target, signal) => dial(target, { account, signal: until(signal) });
  const agent = agentOver(dialHere);
  const server = createServer({ maxHeaderSize: limits.headerBytes });
  server.maxConnections = limits.connections;
  const tunnelling = tunnels({ dial: dialHere, limits, onTrouble });
  const forwarding = { agent, responseBytes: limits.responseBytes, onTrouble };
  server.on('request', (request, response) => void forward(forwarding, request, response));
  server.on('connect', tunnelling.accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    assign: (to) => void (account = to),
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
