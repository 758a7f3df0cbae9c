import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** `public`, or the name of the range that keeps the address from being so. */
export type AddressClass = 'public' | (string & {});

const globalUnicastPrefix = ipaddr.IPv6.parse('2000::');

/**
 * What providers answer to their machines at addresses that look public; all other metadata addresses lie in ranges that are refused anyway
 * (169.254.0.0/16, 100.64.0.0/10, 192.0.0.0/24, fc00::/7, fe80::/10).
 */
const metadataAddresses = new Set(['168.63.129.16']);

/** Translators hand an IPv4 packet on for these two, so the IPv4 address is what counts; every other kind of IPv4 in IPv6 is refused as it stands. */
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

// ISATAP (RFC 5214): the interface identifier is 0:5efe or 200:5efe, and an IPv4 address.
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);

const classifyIPv6 = (address: ipaddr.IPv6): AddressClass => {
  if (address.range() !== 'unicast') return address.range();
  if (isIsatap(address)) return 'isatap';
  return address.match(globalUnicastPrefix, 3) ? 'public' : 'outside global unicast';
};

// ipaddr.js takes ::8.8.8.8 for the mapped ::ffff:8.8.8.8; the URL parser writes both without dots, so they stay two.
const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text);
  const host = isIP(text) === 6 ? URL.parse(`http://[${text}]`)?.hostname : undefined;
  return host === undefined ? undefined : ipaddr.IPv6.parse(host.slice(1, -1));
};

const effectiveAddress = (parsed: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 =>
  (parsed instanceof ipaddr.IPv6 ? embeddedIPv4(parsed) : undefined) ?? parsed;

/** One text for each address, whatever its spelling; an IPv4 address that is mapped or translated to IPv6 counts as the IPv4 address. */
export const canonicalAddress = (address: string): string | undefined => {
  const parsed = parseAddress(address);
  return parsed && effectiveAddress(parsed).toNormalizedString();
};

/**
 * Says whether an IP address, in the plain form that the URL parser and name look-ups give, lies in the public internet.
 * Whatever is not known to be public is not: IPv6 passes within 2000::/3 alone, less its special ranges (RFC 6890 and the IANA registries after it).
 */
export const classifyAddress = (address: string): AddressClass => {
  const parsed = parseAddress(address);
  if (!parsed) return 'not an address';
  const meant = effectiveAddress(parsed);
  return meant instanceof ipaddr.IPv6 ? classifyIPv6(meant) : classifyIPv4(meant);
};

/** Whether an address lies in a range; an IPv4-mapped IPv6 address counts as its IPv4 address. */
export const isInRange = (address: string, [base, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean => {
  const parsed = parseAddress(address);
  const given = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
  return given !== undefined && given.kind() === base.kind() && given.match([base, bits]);
};

/** The addresses of this machine's network interfaces. */
export const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((interfaces) => (interfaces ?? []).map(({ address }) => address));

/** Interfaces come and go: their addresses are looked up again when the known ones are older than this. */
const cacheMs = 1_000;

/** Tells whether an address, in any spelling, is one of this machine's own. `now` is monotonic, in milliseconds. */
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
