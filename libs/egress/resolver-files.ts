import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Address } from './resolve.ts';

/** Returns the parsed file, and reads it again after a change. `parse` gets an empty text if the file cannot be read. */
export const createFileReader = <T>(path: string, parse: (text: string) => T): (() => Promise<T>) => {
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
export type ResolvConf = {
  search: string[];
  /** A name with at least this number of dots is tried unchanged first. */
  ndots: number;
};

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
