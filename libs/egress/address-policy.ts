import { isIP } from 'node:net';
import { classifyAddress, type AddressClass } from './address.ts';
import type { AllowList } from './allow-list.ts';
import { resolveHost, type Address, type LookupOwner, type Resolve } from './resolve.ts';
import type { Target } from './target.ts';
import { NoPublicHostError, blockedError } from './errors.ts';

/** Checks one target and returns the addresses that may be connected to. @throws EgressError */
export type AddressPolicy = (target: Target, owner: LookupOwner) => Promise<Address[]>;

export type AddressPolicyOptions = {
  allowList: AllowList;
  resolve: Resolve;
  lookupTimeoutMs: number;
  /** The minimum time before the error for a missing or non-public name, so that its speed does not tell them apart. */
  minNotFoundMs: number;
  /** `now` is monotonic, in milliseconds. */
  clock: { now: () => number; pause: (ms: number) => Promise<unknown> };
  /** Whether an address belongs to this machine. */
  isOwnAddress: (address: string) => boolean;
  /** Whether egress itself listens on a port. */
  isProxyPort: (port: number) => boolean;
};

// Mail servers read the lines of an HTTP request as SMTP commands.
const blockedPorts = new Set([25]);

// The caller knows an address that is in the URL, but must not learn the address that a name resolves to.
const notPublicError = ({ host, port }: Target, address: string, range: string) => {
  const logFields = { host, port, address, range };
  if (isIP(host)) return blockedError('address-not-public', `${host} is not a public address.`, logFields);
  return new NoPublicHostError(host, { block: { code: 'address-not-public', logFields } });
};

const classifyWithOwnAddresses = (address: string, isOwnAddress: (address: string) => boolean): AddressClass => {
  const addressClass = classifyAddress(address);
  return addressClass === 'public' && isOwnAddress(address) ? 'own address' : addressClass;
};

// A private address among public ones is an attack or a mistake. Using only the public ones would hide it.
const requireAllowedAddresses = (
  target: Target,
  addresses: Address[],
  { allowList: { allowsAddress }, isOwnAddress }: AddressPolicyOptions,
): void => {
  for (const { address } of addresses) {
    const addressClass = classifyWithOwnAddresses(address, isOwnAddress);
    if (addressClass !== 'public' && !(addressClass !== 'not an address' && allowsAddress(address)))
      throw notPublicError(target, address, addressClass);
  }
};

// Without this check, a proxy could connect to itself where the operator allows loopback.
const requireNotOwnProxy = (target: Target, addresses: Address[], isProxyPort: (port: number) => boolean): void => {
  if (!isProxyPort(target.port)) return;
  const local = addresses.find(({ address }) => ['loopback', 'unspecified'].includes(classifyAddress(address)));
  if (local) throw notPublicError(target, local.address, 'own proxy');
};

/**
 * Resolves a name once and allows either all addresses of the result or none. The result can lack IPv6 addresses that
 * come too late (`ipv6DelayMs`): a private one among them does not block the name, and is not connected to.
 */
export const createAddressPolicy = (options: AddressPolicyOptions): AddressPolicy => {
  const { allowList, resolve, lookupTimeoutMs, minNotFoundMs, clock, isProxyPort } = options;

  const check: AddressPolicy = async (target, owner) => {
    const isAllowed = allowList.allowsTarget(target);
    if (!isAllowed && blockedPorts.has(target.port))
      throw blockedError('port-not-allowed', `Port ${target.port} is not allowed.`, target);
    const addresses = await resolveHost(target.host, {
      ...owner,
      useSearchDomains: isAllowed,
      resolve,
      lookupTimeoutMs,
    });
    requireNotOwnProxy(target, addresses, isProxyPort);
    if (!isAllowed) requireAllowedAddresses(target, addresses, options);
    return addresses;
  };

  return async (target, owner) => {
    const start = clock.now();
    try {
      return await check(target, owner);
    } catch (error) {
      if (error instanceof NoPublicHostError) await clock.pause(Math.max(0, minNotFoundMs - (clock.now() - start)));
      throw error;
    }
  };
};
