import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { freePort } from '../../../test/support/network/free-port.ts';
import { errorCodeOf } from '../errors.ts';

/** Listens on one loopback port for IPv4 and IPv6, TCP and UDP, and counts connections and messages. */
export type TrafficRecorder = {
  port: number;
  received: () => { tcp: number; udp: number };
  close: () => Promise<void>;
};

const listenAt = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });

const bindAt = (type: 'udp4' | 'udp6', address: string, port: number, onMessage: () => void): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const socket = createSocket({ type, ipv6Only: type === 'udp6' });
    socket
      .once('error', reject)
      .on('message', onMessage)
      .bind(port, address, () => resolve(() => socket.close()));
  });

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);
const hosts = hasIPv6 ? (['127.0.0.1', '::1'] as const) : (['127.0.0.1'] as const);

/**
 * Starts a recorder on a port of `freePort`. The system can give a port to a new server as soon as the old one stops. The
 * recorder would then count a client that still tries to reach the old server. `freePort` returns a port again only after
 * all others.
 */
export const startTrafficRecorder = async (): Promise<TrafficRecorder> => {
  const received = { tcp: 0, udp: 0 };
  const servers: Server[] = [];
  const unbind: (() => void)[] = [];
  const close = async () => {
    for (const closeSocket of unbind) closeSocket();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  const port = await freePort();
  try {
    for (const host of hosts) {
      const server = createServer((socket) => {
        received.tcp += 1;
        socket.on('error', () => {}).destroy();
      });
      await listenAt(server, host, port);
      servers.push(server);
      unbind.push(await bindAt(host === '::1' ? 'udp6' : 'udp4', host, port, () => void (received.udp += 1)));
    }
  } catch (error) {
    await close();
    // Another process uses the port for the other address or protocol: try another port.
    if (errorCodeOf(error) === 'EADDRINUSE') return startTrafficRecorder();
    throw error;
  }
  return { port, received: () => ({ ...received }), close };
};
