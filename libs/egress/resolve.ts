import { isIP } from 'node:net';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { errorCodeOf, failureError, NoPublicHostError, timeoutError, type EgressError } from './errors.ts';

export type Address = { address: string; family: 4 | 6 };

/** The account that a look-up is for; `signal` aborts when no caller waits for it. */
export type LookupOwner = { account: string; signal?: AbortSignal | undefined };

/** `searches` says whether a short name may be completed by the search domains of /etc/resolv.conf. */
export type LookupRequest = { account: string; signal: AbortSignal; useSearchDomains: boolean };

/** All addresses of a host name, best first. */
export type Resolve = (host: string, ask: LookupRequest) => Promise<Address[]>;

type ResolveOptions = LookupOwner & { useSearchDomains: boolean; resolve: Resolve; lookupTimeoutMs: number };

const lookupTimeoutError = (host: string, lookupMs: number): EgressError =>
  timeoutError(`The name ${host} was not resolved within ${lookupMs / 1000} s.`);

const toLookupError = (host: string, lookupMs: number, error: unknown): EgressError => {
  switch (errorCodeOf(error)) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return new NoPublicHostError(host, { cause: error });
    case 'ETIMEOUT':
      return lookupTimeoutError(host, lookupMs);
    default:
      return failureError(`The name ${host} could not be looked up at the moment.`, error);
  }
};

/**
 * The addresses of a host: itself where it is an address, else one look-up within the time, which is given up when that is over.
 * Throws an EgressError where there are none.
 */
export const resolveHost = async (host: string, question: ResolveOptions): Promise<Address[]> => {
  const { resolve, lookupTimeoutMs, account, useSearchDomains } = question;
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  const lookUp = (over: AbortSignal): Promise<Address[]> => {
    const signal = question.signal ? AbortSignal.any([question.signal, over]) : over;
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
