import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInRange } from './address.ts';
import type { Target } from './target.ts';

type AllowListEntry =
  | { kind: 'range'; range: [ipaddr.IPv4 | ipaddr.IPv6, number] }
  | { kind: 'suffix'; suffix: string; port: number | undefined }
  | { kind: 'host'; host: string; port: number | undefined };

/** What the operator lets through beyond the public internet. */
export type AllowList = { allowsTarget: (target: Target) => boolean; allowsAddress: (address: string) => boolean };

const invalidEntryError = (entry: string) =>
  new Error(
    `The egress exception ${JSON.stringify(entry)} is none of: host, host:port, *.suffix, *.suffix:port, or an address range such as 10.0.0.0/8.`,
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

const parseEntry = (entry: string): AllowListEntry => (entry.includes('/') ? parseRange(entry) : parseHost(entry));

const entryAllowsTarget = (exception: AllowListEntry, { host, port }: Target): boolean => {
  switch (exception.kind) {
    case 'range':
      return false;
    case 'suffix':
      return host.endsWith(exception.suffix) && (exception.port ?? port) === port;
    case 'host':
      return host === exception.host && (exception.port ?? port) === port;
  }
};

const entryAllowsAddress = (exception: AllowListEntry, address: string): boolean =>
  exception.kind === 'range' && isInRange(address, exception.range);

/**
 * Reads the operator's exceptions. Names and single addresses are compared with the host as the URL spells it, ranges with
 * the addresses that the host has; `*.suffix` opens every name below the suffix, not the suffix itself. Throws on an entry that is none of these.
 */
export const parseAllowList = (entries: string[]): AllowList => {
  const exceptions = entries.map((entry) => parseEntry(entry.trim()));
  return {
    allowsTarget: (target) => exceptions.some((exception) => entryAllowsTarget(exception, target)),
    allowsAddress: (address) => exceptions.some((exception) => entryAllowsAddress(exception, address)),
  };
};
