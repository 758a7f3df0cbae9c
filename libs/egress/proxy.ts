import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Dial } from './dial.ts';
import { forward } from './forward.ts';
import type { EgressLimits } from './limits.ts';
import type { OnTrouble } from './trouble.ts';
import { tunnels } from './tunnel.ts';

export type ProxySettings = { agent: Dispatcher; dial: Dial; limits: EgressLimits; onTrouble: OnTrouble };

/** Listens on a free loopback port as the HTTP proxy of the browsers. */
export const startProxy = async ({ agent, dial, limits, onTrouble }: ProxySettings) => {
  const server = createServer({ maxHeaderSize: limits.headerBytes });
  server.maxConnections = limits.connections;
  const tunnelling = tunnels({ dial, limits, onTrouble });
  server.on('request', (request, response) => void forward({ agent, responseBytes: limits.responseBytes, onTrouble }, request, response));
  server.on('connect', tunnelling.accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      tunnelling.close();
      await closed;
    },
  };
};
