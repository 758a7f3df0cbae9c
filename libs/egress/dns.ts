import { Resolver } from 'node:dns/promises';
import type { Address } from './resolve.ts';
import { errorCodeOf } from './errors.ts';

/** Asks name servers (c-ares); one for each look-up, so that `cancel` ends this look-up and no other. */
export type DnsClient = Pick<Resolver, 'resolve4' | 'resolve6' | 'cancel'>;

/** What name servers say of a name; no addresses where the name does not exist or has none. */
export type LookupResult = { addresses: Address[]; ttlMs: number };

const noAddresses: LookupResult = { addresses: [], ttlMs: 0 };

/** A client for the name servers of /etc/resolv.conf, as they are now. A second try waits twice as long as the first. */
export const createSystemDnsClient = (): DnsClient => new Resolver({ timeout: 1_200, tries: 2 });

// EBADNAME: no name can be like that.
const isNotFound = (error: unknown): boolean => ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(errorCodeOf(error));

/** More of them are of no use, and would fill the memory. */
const maxAddresses = 32;

type DnsRecords = { address: string; ttl: number }[];

const lookUpFamily = async (family: 4 | 6, asking: Promise<DnsRecords>): Promise<LookupResult | { error: unknown }> => {
  try {
    const records = await asking;
    const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1000;
    return { addresses: records.map(({ address }) => ({ address, family })), ttlMs };
  } catch (error) {
    return isNotFound(error) ? noAddresses : { error };
  }
};

/** IPv4 and IPv6 by turns, so that a limit on addresses cuts off neither. */
const interleaveFamilies = (first: Address[], second: Address[]): Address[] => {
  const pairs = Array.from({ length: Math.max(first.length, second.length) }, (_, i) => [first[i], second[i]]);
  return pairs.flat().filter((address) => address !== undefined);
};

/** Looks a full name up, A and AAAA at once; an abort ends it at once. Throws where no server answers. */
export const lookUp = async (client: DnsClient, name: string, signal: AbortSignal): Promise<LookupResult> => {
  signal.throwIfAborted();
  const cancel = () => client.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const both = await Promise.all([
      lookUpFamily(4, client.resolve4(name, { ttl: true })),
      lookUpFamily(6, client.resolve6(name, { ttl: true })),
    ]);
    signal.throwIfAborted();
    const found = both.filter((each) => 'addresses' in each).filter(({ addresses }) => addresses.length > 0);
    const failure = both.find((each) => 'error' in each);
    if (found.length === 0 && failure) throw failure.error;
    if (found.length === 0) return noAddresses;
    const all = found.flatMap(({ addresses }) => addresses);
    const of = (family: number) => all.filter((address) => address.family === family);
    const ttlMs = Math.min(...found.map((each) => each.ttlMs));
    return { addresses: interleaveFamilies(of(4), of(6)).slice(0, maxAddresses), ttlMs };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/** The same for each of several full names in turn, until one has addresses. */
export const lookUpFirst = async (
  client: () => DnsClient,
  names: string[],
  signal: AbortSignal,
): Promise<LookupResult> => {
  for (const name of names) {
    const found = await lookUp(client(), name, signal);
    if (found.addresses.length > 0) return found;
  }
  return noAddresses;
};
