import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { codeOf, failed, NoPublicHost, timedOut } from './trouble.ts';

export type Address = { address: string; family: 4 | 6 };
/** All addresses of a host name, best first. */
export type Resolve = (host: string) => Promise<Address[]>;

const loopback: Address[] = [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];

/** The machine's own view of names (hosts file included), in the order that it prefers; localhost and all below it are loopback wherever one asks, and nothing below invalid exists (RFC 6761, 6.3 and 6.4). */
export const systemResolve: Resolve = async (host) => {
  if (/(^|\.)localhost$/.test(host)) return loopback;
  if (/(^|\.)invalid$/.test(host)) return [];
  const answers = await lookup(host, { all: true, order: 'verbatim' });
  return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

const nameTrouble = (host: string, error: unknown) => {
  const code = codeOf(error);
  return code === 'ENOTFOUND' || code === 'ENODATA'
    ? new NoPublicHost(host, { cause: error })
    : failed(`The name ${host} could not be looked up at the moment.`, error);
};

const within = async <T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> => {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
};

/** The addresses of a host: itself where it is an address, else one look-up within the time. Throws an EgressError where there are none. */
export const addressesOf = async (host: string, resolve: Resolve, lookupMs: number): Promise<Address[]> => {
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  const found = resolve(host).catch((error: unknown) => {
    throw nameTrouble(host, error);
  });
  const addresses = await within(lookupMs, found, () => timedOut(`The name ${host} was not resolved within ${lookupMs / 1000} s.`));
  if (addresses.length === 0) throw new NoPublicHost(host, {});
  return addresses;
};
