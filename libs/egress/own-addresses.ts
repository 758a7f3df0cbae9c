import { networkInterfaces } from 'node:os';
import { canonicalAddress } from './address.ts';

/** The addresses of this machine's network interfaces. */
export const interfaceAddresses = (): string[] => Object.values(networkInterfaces()).flatMap((interfaces) => (interfaces ?? []).map(({ address }) => address));

/** Interfaces come and go: their addresses are looked up again when the known ones are older than this. */
const keptMs = 1_000;

/** Tells whether an address, in any spelling, is one of this machine's own. `now` is monotonic, in milliseconds. */
export const ownAddressCheck = (read: () => string[], now: () => number): ((address: string) => boolean) => {
  let known = new Set<string | undefined>();
  let readAt = -Infinity;
  return (address) => {
    if (now() - readAt >= keptMs) {
      known = new Set(read().map(canonicalAddress));
      readAt = now();
    }
    const canonical = canonicalAddress(address);
    return canonical !== undefined && known.has(canonical);
  };
};
