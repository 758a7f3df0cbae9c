import type { EventData } from '#contracts/events/event-schemas.ts';
import { streams, ulidPattern } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import type { Cause, EventLog } from '#application/command-handling/aggregate.ts';
import { createExecuteInTurn } from '#application/command-handling/execute-in-turn.ts';
import {
  type Invitation,
  invitationLifetimeMs,
  invitationOf,
  members,
  type MembersCommand,
  type MembersState,
} from '#libs/domain/members.ts';
import { newId } from '#libs/ids/ulids.ts';
import { tokenUrl } from '#application/people/sign-in-links.ts';
import { hasHash, newToken, parseToken } from '#application/people/tokens.ts';

/** The address at which a person accepts. */
export const invitationUrl = (baseUrl: string, token: string): string => tokenUrl(baseUrl, 'invitation', token);

const executeInTurn = createExecuteInTurn(members, streams.members);

/**
 * Executes a command on the members of an account, by bare id. Many people can sign in or accept at once. `position` is
 * null if it had no effect; the state then says why. @throws RevisionConflict after many conflicts
 */
export const changeMembers = async (
  eventLog: EventLog,
  accountId: string,
  command: MembersCommand,
  cause: Cause,
): Promise<{ position: number | null; state: MembersState }> =>
  executeInTurn(eventLog, accountId, () => command, cause);

/** Invites someone. The token is returned and not stored. Null if the account has no room for another member. */
export const inviteMember = async (
  eventLog: EventLog,
  accountId: string,
  { email, role }: { email: string; role: Role },
  cause: Cause,
): Promise<{ invitation: EventData['MemberInvited']; token: string; position: number } | null> => {
  const now = eventLog.now();
  const invitationId = newId(now);
  const { token, hash: tokenHash } = newToken(invitationId);
  const expiresAt = new Date(now.getTime() + invitationLifetimeMs).toISOString();
  const invitation = { invitationId, email, role, tokenHash, expiresAt };
  const command = { type: 'invite', invitation, now: now.toISOString() } as const;
  const { position } = await changeMembers(eventLog, accountId, command, cause);
  return position === null ? null : { invitation, token: `${accountId}.${token}`, position };
};

/** An open invitation and its ids. It may have expired. */
export type FoundInvitation = { accountId: string; invitationId: string; invitation: Invitation; state: MembersState };

const tokenPattern = new RegExp(`^(${ulidPattern})\\.(.+)$`);

/**
 * The invitation of a token, which is the bare id of the account, a dot, and the token of the invitation. Null if there
 * is none, or if it was accepted or withdrawn.
 */
export const findInvitation = async (
  load: (accountId: string) => Promise<MembersState>,
  token: string,
): Promise<FoundInvitation | null> => {
  const [, accountId, rest] = tokenPattern.exec(token) ?? [];
  const parsed = rest === undefined ? null : parseToken(rest);
  if (!accountId || !parsed) return null;
  const state = await load(accountId);
  const invitation = invitationOf(state, parsed.id);
  if (!invitation || !hasHash(parsed.secret, invitation.tokenHash)) return null;
  return { accountId, invitationId: parsed.id, invitation, state };
};
