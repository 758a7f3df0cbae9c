import { Resolver } from 'node:dns/promises';
import type { Address } from './resolve.ts';
import { errorCodeOf } from './errors.ts';

/** Queries name servers (c-ares). Each look-up has its own client, because `cancel` ends all queries of a client. */
export type DnsClient = Pick<Resolver, 'resolve4' | 'resolve6' | 'cancel'>;

/** No addresses: the name does not exist or has none. */
export type LookupResult = { addresses: Address[]; ttlMs: number };

const noAddresses: LookupResult = { addresses: [], ttlMs: 0 };

/** A client for the current name servers of /etc/resolv.conf. The second try waits twice as long as the first. */
export const createSystemDnsClient = (): DnsClient => new Resolver({ timeout: 1_200, tries: 2 });

// EBADNAME: not a valid name.
const isNotFound = (error: unknown): boolean => ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(errorCodeOf(error));

/** Bounds the memory for a name with many addresses. */
const maxAddresses = 32;

type DnsRecords = { address: string; ttl: number }[];

const lookUpFamily = async (family: 4 | 6, query: Promise<DnsRecords>): Promise<LookupResult | { error: unknown }> => {
  try {
    const records = await query;
    const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1000;
    return { addresses: records.map(({ address }) => ({ address, family })), ttlMs };
  } catch (error) {
    return isNotFound(error) ? noAddresses : { error };
  }
};

/** Alternates IPv4 and IPv6, so that a limit on the number of addresses keeps both. */
const interleaveFamilies = (first: Address[], second: Address[]): Address[] => {
  const pairs = Array.from({ length: Math.max(first.length, second.length) }, (_, i) => [first[i], second[i]]);
  return pairs.flat().filter((address) => address !== undefined);
};

type LookupOptions = {
  createClient: () => DnsClient;
  /** How long a name with IPv4 addresses waits for IPv6 ones, in milliseconds. */
  ipv6DelayMs: number;
};

/**
 * Looks up a full name, A and AAAA records at the same time. Some name servers never respond to queries for AAAA, so IPv6
 * addresses that come too late are not in the result: they are neither checked nor connected to. IPv4 addresses are
 * awaited until the timeout, because many machines reach no others. @throws Error when no server responds
 */
const lookUp = async (options: LookupOptions, name: string, signal: AbortSignal): Promise<LookupResult> => {
  signal.throwIfAborted();
  const client = options.createClient();
  const cancel = () => client.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let delay: NodeJS.Timeout | undefined;
  const lookUpIPv4 = async () => {
    const result = await lookUpFamily(4, client.resolve4(name, { ttl: true }));
    if ('addresses' in result && result.addresses.length > 0) delay = setTimeout(cancel, options.ipv6DelayMs);
    return result;
  };
  try {
    const both = await Promise.all([lookUpIPv4(), lookUpFamily(6, client.resolve6(name, { ttl: true }))]);
    signal.throwIfAborted();
    const found = both.filter((result) => 'addresses' in result).filter(({ addresses }) => addresses.length > 0);
    const failure = both.find((result) => 'error' in result);
    if (found.length === 0 && failure) throw failure.error;
    if (found.length === 0) return noAddresses;
    const all = found.flatMap(({ addresses }) => addresses);
    const ofFamily = (family: number) => all.filter((address) => address.family === family);
    const ttlMs = Math.min(...found.map(({ ttlMs: familyTtlMs }) => familyTtlMs));
    return { addresses: interleaveFamilies(ofFamily(4), ofFamily(6)).slice(0, maxAddresses), ttlMs };
  } finally {
    clearTimeout(delay);
    signal.removeEventListener('abort', cancel);
  }
};

/** Looks up several full names one after the other, until one has addresses. */
export const lookUpFirst = async (
  options: LookupOptions,
  names: string[],
  signal: AbortSignal,
): Promise<LookupResult> => {
  for (const name of names) {
    const result = await lookUp(options, name, signal);
    if (result.addresses.length > 0) return result;
  }
  return noAddresses;
};
