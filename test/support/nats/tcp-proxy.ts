import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a port of this machine that can be cut and closed. */
export type TcpProxy = {
  port: number;
  /** Ends every connection that there is. */
  closeConnections(): void;
  /** Whether new connections are let through. */
  acceptConnections(yes: boolean): void;
  close(): Promise<void>;
};

export const openTcpProxy = async (target: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((inward) => {
    keep(inward);
    if (!isOpen) return void inward.destroy();
    const outward = keep(connect(target, '127.0.0.1'));
    inward.pipe(outward).pipe(inward);
    inward.on('close', () => outward.destroy());
    outward.on('close', () => inward.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    closeConnections: cut,
    acceptConnections: (yes) => void (isOpen = yes),
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
