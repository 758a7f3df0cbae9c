import { lookUpFirst, createSystemDnsClient, type DnsClient } from './dns.ts';
import type { Address, Resolve } from './resolve.ts';
import { createSharedLookups } from './shared-lookups.ts';
import { createFileReader, namesToTry, parseHosts, parseResolvConf } from './resolver-files.ts';

/** Where names are looked up. */
export type ResolverSources = {
  hostsFile: string;
  resolvConfFile: string;
  /** Makes a client for one look-up. */
  createDnsClient: () => DnsClient;
};

export const defaultResolverSources: ResolverSources = {
  hostsFile: '/etc/hosts',
  resolvConfFile: '/etc/resolv.conf',
  createDnsClient: createSystemDnsClient,
};

type LookupLimits = { lookupTimeoutMs: number; maxLookupsPerAccount: number };

const loopback: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

// A name is looked up in two ways, so the key of a look-up says which.
const lookupKey = (host: string, searches: boolean): string => `${searches ? 'searched' : 'as it is'} ${host}`;

/**
 * Looks names up in the hosts file, then by DNS. Other sources that the system may know (mDNS, NIS) are not asked. localhost and all names
 * below it are loopback, and no name below invalid exists (RFC 6761, 6.3 and 6.4). `now` is monotonic, in milliseconds.
 */
export const createSystemResolver = (
  sources: ResolverSources,
  { lookupTimeoutMs, maxLookupsPerAccount }: LookupLimits,
  now: () => number,
): Resolve => {
  const { hostsFile, resolvConfFile, createDnsClient } = sources;
  const hosts = createFileReader(hostsFile, parseHosts);
  const searchRules = createFileReader(resolvConfFile, parseResolvConf);
  const namesOf = async (key: string): Promise<string[]> => {
    const host = key.slice(key.lastIndexOf(' ') + 1);
    return key === lookupKey(host, true) ? namesToTry(host, await searchRules()) : [host];
  };
  const shared = createSharedLookups({
    lookUp: async (key, signal) => lookUpFirst(createDnsClient, await namesOf(key), signal),
    lookupTimeoutMs,
    maxPerAccount: maxLookupsPerAccount,
    now,
  });
  return async (host, { account, signal, useSearchDomains }) => {
    if (/(^|\.)localhost$/.test(host)) return loopback;
    if (/(^|\.)invalid$/.test(host)) return [];
    return (await hosts()).get(host) ?? shared(lookupKey(host, useSearchDomains), account, signal);
  };
};
