import { blockedError } from './errors.ts';

/** The target of a connection: the host in canonical form (no brackets, no trailing dot) and the port. */
export type Target = { host: string; port: number };

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 };

const canonicalHost = (hostname: string): string => {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === '' || host.endsWith('.')) throw blockedError('bad-target', 'The address has no host.');
  return host;
};

/**
 * The target of an http or https URL. The WHATWG URL parser gives one form for all spellings of a host.
 * @throws EgressError (blocked) for any other text, and for a URL with a user name or password
 */
export const targetOfUrl = (text: string): { url: URL; target: Target } => {
  const url = URL.parse(text);
  if (!url) throw blockedError('bad-target', 'The address is not a valid URL.');
  const defaultPort = defaultPorts[url.protocol];
  if (defaultPort === undefined)
    throw blockedError('bad-target', `The scheme ${url.protocol.slice(0, -1)} is not allowed; http and https are.`);
  if (url.username || url.password)
    throw blockedError('bad-target', 'The URL contains a user name or password, which is not allowed.');
  const port = url.port === '' ? defaultPort : Number(url.port);
  if (port === 0) throw blockedError('bad-target', 'Port 0 is not allowed.');
  return { url, target: { host: canonicalHost(url.hostname), port } };
};

/** The target of a `host:port` pair of CONNECT (RFC 9110, 9.3.6). @throws EgressError (blocked) for any other text */
export const targetOfAuthority = (authority: string): Target => {
  if (!/^[^\s/?#@\\]+:\d{1,5}$/.test(authority)) throw blockedError('bad-target', 'CONNECT needs a host and a port.');
  return targetOfUrl(`http://${authority}`).target;
};
