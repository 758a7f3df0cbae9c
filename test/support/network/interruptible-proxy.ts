import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to a local server that can be disconnected and reconnected. */
export type InterruptibleProxy = {
  url: string;
  disconnect(): void;
  reconnect(): void;
  /** Delays what the server sends by `ms` milliseconds until the proxy is disconnected. */
  delay(ms: number): void;
  close(): Promise<void>;
};

/** `url` is the URL of the server; the proxy has the same URL with another port. `onData` receives what clients send. */
export const openInterruptibleProxy = async (
  url: string,
  onData: (data: Buffer) => void = () => undefined,
): Promise<InterruptibleProxy> => {
  const port = Number(/:(\d+)/.exec(url.slice(url.indexOf('://') + 3))![1]);
  const sockets = new Set<Socket>();
  let isConnected = true;
  let delayMs = 0;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer((inward) => {
    track(inward);
    if (!isConnected) return void inward.destroy();
    const outward = track(connect(port, '127.0.0.1'));
    inward.on('data', onData).pipe(outward);
    outward.on('data', (data) => {
      if (delayMs === 0) inward.write(data);
      else setTimeout(() => inward.write(data), delayMs);
    });
    inward.on('close', () => outward.destroy());
    outward.on('close', () => inward.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.replace(`:${port}`, `:${(server.address() as AddressInfo).port}`),
    disconnect: () => {
      isConnected = false;
      delayMs = 0;
      destroyAll();
    },
    reconnect: () => void (isConnected = true),
    delay: (ms) => void (delayMs = ms),
    close: async () => {
      destroyAll();
      server.close();
      await once(server, 'close');
    },
  };
};
