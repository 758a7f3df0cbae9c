import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Address } from './resolve.ts';

/** Gives what a file says, and reads it again when it has changed. Where it cannot be read, `parse` gets an empty text. */
export const createFileReader = <T>(path: string, parse: (text: string) => T): (() => Promise<T>) => {
  let known: { stamp: string; value: T } | undefined;
  return async () => {
    const stamp = await stat(path).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => 'absent',
    );
    if (known?.stamp !== stamp) known = { stamp, value: parse(await readFile(path, 'utf8').catch(() => '')) };
    return known.value;
  };
};

/** The names of a hosts file (hosts(5)), in lower case, with their addresses. A line is `address name [alias...]`; # begins a comment. */
export const parseHosts = (text: string): Map<string, Address[]> => {
  const found = new Map<string, Address[]>();
  for (const line of text.split(/\r?\n/)) {
    const [address = '', ...names] = line.replace(/#.*/, '').split(/\s+/).filter(Boolean);
    const family = isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const written of names) {
      const name = written.toLowerCase().replace(/\.$/, '');
      found.set(name, [...(found.get(name) ?? []), { address, family }]);
    }
  }
  return found;
};

/** What resolv.conf(5) says about short names. The name servers are read by c-ares itself. */
export type ResolvConf = {
  search: string[];
  /** A name with at least this many dots is tried as it is first. */
  ndots: number;
};

export const parseResolvConf = (text: string): ResolvConf => {
  const rules: ResolvConf = { search: [], ndots: 1 };
  for (const line of text.split(/\r?\n/)) {
    const [keyword, ...words] = line
      .replace(/[#;].*/, '')
      .split(/\s+/)
      .filter(Boolean);
    // The last of several lines counts, be it search or domain.
    if (keyword === 'search') rules.search = words.map((word) => word.replace(/\.$/, '')).filter(Boolean);
    if (keyword === 'domain') rules.search = words.slice(0, 1);
    const ndots = keyword === 'options' ? words.findLast((word) => /^ndots:\d+$/.test(word)) : undefined;
    if (ndots) rules.ndots = Math.min(15, Number(ndots.slice('ndots:'.length)));
  }
  return rules;
};

/** The full names that a name may stand for, in the order in which they are tried. */
export const namesToTry = (host: string, { search, ndots }: ResolvConf): string[] => {
  const longer = search.map((domain) => `${host}.${domain}`);
  return host.split('.').length - 1 >= ndots ? [host, ...longer] : [...longer, host];
};
