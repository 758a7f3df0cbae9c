import { once } from 'node:events';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { AddressPolicy } from './address-policy.ts';
import type { EgressLimits } from './limits.ts';
import type { Address, LookupOwner } from './resolve.ts';
import type { Target } from './target.ts';
import { errorCodeOf, failureError, timeoutError, type EgressError } from './errors.ts';

/** Connects to a target that the address policy allows. @throws EgressError */
export type Dial = (target: Target, signal?: AbortSignal) => Promise<Socket>;

// Limits the time spent on a name with many addresses that do not respond.
const maxAddresses = 8;

const toConnectError = ({ host, port }: Target, error: unknown): EgressError => {
  switch (errorCodeOf(error)) {
    case 'ECONNREFUSED':
      return failureError(`${host} refused the connection at port ${port}.`, error);
    case 'ETIMEDOUT':
      return timeoutError(`${host} did not accept the connection at port ${port} in time.`);
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
    case 'EADDRNOTAVAIL':
      return failureError(`${host} cannot be reached.`, error);
    case 'ECONNRESET':
      return failureError(`${host} reset the connection at port ${port}.`, error);
    default:
      return failureError(`No connection to ${host} at port ${port} (${errorCodeOf(error)}).`, error);
  }
};

/** Replaces Node's own look-up, so that it connects only to the allowed addresses. It tries them one after the other. */
const fixedLookup =
  (addresses: Address[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all || !first) callback(null, addresses);
    else callback(null, first.address, first.family);
  };

const connectTo = async (
  target: Target,
  addresses: Address[],
  { attemptTimeoutMs, connectTimeoutMs }: EgressLimits,
  signal?: AbortSignal,
): Promise<Socket> => {
  signal?.throwIfAborted();
  const socket = connect({
    host: target.host,
    port: target.port,
    lookup: fixedLookup(addresses.slice(0, maxAddresses)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  });
  // The listener stays: without it, an error before the next owner listens would end the process.
  socket.on('error', () => undefined);
  try {
    await runWithTimeout(connectTimeoutMs, () => once(socket, 'connect'), {
      createError: () => Object.assign(new Error('connect'), { code: 'ETIMEDOUT' }),
      ...(signal && { signal }),
    });
    return socket;
  } catch (error) {
    socket.destroy();
    throw toConnectError(target, error);
  }
};

/** Connects to exactly the addresses that the address policy returned. */
export const createDialler =
  (checkTarget: AddressPolicy, limits: EgressLimits) =>
  async (target: Target, owner: LookupOwner): Promise<Socket> =>
    connectTo(target, await checkTarget(target, owner), limits, owner.signal);
