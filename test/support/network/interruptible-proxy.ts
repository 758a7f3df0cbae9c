import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server of this machine that can be cut off and joined again. */
export type InterruptibleProxy = { url: string; disconnect(): void; reconnect(): void; close(): Promise<void> };

/** `url` is the server's; the way has the same one at another port. */
export const openInterruptibleProxy = async (url: string): Promise<InterruptibleProxy> => {
  const port = Number(/:(\d+)/.exec(url.slice(url.indexOf('://') + 3))![1]);
  const sockets = new Set<Socket>();
  let isJoined = true;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((inward) => {
    keep(inward);
    if (!isJoined) return void inward.destroy();
    const outward = keep(connect(port, '127.0.0.1'));
    inward.pipe(outward).pipe(inward);
    inward.on('close', () => outward.destroy());
    outward.on('close', () => inward.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cutAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.replace(`:${port}`, `:${(server.address() as AddressInfo).port}`),
    disconnect: () => {
      isJoined = false;
      cutAll();
    },
    reconnect: () => void (isJoined = true),
    close: async () => {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
};
