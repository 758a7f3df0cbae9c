import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInRange } from './address.ts';
import type { Target } from './target.ts';

type AllowListEntry =
  | { kind: 'range'; range: [ipaddr.IPv4 | ipaddr.IPv6, number] }
  | { kind: 'suffix'; suffix: string; port: number | undefined }
  | { kind: 'host'; host: string; port: number | undefined };

/** The targets that the operator allows in addition to public addresses. */
export type AllowList = { allowsTarget: (target: Target) => boolean; allowsAddress: (address: string) => boolean };

const invalidEntryError = (entry: string) =>
  new Error(
    `The egress allow list entry ${JSON.stringify(entry)} is not valid. Allowed are host, host:port, *.suffix, ` +
      '*.suffix:port, and an address range such as 10.0.0.0/8.',
  );

const parseRange = (entry: string): AllowListEntry => {
  if (!ipaddr.isValidCIDR(entry)) throw invalidEntryError(entry);
  return { kind: 'range', range: ipaddr.parseCIDR(entry) };
};

const parseHost = (entry: string): AllowListEntry => {
  const [, name = '', portText] = isIPv6(entry) ? [entry, `[${entry}]`] : (/^(.+?)(?::(\d{1,5}))?$/.exec(entry) ?? []);
  const wildcard = name.startsWith('*.');
  const url = URL.parse(`http://${wildcard ? name.slice(2) : name}/`);
  if (!url || url.port !== '' || /[/?#@\\*\s]/.test(wildcard ? name.slice(2) : name)) throw invalidEntryError(entry);
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) throw invalidEntryError(entry);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return wildcard ? { kind: 'suffix', suffix: `.${host}`, port } : { kind: 'host', host, port };
};

const entryAllowsTarget = (entry: AllowListEntry, { host, port }: Target): boolean => {
  switch (entry.kind) {
    case 'range':
      return false;
    case 'suffix':
      return host.endsWith(entry.suffix) && (entry.port ?? port) === port;
    case 'host':
      return host === entry.host && (entry.port ?? port) === port;
  }
};

/**
 * Parses the operator's allow list. Names and single addresses are compared with the host in the URL, ranges with the
 * addresses of the host. `*.suffix` allows every name below the suffix, not the suffix itself.
 * @throws Error when an entry has none of these forms
 */
export const parseAllowList = (texts: string[]): AllowList => {
  const entries = texts
    .map((text) => text.trim())
    .map((entry) => (entry.includes('/') ? parseRange(entry) : parseHost(entry)));
  return {
    allowsTarget: (target) => entries.some((entry) => entryAllowsTarget(entry, target)),
    allowsAddress: (address) => entries.some((entry) => entry.kind === 'range' && isInRange(address, entry.range)),
  };
};
