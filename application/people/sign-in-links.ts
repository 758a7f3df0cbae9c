import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import { type EventLog, newAggregate, newCause } from '#application/command-handling/aggregate.ts';
import { signInLink, signInLinkLifetimeMs } from '#libs/domain/sign-in-link.ts';
import { newId } from '#libs/ids/ulids.ts';
import { type Identity, personIdFrom, profileOf } from './identity.ts';
import { newToken } from './tokens.ts';

/**
 * Whom a link signs in. `accountId` is bare; null for a link to no account. Without a role, a member keeps the present
 * role, and a new member becomes owner.
 */
export type SignInLinkRequest = {
  identity: Identity;
  accountId: string | null;
  role: Role | null;
  operator: boolean;
};

/** Issues a link that signs a person in once, within 15 minutes. The token is returned and not stored. */
export const issueSignInLink = async (
  eventLog: EventLog,
  actor: Actor,
  { identity, accountId, role, operator }: SignInLinkRequest,
): Promise<{ token: string; personId: string; expiresAt: string }> => {
  const id = newId();
  const { token, hash } = newToken(id);
  const personId = personIdFrom(identity);
  const expiresAt = new Date(eventLog.now().getTime() + signInLinkLifetimeMs).toISOString();
  const data = { tokenHash: hash, personId, ...profileOf(identity), accountId, role, operator, expiresAt };
  await newAggregate(eventLog, signInLink, streams.signInLink(id)).execute(
    { type: 'issue', data },
    newCause(actor, accountId),
  );
  return { token, personId, expiresAt };
};

/**
 * The address of a page that uses the token, which is in the fragment: browsers send it to no server. Passkeys need a
 * host name, so this machine is `localhost`.
 */
export const tokenUrl = (baseUrl: string, page: 'sign-in' | 'invitation', token: string): string => {
  const named = baseUrl.replace(/^(https?:\/\/)(?:127(?:\.\d+){3}|\[::1\])(?=[:/]|$)/, '$1localhost');
  return `${named}/dashboard/${page}#${token}`;
};

/** The address at which a person uses the link. */
export const signInUrl = (baseUrl: string, token: string): string => tokenUrl(baseUrl, 'sign-in', token);

/** The person who starts the service or runs a command, unless an email says who it is. */
export const identityOfUser = (username: string, role: Role | null): Identity => ({
  kind: 'user',
  name: role === null || role === 'owner' ? username : `${username} (${role})`,
});
