import { isIP } from 'node:net';
import { judgeAddress, type Verdict } from './address.ts';
import type { Exceptions } from './allow.ts';
import { addressesOf, type Address, type Asker, type Resolve } from './resolve.ts';
import type { Target } from './target.ts';
import { NoPublicHost, refused } from './trouble.ts';

/** Decides about one target, and gives the very addresses that may be connected to. Throws an EgressError. */
export type Admit = (target: Target, asker: Asker) => Promise<Address[]>;

export type AdmissionRules = {
  exceptions: Exceptions;
  resolve: Resolve;
  lookupMs: number;
  /** How long it takes at least to say that a name does not exist or leads to nothing public: neither shall be known by its speed. */
  noHostMs: number;
  /** `now` is monotonic, in milliseconds. */
  clock: { now: () => number; pause: (ms: number) => Promise<unknown> };
  /** Whether an address belongs to this machine. */
  isOwnAddress: (address: string) => boolean;
  /** Whether egress itself listens on a port. */
  isOwnPort: (port: number) => boolean;
};

// Mail servers take an HTTP request for a dialogue, line by line.
const closedPorts = new Set([25]);

// The caller knows an address that is in the URL. The address that a name resolves to would be new to the caller.
const notPublic = ({ host, port }: Target, address: string, range: string) => {
  const forLog = { host, port, address, range };
  if (isIP(host)) return refused('address-not-public', `${host} is not a public address.`, forLog);
  return new NoPublicHost(host, { refusal: { code: 'address-not-public', forLog } });
};

const verdictOn = (address: string, isOwnAddress: (address: string) => boolean): Verdict => {
  const verdict = judgeAddress(address);
  return verdict === 'public' && isOwnAddress(address) ? 'own interface' : verdict;
};

// One address inside among public ones is an attack or a mistake, never a service; to take the public ones would hide it.
const checkAll = (target: Target, addresses: Address[], { exceptions: { opensAddress }, isOwnAddress }: AdmissionRules): void => {
  for (const { address } of addresses) {
    const verdict = verdictOn(address, isOwnAddress);
    if (verdict !== 'public' && !(verdict !== 'not an address' && opensAddress(address))) throw notPublic(target, address, verdict);
  }
};

// Where the operator has opened loopback, the door would else lead into itself.
const checkNotSelf = (target: Target, addresses: Address[], isOwnPort: (port: number) => boolean): void => {
  if (!isOwnPort(target.port)) return;
  const local = addresses.find(({ address }) => ['loopback', 'unspecified'].includes(judgeAddress(address)));
  if (local) throw notPublic(target, local.address, 'the door itself');
};

/** The rule of the door: looks a name up once and lets all of its addresses pass or none. */
export const admission = (rules: AdmissionRules): Admit => {
  const { exceptions, resolve, lookupMs, noHostMs, clock, isOwnPort } = rules;

  const judge: Admit = async (target, asker) => {
    const open = exceptions.opensTarget(target);
    if (!open && closedPorts.has(target.port)) throw refused('port-not-allowed', `Port ${target.port} is not allowed.`, target);
    const addresses = await addressesOf(target.host, { ...asker, searches: open, resolve, lookupMs });
    checkNotSelf(target, addresses, isOwnPort);
    if (!open) checkAll(target, addresses, rules);
    return addresses;
  };

  return async (target, asker) => {
    const start = clock.now();
    try {
      return await judge(target, asker);
    } catch (error) {
      if (error instanceof NoPublicHost) await clock.pause(Math.max(0, noHostMs - (clock.now() - start)));
      throw error;
    }
  };
};
