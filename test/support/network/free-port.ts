import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Below the ports that the system gives to connections, and to servers that do not care which one they get. So none of
 * these takes the port before its server listens, or while that is stopped for a while.
 */
const [firstPort, sliceCount, portsPerSlice] = [20_000, 12, 1_000];
/** Processes that run at once rarely look in the same slice. */
const slice = firstPort + (process.pid % sliceCount) * portsPerSlice;
let next = Math.floor(Math.random() * portsPerSlice);

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => (server.address() as AddressInfo).port === port,
    () => false,
  );
  if (!isListening) return false;
  server.close();
  await once(server, 'close');
  return true;
};

/** A port of the loopback interface that nothing listens on, and that no other call in this process returns soon. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < portsPerSlice; tries += 1) {
    const port = slice + (next = (next + 1) % portsPerSlice);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${slice} on is free`);
};
