import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** `public`, or the name of the range that makes the address not public. */
export type AddressClass = 'public' | (string & {});

const globalUnicastPrefix = ipaddr.IPv6.parse('2000::');

/**
 * Addresses of cloud metadata services that look public. All others are in ranges that are blocked anyway
 * (169.254.0.0/16, 100.64.0.0/10, 192.0.0.0/24, fc00::/7, fe80::/10).
 */
const metadataAddresses = new Set(['168.63.129.16']);

/** Network translators send these two kinds as IPv4, so the IPv4 address is checked. Other kinds of IPv4 in IPv6 are blocked. */
const embeddedIPv4 = (address: ipaddr.IPv6): ipaddr.IPv4 | undefined => {
  const range = address.range();
  if (range === 'ipv4Mapped') return address.toIPv4Address();
  if (range !== 'rfc6052' || !address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
};

const classifyIPv4 = (address: ipaddr.IPv4): AddressClass => {
  if (address.range() !== 'unicast') return address.range();
  return metadataAddresses.has(address.toString()) ? 'provider metadata' : 'public';
};

// ISATAP (RFC 5214): the interface identifier is 0:5efe or 200:5efe, then an IPv4 address.
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);

const classifyIPv6 = (address: ipaddr.IPv6): AddressClass => {
  if (address.range() !== 'unicast') return address.range();
  if (isIsatap(address)) return 'isatap';
  return address.match(globalUnicastPrefix, 3) ? 'public' : 'outside global unicast';
};

// ipaddr.js reads ::8.8.8.8 as the mapped ::ffff:8.8.8.8. The URL parser writes both without dots, which keeps them apart.
const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text);
  const host = isIP(text) === 6 ? URL.parse(`http://[${text}]`)?.hostname : undefined;
  return host === undefined ? undefined : ipaddr.IPv6.parse(host.slice(1, -1));
};

const effectiveAddress = (parsed: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 =>
  (parsed instanceof ipaddr.IPv6 ? embeddedIPv4(parsed) : undefined) ?? parsed;

/** The same text for every spelling of an address. An IPv4 address mapped or translated to IPv6 gives the IPv4 address. */
const canonicalAddress = (address: string): string | undefined => {
  const parsed = parseAddress(address);
  return parsed && effectiveAddress(parsed).toNormalizedString();
};

/**
 * Says whether an IP address is public. It must have the plain form that the URL parser and DNS look-ups return.
 * An address is public only if it is known to be: IPv6 only in 2000::/3 without its special ranges (RFC 6890, IANA registries).
 */
export const classifyAddress = (address: string): AddressClass => {
  const parsed = parseAddress(address);
  if (!parsed) return 'not an address';
  const effective = effectiveAddress(parsed);
  return effective instanceof ipaddr.IPv6 ? classifyIPv6(effective) : classifyIPv4(effective);
};

/** Whether an address is in a range. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export const isInRange = (address: string, [base, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean => {
  const parsed = parseAddress(address);
  const unmapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
  return unmapped !== undefined && unmapped.kind() === base.kind() && unmapped.match([base, bits]);
};

/** The addresses of this machine's network interfaces. */
export const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((interfaces) => (interfaces ?? []).map(({ address }) => address));

/** Interfaces change while the process runs, so their addresses are read again after this time. */
const cacheMs = 1_000;

/** Checks whether an address, in any spelling, belongs to this machine. `now` is monotonic, in milliseconds. */
export const createOwnAddressCheck = (read: () => string[], now: () => number): ((address: string) => boolean) => {
  let known = new Set<string | undefined>();
  let readAt = -Infinity;
  return (address) => {
    if (now() - readAt >= cacheMs) {
      known = new Set(read().map(canonicalAddress));
      readAt = now();
    }
    const canonical = canonicalAddress(address);
    return canonical !== undefined && known.has(canonical);
  };
};
