import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dial } from './dial.ts';
import type { EgressLimits } from './limits.ts';
import { sendTunnelErrorResponse, limitBytes } from './proxy-response.ts';
import { targetOfAuthority, type Target } from './target.ts';
import { refusalError, type OnEgressError } from './errors.ts';

export type TunnelOptions = { dial: Dial; limits: EgressLimits; onError: OnEgressError };

const createConnectionCounter = (most: number) => {
  const taken = new Map<string, number>();
  return ({ host, port }: Target): (() => void) => {
    const key = `${host} ${port}`;
    const count = taken.get(key) ?? 0;
    if (count >= most)
      throw refusalError('too-many-connections', `There are ${most} connections to ${host} already.`, { host, port });
    taken.set(key, count + 1);
    return () => {
      const left = (taken.get(key) ?? 1) - 1;
      if (left > 0) taken.set(key, left);
      else taken.delete(key);
    };
  };
};

const pipeTunnel = (
  client: Duplex,
  said: PassThrough,
  upstream: Socket,
  { idleTimeoutMs, maxTunnelBytes }: EgressLimits,
): Promise<void> => {
  upstream.setTimeout(idleTimeoutMs, () => upstream.destroy());
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  return pipeline(said, upstream, limitBytes(maxTunnelBytes), client);
};

/** Answers CONNECT (RFC 9110, 9.3.6): a tunnel to an admitted target, limited in number, idle time and bytes that come back. */
export const createTunnels = ({ dial, limits, onError }: TunnelOptions) => {
  const open = new Set<Duplex>();
  const take = createConnectionCounter(limits.maxConnectionsPerHost);

  const carry = async (target: Target, client: Duplex, head: Buffer): Promise<void> => {
    const gone = new AbortController();
    const leave = () => gone.abort();
    // Only who reads from a connection learns of its end.
    const said = new PassThrough();
    said.write(head);
    client.once('end', leave).once('close', leave).pipe(said);
    if (client.destroyed) leave();
    const upstream = await dial(target, gone.signal);
    await pipeTunnel(client, said, upstream, limits).catch((error: unknown) => {
      onError(error, target);
      upstream.destroy();
      client.destroy();
    });
  };

  const serve = async (request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    const target = targetOfAuthority(request.url ?? '');
    const giveBack = take(target);
    await carry(target, client, head).finally(giveBack);
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
