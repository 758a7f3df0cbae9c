import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionIdleMs } from '#libs/domain/session.ts';

/** Reads and sets the cookies of the service. None can be read by scripts. */
export type Cookies = {
  /** The value of a cookie of the request; null if it has none. */
  read(request: Pick<FastifyRequest, 'headers'>, name: CookieName): string | null;
  set(reply: FastifyReply, name: CookieName, value: string): void;
  clear(reply: FastifyReply, name: CookieName): void;
};

/**
 * The cookies by purpose. Those of `oidc` are sent when the browser comes back from the identity provider, which is
 * another site; all others are never sent with a request that another site causes.
 */
const cookieTypes = {
  session: { maxAgeMs: sessionIdleMs, sameSite: 'Strict' },
  passkey: { maxAgeMs: 5 * 60 * 1000, sameSite: 'Strict' },
  oidc: { maxAgeMs: 10 * 60 * 1000, sameSite: 'Lax' },
} as const;
export type CookieName = keyof typeof cookieTypes;

/** How long a challenge in a cookie is valid. */
export const cookieLifetimeMs = (name: CookieName): number => cookieTypes[name].maxAgeMs;

/** `isSecure`: the service is used through TLS, so that its cookies must never be sent without. */
export const createCookies = (isSecure: boolean): Cookies => {
  const fullName = (name: CookieName): string => `${isSecure ? '__Host-' : ''}colophon_${name}`;
  const write = (reply: FastifyReply, name: CookieName, value: string, maxAgeSeconds: number): void => {
    const { sameSite } = cookieTypes[name];
    const secure = isSecure ? '; Secure' : '';
    reply.header(
      'set-cookie',
      `${fullName(name)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`,
    );
  };
  return {
    read: ({ headers }, name) => {
      const prefix = `${fullName(name)}=`;
      const found = (headers.cookie ?? '').split(';').find((pair) => pair.trimStart().startsWith(prefix));
      return found?.trim().slice(prefix.length) || null;
    },
    set: (reply, name, value) => write(reply, name, value, Math.floor(cookieTypes[name].maxAgeMs / 1000)),
    clear: (reply, name) => write(reply, name, '', 0),
  };
};
