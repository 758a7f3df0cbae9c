import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { liesIn } from './address.ts';
import type { Target } from './target.ts';

type Exception =
  | { kind: 'range'; range: [ipaddr.IPv4 | ipaddr.IPv6, number] }
  | { kind: 'suffix'; suffix: string; port: number | undefined }
  | { kind: 'host'; host: string; port: number | undefined };

/** What the operator lets through beyond the public internet. */
export type Exceptions = { opensTarget: (target: Target) => boolean; opensAddress: (address: string) => boolean };

const badEntry = (entry: string) =>
  new Error(`The egress exception ${JSON.stringify(entry)} is none of: host, host:port, *.suffix, *.suffix:port, or an address range such as 10.0.0.0/8.`);

const readRange = (entry: string): Exception => {
  if (!ipaddr.isValidCIDR(entry)) throw badEntry(entry);
  return { kind: 'range', range: ipaddr.parseCIDR(entry) };
};

const readHost = (entry: string): Exception => {
  const [, name = '', portText] = isIPv6(entry) ? [entry, `[${entry}]`] : (/^(.+?)(?::(\d{1,5}))?$/.exec(entry) ?? []);
  const wildcard = name.startsWith('*.');
  const url = URL.parse(`http://${wildcard ? name.slice(2) : name}/`);
  if (!url || url.port !== '' || /[/?#@\\*\s]/.test(wildcard ? name.slice(2) : name)) throw badEntry(entry);
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) throw badEntry(entry);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return wildcard ? { kind: 'suffix', suffix: `.${host}`, port } : { kind: 'host', host, port };
};

const readEntry = (entry: string): Exception => (entry.includes('/') ? readRange(entry) : readHost(entry));

const opensTarget = (exception: Exception, { host, port }: Target): boolean => {
  switch (exception.kind) {
    case 'range':
      return false;
    case 'suffix':
      return host.endsWith(exception.suffix) && (exception.port ?? port) === port;
    case 'host':
      return host === exception.host && (exception.port ?? port) === port;
  }
};

const opensAddress = (exception: Exception, address: string): boolean => exception.kind === 'range' && liesIn(address, exception.range);

/**
 * Reads the operator's exceptions. Names and single addresses are compared with the host as the URL spells it, ranges with
 * the addresses that the host has; `*.suffix` opens every name below the suffix, not the suffix itself. Throws on an entry that is none of these.
 */
export const readExceptions = (entries: string[]): Exceptions => {
  const exceptions = entries.map((entry) => readEntry(entry.trim()));
  return {
    opensTarget: (target) => exceptions.some((exception) => opensTarget(exception, target)),
    opensAddress: (address) => exceptions.some((exception) => opensAddress(exception, address)),
  };
};
