import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to a port of this machine, whose connections a test can close and refuse. */
export type TcpProxy = {
  port: number;
  /** Closes all current connections. */
  closeConnections(): void;
  /** Whether new connections are accepted. */
  acceptConnections(accept: boolean): void;
  close(): Promise<void>;
};

export const openTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((inward) => {
    track(inward);
    if (!isOpen) return void inward.destroy();
    const outward = track(connect(targetPort, '127.0.0.1'));
    inward.pipe(outward).pipe(inward);
    inward.on('close', () => outward.destroy());
    outward.on('close', () => inward.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closeConnections = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    closeConnections,
    acceptConnections: (accept) => void (isOpen = accept),
    close: async () => {
      closeConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
