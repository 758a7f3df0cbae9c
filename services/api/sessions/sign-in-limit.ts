import type { FastifyRequest } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import type { Limits } from '#libs/limits/port.ts';
import { requireRateLimitLeft } from '../server/rate-limit.ts';

/** Failed sign-ins from one address a minute. */
export const failedSignInsPerMinute = 20;

/** One customer of a provider has a whole /64 of IPv6 addresses. */
const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter((part) => part !== '');
  const after = tail === undefined ? [] : tail.split(':').filter((part) => part !== '');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after].slice(0, 4).join(':');
};

/**
 * Runs a sign-in and counts it if it fails. After too many failures from one address, a further failure is answered with
 * 429. A right token or passkey always signs in, so that no one can lock out others behind the same proxy.
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
    requireRateLimitLeft(rateLimit, now, 'Without success, one address');
    throw error;
  }
};
