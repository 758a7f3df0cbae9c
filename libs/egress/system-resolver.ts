import { lookUpFirst, createSystemDnsClient, type DnsClient } from './dns.ts';
import type { Address, Resolve } from './resolve.ts';
import { createSharedLookups } from './shared-lookups.ts';
import { createFileReader, namesToTry, parseHosts, parseResolvConf } from './resolver-files.ts';

/** Where names are looked up. */
export type ResolverSources = {
  hostsFile: string;
  resolvConfFile: string;
  /** Creates a client for one look-up. */
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

// The host is last: `namesOf` reads it from there.
const lookupKey = (host: string, useSearchDomains: boolean): string =>
  `${useSearchDomains ? 'with search domains' : 'exact'} ${host}`;

/**
 * Looks up names in the hosts file, then by DNS. It does not use other sources of the system (mDNS, NIS). localhost and all
 * names below it are loopback; names below invalid do not exist (RFC 6761, 6.3 and 6.4). `now` is monotonic, in milliseconds.
 */
export const createSystemResolver = (
  sources: ResolverSources,
  { lookupTimeoutMs, maxLookupsPerAccount }: LookupLimits,
  now: () => number,
): Resolve => {
  const { hostsFile, resolvConfFile, createDnsClient } = sources;
  const hosts = createFileReader(hostsFile, parseHosts);
  const resolvConf = createFileReader(resolvConfFile, parseResolvConf);
  const namesOf = async (key: string): Promise<string[]> => {
    const host = key.slice(key.lastIndexOf(' ') + 1);
    return key === lookupKey(host, true) ? namesToTry(host, await resolvConf()) : [host];
  };
  const sharedLookUp = createSharedLookups({
    lookUp: async (key, signal) => lookUpFirst(createDnsClient, await namesOf(key), signal),
    lookupTimeoutMs,
    maxPerAccount: maxLookupsPerAccount,
    now,
  });
  return async (host, { account, signal, useSearchDomains }) => {
    if (/(^|\.)localhost$/.test(host)) return loopback;
    if (/(^|\.)invalid$/.test(host)) return [];
    return (await hosts()).get(host) ?? sharedLookUp(lookupKey(host, useSearchDomains), account, signal);
  };
};
