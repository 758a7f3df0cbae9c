import { once } from 'node:events';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { withTimeout } from '#libs/concurrency/timeout.ts';
import type { Admit } from './admission.ts';
import type { EgressLimits } from './limits.ts';
import type { Address, Asker } from './resolve.ts';
import type { Target } from './target.ts';
import { codeOf, failed, timedOut, type EgressError } from './trouble.ts';

/** Connects to a target that egress admits, until the signal aborts. Throws an EgressError. */
export type Dial = (target: Target, signal?: AbortSignal) => Promise<Socket>;

// Each address costs an attempt's time; a name with a hundred of them shall not cost a hundred.
const mostAddresses = 8;

const connectTrouble = ({ host, port }: Target, error: unknown): EgressError => {
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return failed(`${host} refused the connection at port ${port}.`, error);
    case 'ETIMEDOUT':
      return timedOut(`${host} did not take the connection at port ${port} in time.`);
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
    case 'EADDRNOTAVAIL':
      return failed(`${host} cannot be reached.`, error);
    case 'ECONNRESET':
      return failed(`${host} reset the connection at port ${port}.`, error);
    default:
      return failed(`No connection to ${host} at port ${port} (${codeOf(error)}).`, error);
  }
};

/** Node asks this in place of a second look-up, so it can connect to nothing but what was admitted; of several it tries one after the other. */
const only =
  (addresses: Address[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all || !first) callback(null, addresses);
    else callback(null, first.address, first.family);
  };

const late = (): Error => Object.assign(new Error('connect'), { code: 'ETIMEDOUT' });

const connectTo = async (target: Target, addresses: Address[], { attemptMs, connectMs }: EgressLimits, signal?: AbortSignal): Promise<Socket> => {
  signal?.throwIfAborted();
  const socket = connect({
    host: target.host,
    port: target.port,
    lookup: only(addresses.slice(0, mostAddresses)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptMs,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  });
  // The listener stays: an error before the next owner of the socket listens would end the process.
  socket.on('error', () => undefined);
  try {
    await withTimeout(connectMs, () => once(socket, 'connect'), { error: late, ...(signal && { signal }) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw connectTrouble(target, error);
  }
};

/** Connections for one account to what is admitted, to the addresses that were judged and no others. */
export const dialler =
  (admit: Admit, limits: EgressLimits) =>
  async (target: Target, asker: Asker): Promise<Socket> =>
    connectTo(target, await admit(target, asker), limits, asker.signal);
