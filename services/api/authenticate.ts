import type { IncomingMessage } from 'node:http';
import type { Permission } from '#contracts/events/account.ts';
import { Problem } from '#contracts/http/problem.ts';
import { readModels } from '#contracts/names.ts';
import { hashOf, malformation } from '#libs/keys/secret.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** Who asks: a key in force, and its account. */
export type Caller = { key: ApiKeyDocument; account: AccountDocument };

const authorizationHeaders = (request: IncomingMessage): string[] =>
  request.rawHeaders.filter((_, index, raw) => index % 2 === 1 && raw[index - 1]!.toLowerCase() === 'authorization');

const secretFrom = (request: IncomingMessage): string => {
  const values = authorizationHeaders(request);
  if (values.length === 0) throw Problem.of('missing_authorization', 'The Authorization header is missing. Send "Authorization: Bearer <API key>".');
  if (values.length > 1) throw Problem.of('invalid_api_key', 'The Authorization header is there more than once. Send it once.');
  const secret = /^Bearer +(\S.*)$/i.exec(values[0]!)?.[1];
  if (!secret) throw Problem.of('invalid_api_key', 'The Authorization header must read "Bearer <API key>".');
  const wrong = malformation(secret);
  if (wrong) throw Problem.of('invalid_api_key', `The API key is badly formed. ${wrong}`);
  return secret;
};

const keyInForce = async (reads: ReadStore, secret: string, now: Date): Promise<ApiKeyDocument> => {
  const [key] = (await reads.find(readModels.apiKeys, { where: { hash: hashOf(secret) }, limit: 1 })) as ApiKeyDocument[];
  if (!key) throw Problem.of('invalid_api_key', 'There is no such API key.');
  if (key.revokedAt) throw Problem.of('revoked_api_key', `The API key was revoked at ${key.revokedAt}.`, { revoked_at: key.revokedAt });
  if (key.expiresAt && key.expiresAt <= now.toISOString()) throw Problem.of('expired_api_key', `The API key expired at ${key.expiresAt}.`, { expired_at: key.expiresAt });
  return key;
};

/** Finds out who asks. @throws Problem: 401 for the key. */
export const authenticate = async (reads: ReadStore, request: IncomingMessage, now: Date): Promise<Caller> => {
  const key = await keyInForce(reads, secretFrom(request), now);
  const account = (await reads.get(readModels.accounts, key.accountId)) as AccountDocument | null;
  if (!account) throw Problem.of('invalid_api_key', 'There is no such API key.');
  return { key, account };
};

/** @throws Problem account_suspended */
export const requireActive = ({ suspension }: AccountDocument): void => {
  if (!suspension) return;
  const { at, reason } = suspension;
  throw Problem.of('account_suspended', `The account was suspended at ${at}: ${reason}`, { suspended_at: at, reason });
};

/** @throws Problem insufficient_permissions */
export const requirePermission = ({ key }: Caller, permission: Permission): void => {
  if (key.permissions.includes(permission)) return;
  throw Problem.of('insufficient_permissions', `The API key lacks the permission ${permission}.`, { required_permission: permission });
};
