import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import type { Challenge } from '#application/people/passkeys.ts';
import { newId } from '#libs/ids/ulids.ts';
import { decrypt, encrypt } from '#libs/secrets/encryption.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { cookieLifetimeMs, type CookieName } from './cookies.ts';

export type SealDependencies = Pick<Dependencies, 'cookies' | 'secrets' | 'eventLog'>;

const sealed = z.object({ expiresAt: z.string(), value: z.unknown() });

/** Encrypts a value into a cookie, for as long as the cookie is valid. The browser cannot read or change it. */
export const sealCookie = (
  { cookies, secrets, eventLog }: SealDependencies,
  reply: FastifyReply,
  name: Exclude<CookieName, 'session'>,
  value: unknown,
): void => {
  const expiresAt = new Date(eventLog.now().getTime() + cookieLifetimeMs(name)).toISOString();
  const text = JSON.stringify({ expiresAt, value });
  cookies.set(reply, name, Buffer.from(encrypt(secrets, `cookie/${name}`, text)).toString('base64url'));
};

/** The value of a sealed cookie, which is then removed; null without one, and if it is damaged or has expired. */
export const openCookie = (
  { cookies, secrets, eventLog }: SealDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  name: Exclude<CookieName, 'session'>,
): unknown => {
  const text = cookies.read(request, name);
  if (text === null) return null;
  cookies.clear(reply, name);
  try {
    const { expiresAt, value } = sealed.parse(
      JSON.parse(decrypt(secrets, `cookie/${name}`, Buffer.from(text, 'base64url'))),
    );
    return eventLog.now().toISOString() < expiresAt ? value : null;
  } catch {
    return null;
  }
};

const passkeyChallenge = z.object({
  id: z.string(),
  text: z.string(),
  origin: z.string(),
  /** The person who adds a passkey; null for a sign-in. */
  personId: z.string().nullable(),
});

/** Remembers the challenge of a browser. `personId` is null for a sign-in. */
export const sealChallenge = (
  dependencies: SealDependencies,
  reply: FastifyReply,
  challenge: { text: string; origin: string; personId: string | null },
): void => sealCookie(dependencies, reply, 'passkey', { id: newId(dependencies.eventLog.now()), ...challenge });

/** The challenge of a browser for this purpose. @throws ApiError sign_in_failed */
export const requireChallenge = (
  dependencies: SealDependencies,
  reply: FastifyReply,
  personId: string | null,
): Challenge => {
  const { data } = passkeyChallenge.safeParse(openCookie(dependencies, reply.request, reply, 'passkey'));
  if (!data || data.personId !== personId)
    throw ApiError.of('sign_in_failed', 'The challenge has expired or was used. Start again.');
  return data;
};
