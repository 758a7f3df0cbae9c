import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Certificate } from './certificates.ts';

/** A server on a free loopback port. It counts all connections and the open ones. */
export type TestServer = {
  port: number;
  connectionCount: () => number;
  openConnectionCount: () => number;
  close: () => Promise<void>;
};

/** Handles one request; it may respond later. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

const startServer = async (server: Server, host = '127.0.0.1'): Promise<TestServer> => {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port: (server.address() as AddressInfo).port,
    connectionCount: () => connections,
    openConnectionCount: () => sockets.size,
    close,
  };
};

export const startHttpServer = (handle: RequestHandler, host?: string): Promise<TestServer> =>
  startServer(
    createHttpServer({ maxHeaderSize: 64 * 1024 }, (request, response) => void handle(request, response)),
    host,
  );

export const startHttpsServer = (certificate: Certificate, handle: RequestHandler): Promise<TestServer> =>
  startServer(createHttpsServer(certificate, (request, response) => void handle(request, response)));

/** Starts a TCP server; the handler writes the bytes. */
export const startTcpServer = (handle: (socket: Socket) => void, host?: string): Promise<TestServer> =>
  startServer(createTcpServer(handle), host);
