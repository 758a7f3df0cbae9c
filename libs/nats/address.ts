import { AddressError } from '#libs/engines/remote.ts';

/** The addresses of NATS servers and the credentials for them. */
export type NatsAddress = {
  /** `host:port` of each server of a cluster. */
  servers: string[];
  tls: boolean;
  credentials: { user: string; pass: string } | { token: string } | null;
};

const defaultPort = '4222';
const allowedForms =
  'allowed is nats://host:port or tls://host:port, with user:password@ or token@ before the host, ' +
  'and more servers after commas';

const parseServerUrl = (serverUrl: string, url: string): URL => {
  // The message does not show the address, because it may contain a password.
  if (!/^(nats|tls):\/\/[^/]/.test(serverUrl) || !URL.canParse(serverUrl))
    throw new AddressError(
      `BUS_URL ${url.includes(',') ? 'has a part that is' : 'is'} not the address of a NATS server; ${allowedForms}.`,
    );
  return new URL(serverUrl);
};

const credentialsOf = ({ username, password }: URL): NatsAddress['credentials'] => {
  if (username === '' && password === '') return null;
  const user = decodeURIComponent(username);
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) };
};

/**
 * Parses `nats://user:pass@host:port`, `nats://token@host` or `tls://host`, or several of them with commas. A server
 * without a scheme has that of the first.
 * @throws AddressError that says what is allowed
 */
export const parseNatsUrl = (url: string): NatsAddress => {
  const scheme = url.slice(0, url.indexOf('://') + 3);
  const urls = url
    .split(',')
    .map((part) => part.trim())
    .map((part) => parseServerUrl(part.includes('://') ? part : scheme + part, url));
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || defaultPort}`),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
    credentials: urls.map(credentialsOf).find((found) => found !== null) ?? null,
  };
};
