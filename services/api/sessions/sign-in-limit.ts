import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { ApiError } from '#contracts/http/api-error.ts';
import type { Limits } from '#libs/limits/port.ts';
import { requireRateLimitLeft } from '../server/rate-limit.ts';

/** Failed sign-ins from one address a minute. */
const failedSignInsPerMinute = 20;

/** One customer of a provider has a whole /64 of IPv6 addresses. */
const networkOf = (address: string): string => {
  // A proxy may send another text than an address.
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toNormalizedString().split(':').slice(0, 4).join(':');
};

/**
 * Runs a sign-in and counts it if it fails. After too many failures from one address, a further failure is answered with
 * 429. A right token or passkey always signs in, so that a caller cannot lock out others behind the same proxy.
 * @throws ApiError rate_limit_exceeded, and the errors of `signIn`
 */
export const withSignInLimit = async <T>(
  { limits, eventLog }: { limits: Limits; eventLog: { now: () => Date } },
  { ip }: Pick<FastifyRequest, 'ip'>,
  signIn: () => Promise<T>,
): Promise<T> => {
  try {
    return await signIn();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const now = eventLog.now();
    const limit = { perMinute: failedSignInsPerMinute, perMonth: null };
    const { rateLimit } = await limits.countRequest(`sign-in/${networkOf(ip)}`, limit, now);
    requireRateLimitLeft(
      rateLimit,
      now,
      (perMinute) => `Sign-in failed, like ${perMinute} others from your network address in this minute.`,
    );
    throw error;
  }
};
