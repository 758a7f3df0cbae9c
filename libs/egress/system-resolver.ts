import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { lookUpFirst, createSystemDnsClient, type DnsClient } from './dns.ts';
import type { EgressLimits } from './limits.ts';
import type { Address, Resolve } from './resolve.ts';
import { createSharedLookups } from './shared-lookups.ts';

/** Returns the parsed file, and reads it again after a change. `parse` gets an empty text if the file cannot be read. */
const createFileReader = <T>(path: string, parse: (text: string) => T): (() => Promise<T>) => {
  let cached: { stamp: string; value: T } | undefined;
  return async () => {
    const stamp = await stat(path).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => 'absent',
    );
    if (cached?.stamp !== stamp) cached = { stamp, value: parse(await readFile(path, 'utf8').catch(() => '')) };
    return cached.value;
  };
};

/** The names of a hosts file (hosts(5)), in lower case, with their addresses. A line is `address name [alias...]`; # starts a comment. */
export const parseHosts = (text: string): Map<string, Address[]> => {
  const addressesByName = new Map<string, Address[]>();
  for (const line of text.split(/\r?\n/)) {
    const [address = '', ...names] = line.replace(/#.*/, '').split(/\s+/).filter(Boolean);
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const listed of names) {
      const name = listed.toLowerCase().replace(/\.$/, '');
      addressesByName.set(name, [...(addressesByName.get(name) ?? []), { address, family }]);
    }
  }
  return addressesByName;
};

/** The options of resolv.conf(5) for short names. c-ares itself reads the name servers. */
type ResolvConf = {
  search: string[];
  /** A name with at least this number of dots is tried unchanged first. */
  ndots: number;
};

/** Reads the options for short names; defaults for what the text does not set. */
export const parseResolvConf = (text: string): ResolvConf => {
  const result: ResolvConf = { search: [], ndots: 1 };
  for (const line of text.split(/\r?\n/)) {
    const [keyword, ...words] = line
      .replace(/[#;].*/, '')
      .split(/\s+/)
      .filter(Boolean);
    // The last search or domain line wins.
    if (keyword === 'search') result.search = words.map((word) => word.replace(/\.$/, '')).filter(Boolean);
    if (keyword === 'domain') result.search = words.slice(0, 1);
    const ndots = keyword === 'options' ? words.findLast((word) => /^ndots:\d+$/.test(word)) : undefined;
    if (ndots) result.ndots = Math.min(15, Number(ndots.slice('ndots:'.length)));
  }
  return result;
};

/** The full names that a short name can mean, in the order in which they are tried. */
export const namesToTry = (host: string, { search, ndots }: ResolvConf): string[] => {
  const completed = search.map((domain) => `${host}.${domain}`);
  return host.split('.').length - 1 >= ndots ? [host, ...completed] : [...completed, host];
};

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

const loopback: Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

// The host is last: `namesOf` reads it from there.
const lookupKey = (host: string, useSearchDomains: boolean): string =>
  `${useSearchDomains ? 'with search domains' : 'exact'} ${host}`;

type LookupLimits = Pick<EgressLimits, 'lookupTimeoutMs' | 'ipv6DelayMs' | 'maxLookupsPerAccount'>;

/**
 * Looks up names in the hosts file, then by DNS. It does not use other sources of the system (mDNS, NIS). localhost and all
 * names below it are loopback; names below invalid do not exist (RFC 6761, 6.3 and 6.4). `now` is monotonic, in milliseconds.
 */
export const createSystemResolver = (
  sources: ResolverSources,
  { lookupTimeoutMs, ipv6DelayMs, maxLookupsPerAccount }: LookupLimits,
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
    lookUp: async (key, signal) =>
      lookUpFirst({ createClient: createDnsClient, ipv6DelayMs }, await namesOf(key), signal),
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
