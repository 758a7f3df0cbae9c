import { isIP } from 'node:net';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { errorCodeOf, failureError, NoPublicHostError, timeoutError, type EgressError } from './errors.ts';

export type Address = { address: string; family: 4 | 6 };

/** The account that a look-up is for. `signal` aborts when no caller waits for it any more. */
export type LookupOwner = { account: string; signal?: AbortSignal | undefined };

/** `useSearchDomains`: the search domains of /etc/resolv.conf may complete a short name. */
export type LookupRequest = { account: string; signal: AbortSignal; useSearchDomains: boolean };

/** All addresses of a host name, best first. */
export type Resolve = (host: string, request: LookupRequest) => Promise<Address[]>;

type ResolveOptions = LookupOwner & { useSearchDomains: boolean; resolve: Resolve; lookupTimeoutMs: number };

const lookupTimeoutError = (host: string, timeoutMs: number): EgressError =>
  timeoutError(`The name ${host} was not resolved within ${timeoutMs / 1000} s.`);

const toLookupError = (host: string, timeoutMs: number, error: unknown): EgressError => {
  switch (errorCodeOf(error)) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return new NoPublicHostError(host, { cause: error });
    case 'ETIMEOUT':
      return lookupTimeoutError(host, timeoutMs);
    default:
      return failureError(`The name ${host} could not be looked up.`, error);
  }
};

/**
 * The addresses of a host: the host itself if it is an address, else the result of one look-up with a timeout.
 * @throws EgressError when there are none
 */
export const resolveHost = async (host: string, options: ResolveOptions): Promise<Address[]> => {
  const { resolve, lookupTimeoutMs, account, useSearchDomains } = options;
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  const lookUp = (timeoutSignal: AbortSignal): Promise<Address[]> => {
    const signal = options.signal ? AbortSignal.any([options.signal, timeoutSignal]) : timeoutSignal;
    return resolve(host, { account, useSearchDomains, signal }).catch((error: unknown) => {
      throw toLookupError(host, lookupTimeoutMs, error);
    });
  };
  const addresses = await runWithTimeout(lookupTimeoutMs, lookUp, {
    createError: () => lookupTimeoutError(host, lookupTimeoutMs),
  });
  if (addresses.length === 0) throw new NoPublicHostError(host, {});
  return addresses;
};
