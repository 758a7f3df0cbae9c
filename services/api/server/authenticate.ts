import type { IncomingMessage } from 'node:http';
import type { Permission } from '#contracts/events/account.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { KeyCache } from '#application/api-keys/queries.ts';
import { type Caller, callerOfKey } from '#application/callers/caller.ts';
import type { SignedInPerson } from '#application/people/people.ts';
import { hashSecret, secretFormatError } from '#application/api-keys/secret.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';

const authorizationHeaders = (request: IncomingMessage): string[] =>
  request.rawHeaders.filter((_, index, raw) => index % 2 === 1 && raw[index - 1]!.toLowerCase() === 'authorization');

const secretFrom = (request: IncomingMessage): string => {
  const values = authorizationHeaders(request);
  if (values.length === 0)
    throw ApiError.of(
      'missing_authorization',
      'The Authorization header is missing. Send "Authorization: Bearer <API key>".',
    );
  if (values.length > 1)
    throw ApiError.of('invalid_api_key', 'The request has the Authorization header more than once. Send it once.');
  const secret = /^Bearer +(\S.*)$/i.exec(values[0]!)?.[1];
  if (!secret) throw ApiError.of('invalid_api_key', 'The Authorization header must read "Bearer <API key>".');
  const formatError = secretFormatError(secret);
  if (formatError) throw ApiError.of('invalid_api_key', `The format of the API key is wrong. ${formatError}`);
  return secret;
};

const requireValidKey = ({ revokedAt, expiresAt }: ApiKeyDocument, now: Date): void => {
  if (revokedAt)
    throw ApiError.of('revoked_api_key', `The API key was revoked at ${revokedAt}.`, { revoked_at: revokedAt });
  if (expiresAt && expiresAt <= now.toISOString())
    throw ApiError.of('expired_api_key', `The API key expired at ${expiresAt}.`, { expired_at: expiresAt });
};

/** The account and key of a request. @throws ApiError with status 401 */
export const authenticate = async (keys: KeyCache, request: IncomingMessage, now: Date): Promise<Caller> => {
  const found = await keys.find(hashSecret(secretFrom(request)));
  if (!found) throw ApiError.of('invalid_api_key', 'There is no such API key.');
  requireValidKey(found.key, now);
  return callerOfKey(found);
};

/** @throws ApiError account_suspended */
export const requireActive = ({ suspension }: AccountDocument): void => {
  if (!suspension) return;
  const { at, reason } = suspension;
  throw ApiError.of('account_suspended', `The account was suspended at ${at}: ${reason}`, { suspended_at: at, reason });
};

/** @throws ApiError insufficient_permissions */
export const requireOperator = ({ isOperator }: Pick<SignedInPerson, 'isOperator'>): void => {
  if (isOperator) return;
  throw ApiError.of('insufficient_permissions', 'Only an operator of the service may do this.', {
    required_permission: 'operator',
  });
};

/** `hint` follows the message. @throws ApiError insufficient_permissions */
export const requirePermission = (
  { permissions, actor }: Pick<Caller, 'permissions' | 'actor'>,
  permission: Permission,
  hint = '',
): void => {
  if (permissions.includes(permission)) return;
  const holder = actor.kind === 'key' ? 'The API key' : 'Your role in the account';
  throw ApiError.of('insufficient_permissions', `${holder} lacks the permission ${permission}.${hint}`, {
    required_permission: permission,
  });
};
