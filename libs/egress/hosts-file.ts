import { isIP } from 'node:net';
import type { Address } from './resolve.ts';

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
