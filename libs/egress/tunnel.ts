import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createCountsByKey } from '#libs/concurrency/counts-by-key.ts';
import type { Dial } from './dial.ts';
import type { EgressLimits } from './limits.ts';
import { sendTunnelErrorResponse, limitBytes } from './proxy-response.ts';
import { targetOfAuthority, type Target } from './target.ts';
import { blockedError, type OnEgressError } from './errors.ts';

export type TunnelOptions = { dial: Dial; limits: EgressLimits; onError: OnEgressError };

const pipeTunnel = (
  client: Duplex,
  received: PassThrough,
  upstream: Socket,
  { idleTimeoutMs, maxTunnelBytes }: EgressLimits,
): Promise<void> => {
  upstream.setTimeout(idleTimeoutMs, () => upstream.destroy());
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  return pipeline(received, upstream, limitBytes(maxTunnelBytes), client);
};

/** Handles CONNECT (RFC 9110, 9.3.6): tunnels to allowed targets, with limits on their number, idle time and received bytes. */
export const createTunnels = ({ dial, limits, onError }: TunnelOptions) => {
  const open = new Set<Duplex>();
  const connections = createCountsByKey();

  const connectAndPipe = async (target: Target, client: Duplex, head: Buffer): Promise<void> => {
    const aborter = new AbortController();
    const abort = () => aborter.abort();
    // The end of a connection is only reported while it is read.
    const received = new PassThrough();
    received.write(head);
    client.once('end', abort).once('close', abort).pipe(received);
    if (client.destroyed) abort();
    const upstream = await dial(target, aborter.signal);
    await pipeTunnel(client, received, upstream, limits).catch((error: unknown) => {
      onError(error, target);
      upstream.destroy();
      client.destroy();
    });
  };

  const serve = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    const target = targetOfAuthority(request.url ?? '');
    const { host, port } = target;
    const [key, max] = [`${host} ${port}`, limits.maxConnectionsPerHost];
    if (connections.of(key) >= max)
      throw blockedError('too-many-connections', `There are already ${max} connections to ${host}.`, { host, port });
    connections.change(key, 1);
    await connectAndPipe(target, client, head).finally(() => connections.change(key, -1));
  };

  const accept = (request: IncomingMessage, client: Duplex, head: Buffer): void => {
    open.add(client);
    client.on('error', () => {}).once('close', () => open.delete(client));
    serve(request, client, head).catch((error: unknown) => {
      onError(error);
      sendTunnelErrorResponse(client, error);
    });
  };

  return { accept, close: () => open.forEach((client) => client.destroy()) };
};
