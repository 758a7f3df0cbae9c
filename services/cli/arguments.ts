import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { findAccount } from '#application/accounts/queries.ts';
import { findKey } from '#application/api-keys/queries.ts';
import { type Permission, permissions } from '#contracts/events/account.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { UsageError } from '../process/command-context.ts';

/** How texts of the command line become values; what is wrong ends in a message that says what is allowed. */

/** A number above 0. @throws InvalidArgumentError */
export const positiveNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
};

/** A whole number above 0. @throws InvalidArgumentError */
export const positiveInteger = (text: string): number => {
  const value = positiveNumber(text);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
};

const oneLineText = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u);

/** A text of 1 to 200 characters, trimmed. @throws InvalidArgumentError */
export const oneLine = (text: string): string => {
  const { success, data } = oneLineText.safeParse(text);
  if (!success) throw new InvalidArgumentError('It must be one line of 1 to 200 characters.');
  return data;
};

/** Permissions with commas between them, each once. @throws InvalidArgumentError */
export const permissionList = (text: string): Permission[] => {
  const wished = [...new Set(text.split(',').map((one) => one.trim()))];
  const unknown = wished.filter((one) => !(permissions as readonly string[]).includes(one));
  if (unknown.length > 0)
    throw new InvalidArgumentError(
      `Unknown: ${unknown.join(', ') || '(nothing)'}. There are: ${permissions.join(', ')}.`,
    );
  return wished as Permission[];
};

const isoDateOrTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** A date or time as ISO 8601 in UTC. @throws InvalidArgumentError */
export const isoTimestamp = (text: string): string => {
  if (!isoDateOrTime.safeParse(text).success)
    throw new InvalidArgumentError('It must be an ISO 8601 date or time, such as 2030-01-31 or 2030-01-31T12:00:00Z.');
  return new Date(text).toISOString();
};

/** `YYYY-MM`. @throws InvalidArgumentError */
export const month = (text: string): string => {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('It must be a month written YYYY-MM, such as 2030-01.');
  return text;
};

/** Whether the command was given with `--json`. */
export const wantsJson = (command: Command): boolean => command.optsWithGlobals().json === true;

/** The text that `--help` ends with. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ colophon ${line}`).join('\n')}`;

/** An account by its `acc_<id>`. @throws UsageError */
export const requireAccount = async (reads: ReadStore, prefixed: string): Promise<AccountDocument> => {
  const document = await findAccount(reads, prefixed);
  if (!document) throw new UsageError(`There is no account ${prefixed}. "colophon account list" shows all.`);
  return document;
};

/** A key by its `key_<id>`. @throws UsageError */
export const requireKey = async (reads: ReadStore, prefixed: string): Promise<ApiKeyDocument> => {
  const document = await findKey(reads, prefixed);
  if (!document)
    throw new UsageError(`There is no key ${prefixed}. "colophon key list --account ID" shows an account's keys.`);
  return document;
};
