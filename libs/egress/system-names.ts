import { lookUpFirst, systemDns, type DnsClient } from './dns.ts';
import type { Address, Resolve } from './resolve.ts';
import { sharedLookups } from './shared-lookups.ts';
import { followFile, fullNames, parseHosts, parseResolvConf } from './system-files.ts';

/** Where names are looked up. */
export type NameSources = {
  hostsFile: string;
  resolvConf: string;
  /** Makes a client for one look-up. */
  dns: () => DnsClient;
};

export const systemSources: NameSources = { hostsFile: '/etc/hosts', resolvConf: '/etc/resolv.conf', dns: systemDns };

type Limits = { lookupMs: number; lookupsPerAccount: number };

const loopback: Address[] = [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];

// A name is looked up in two ways, so the key of a look-up says which.
const keyOf = (host: string, searches: boolean): string => `${searches ? 'searched' : 'as it is'} ${host}`;

/**
 * Looks names up in the hosts file, then by DNS. Other sources that the system may know (mDNS, NIS) are not asked. localhost and all names
 * below it are loopback, and no name below invalid exists (RFC 6761, 6.3 and 6.4). `now` is monotonic, in milliseconds.
 */
export const systemNames = (sources: NameSources, { lookupMs, lookupsPerAccount }: Limits, now: () => number): Resolve => {
  const { hostsFile, resolvConf, dns } = sources;
  const hosts = followFile(hostsFile, parseHosts);
  const searchRules = followFile(resolvConf, parseResolvConf);
  const namesOf = async (key: string): Promise<string[]> => {
    const host = key.slice(key.lastIndexOf(' ') + 1);
    return key === keyOf(host, true) ? fullNames(host, await searchRules()) : [host];
  };
  const shared = sharedLookups({
    lookUp: async (key, signal) => lookUpFirst(dns, await namesOf(key), signal),
    lookupMs,
    perAccount: lookupsPerAccount,
    now,
  });
  return async (host, { account, signal, searches }) => {
    if (/(^|\.)localhost$/.test(host)) return loopback;
    if (/(^|\.)invalid$/.test(host)) return [];
    return (await hosts()).get(host) ?? shared(keyOf(host, searches), account, signal);
  };
};
