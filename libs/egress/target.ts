import { refusalError } from './errors.ts';

/** Where a connection shall go: the host in its one canonical form (no brackets, no trailing dot), and the port. */
export type Target = { host: string; port: number };

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 };

const canonicalHost = (hostname: string): string => {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === '' || host.endsWith('.')) throw refusalError('bad-target', 'The address names no host.');
  return host;
};

/**
 * The target of an http or https URL, read by the WHATWG URL parser, so that every spelling of a host falls to one form.
 * Throws a refusal for what is no such URL, or carries a user name or password.
 */
export const targetOfUrl = (text: string): { url: URL; target: Target } => {
  const url = URL.parse(text);
  if (!url) throw refusalError('bad-target', 'The address is not a valid URL.');
  const defaultPort = defaultPorts[url.protocol];
  if (defaultPort === undefined)
    throw refusalError('bad-target', `The scheme ${url.protocol.slice(0, -1)} is not allowed; http and https are.`);
  if (url.username || url.password)
    throw refusalError('bad-target', 'The URL carries a user name or password, which is not allowed.');
  const port = url.port === '' ? defaultPort : Number(url.port);
  if (port === 0) throw refusalError('bad-target', 'Port 0 is no port to connect to.');
  return { url, target: { host: canonicalHost(url.hostname), port } };
};

/** The target of a `host:port` pair, as CONNECT carries it (RFC 9110, 9.3.6). Throws a refusal for anything else. */
export const targetOfAuthority = (authority: string): Target => {
  if (!/^[^\s/?#@\\]+:\d{1,5}$/.test(authority)) throw refusalError('bad-target', 'CONNECT needs a host and a port.');
  return targetOfUrl(`http://${authority}`).target;
};
