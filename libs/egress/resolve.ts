import { isIP } from 'node:net';
import { withTimeout } from '#libs/concurrency/timeout.ts';
import { codeOf, failed, NoPublicHost, timedOut, type EgressError } from './trouble.ts';

export type Address = { address: string; family: 4 | 6 };

/** The account that a look-up is for; `signal` aborts when no caller waits for it. */
export type Asker = { account: string; signal?: AbortSignal | undefined };

/** `searches` says whether a short name may be completed by the search domains of /etc/resolv.conf. */
export type Ask = { account: string; signal: AbortSignal; searches: boolean };

/** All addresses of a host name, best first. */
export type Resolve = (host: string, ask: Ask) => Promise<Address[]>;

type Question = Asker & { searches: boolean; resolve: Resolve; lookupMs: number };

const late = (host: string, lookupMs: number): EgressError =>
  timedOut(`The name ${host} was not resolved within ${lookupMs / 1000} s.`);

const nameTrouble = (host: string, lookupMs: number, error: unknown): EgressError => {
  switch (codeOf(error)) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return new NoPublicHost(host, { cause: error });
    case 'ETIMEOUT':
      return late(host, lookupMs);
    default:
      return failed(`The name ${host} could not be looked up at the moment.`, error);
  }
};

/**
 * The addresses of a host: itself where it is an address, else one look-up within the time, which is given up when that is over.
 * Throws an EgressError where there are none.
 */
export const addressesOf = async (host: string, question: Question): Promise<Address[]> => {
  const { resolve, lookupMs, account, searches } = question;
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  const lookUp = (over: AbortSignal): Promise<Address[]> => {
    const signal = question.signal ? AbortSignal.any([question.signal, over]) : over;
    return resolve(host, { account, searches, signal }).catch((error: unknown) => {
      throw nameTrouble(host, lookupMs, error);
    });
  };
  const addresses = await withTimeout(lookupMs, lookUp, { error: () => late(host, lookupMs) });
  if (addresses.length === 0) throw new NoPublicHost(host, {});
  return addresses;
};
