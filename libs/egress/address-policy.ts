import { isIP } from 'node:net';
import { classifyAddress, type AddressClass } from './address.ts';
import type { AllowList } from './allow-list.ts';
import { resolveHost, type Address, type LookupOwner, type Resolve } from './resolve.ts';
import type { Target } from './target.ts';
import { NoPublicHostError, refusalError } from './errors.ts';

/** Decides about one target, and gives the very addresses that may be connected to. Throws an EgressError. */
export type AddressPolicy = (target: Target, asker: LookupOwner) => Promise<Address[]>;

export type AddressPolicyOptions = {
  allowList: AllowList;
  resolve: Resolve;
  lookupTimeoutMs: number;
  /** How long it takes at least to say that a name does not exist or leads to nothing public: neither shall be known by its speed. */
  minNotFoundMs: number;
  /** `now` is monotonic, in milliseconds. */
  clock: { now: () => number; pause: (ms: number) => Promise<unknown> };
  /** Whether an address belongs to this machine. */
  isOwnAddress: (address: string) => boolean;
  /** Whether egress itself listens on a port. */
  isProxyPort: (port: number) => boolean;
};

// Mail servers take an HTTP request for a dialogue, line by line.
const blockedPorts = new Set([25]);

// The caller knows an address that is in the URL. The address that a name resolves to would be new to the caller.
const notPublicError = ({ host, port }: Target, address: string, range: string) => {
  const forLog = { host, port, address, range };
  if (isIP(host)) return refusalError('address-not-public', `${host} is not a public address.`, forLog);
  return new NoPublicHostError(host, { refusal: { code: 'address-not-public', logFields: forLog } });
};

const classifyWithOwnAddresses = (address: string, isOwnAddress: (address: string) => boolean): AddressClass => {
  const verdict = classifyAddress(address);
  return verdict === 'public' && isOwnAddress(address) ? 'own interface' : verdict;
};

// One address inside among public ones is an attack or a mistake, never a service; to take the public ones would hide it.
const requireAllowedAddresses = (
  target: Target,
  addresses: Address[],
  { allowList: { allowsAddress }, isOwnAddress }: AddressPolicyOptions,
): void => {
  for (const { address } of addresses) {
    const verdict = classifyWithOwnAddresses(address, isOwnAddress);
    if (verdict !== 'public' && !(verdict !== 'not an address' && allowsAddress(address)))
      throw notPublicError(target, address, verdict);
  }
};

// Where the operator has opened loopback, the door would else lead into itself.
const requireNotOwnProxy = (target: Target, addresses: Address[], isOwnPort: (port: number) => boolean): void => {
  if (!isOwnPort(target.port)) return;
  const local = addresses.find(({ address }) => ['loopback', 'unspecified'].includes(classifyAddress(address)));
  if (local) throw notPublicError(target, local.address, 'the door itself');
};

/** The rule of the door: looks a name up once and lets all of its addresses pass or none. */
export const createAddressPolicy = (rules: AddressPolicyOptions): AddressPolicy => {
  const { allowList, resolve, lookupTimeoutMs, minNotFoundMs, clock, isProxyPort } = rules;

  const judge: AddressPolicy = async (target, asker) => {
    const open = allowList.allowsTarget(target);
    if (!open && blockedPorts.has(target.port))
      throw refusalError('port-not-allowed', `Port ${target.port} is not allowed.`, target);
    const addresses = await resolveHost(target.host, { ...asker, useSearchDomains: open, resolve, lookupTimeoutMs });
    requireNotOwnProxy(target, addresses, isProxyPort);
    if (!open) requireAllowedAddresses(target, addresses, rules);
    return addresses;
  };

  return async (target, asker) => {
    const start = clock.now();
    try {
      return await judge(target, asker);
    } catch (error) {
      if (error instanceof NoPublicHostError) await clock.pause(Math.max(0, minNotFoundMs - (clock.now() - start)));
      throw error;
    }
  };
};
