import { AddressError } from '#libs/engines/remote.ts';

/** Where a NATS server is, and as whom to speak to it. */
export type NatsAddress = {
  /** `host:port` of each server of a cluster. */
  servers: string[];
  tls: boolean;
  credentials: { user: string; pass: string } | { token: string } | null;
};

const defaultPort = '4222';
const allowedForms =
  'allowed is nats://host:port or tls://host:port, before the host user:password@ or token@, and further servers after commas';

const parseServerUrl = (one: string, whole: string): URL => {
  // What is wrong is not shown: a password may be in it.
  if (!/^(nats|tls):\/\/[^/]/.test(one) || !URL.canParse(one))
    throw new AddressError(
      `BUS_URL has ${whole.split(',').length > 1 ? 'a part that is ' : ''}no address of a NATS server; ${allowedForms}.`,
    );
  return new URL(one);
};

const credentialsOf = ({ username, password }: URL): NatsAddress['credentials'] => {
  if (username === '' && password === '') return null;
  const user = decodeURIComponent(username);
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) };
};

/** Reads `nats://user:pass@host:port`, `nats://token@host`, `tls://host`, several with commas; the scheme of the first goes for those without. @throws AddressError that tells what is allowed */
export const parseNatsUrl = (url: string): NatsAddress => {
  const scheme = url.slice(0, url.indexOf('://') + 3);
  const urls = url
    .split(',')
    .map((one) => one.trim())
    .map((one) => parseServerUrl(one.includes('://') ? one : scheme + one, url));
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || defaultPort}`),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
    credentials: urls.map(credentialsOf).find((found) => found !== null) ?? null,
  };
};
