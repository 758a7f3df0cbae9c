import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { findAccount, findAccountsByName, listAccounts } from '#application/accounts/queries.ts';
import { findKey } from '#application/api-keys/queries.ts';
import { type Permission, permissions } from '#contracts/events/account.ts';
import { instant } from '#contracts/http/instant.ts';
import { accountIdOf } from '#contracts/names.ts';
import { ownLimitValues } from '#contracts/plans.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { UsageError } from '../process/command-context.ts';
import type { CliCommand } from './cli-command.ts';

/** A whole number above 0. @throws InvalidArgumentError */
export const positiveInteger = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
};

/** A number that the schema allows. @throws InvalidArgumentError */
const numberOf =
  (schema: z.ZodNumber) =>
  (text: string): number => {
    const { success, data } = schema.safeParse(Number(text));
    if (success) return data;
    const kind = schema.isInt ? 'a whole number' : 'a number';
    throw new InvalidArgumentError(`It must be ${kind} from ${schema.minValue} to ${schema.maxValue}.`);
  };

/** Adds the options for the limits that replace those of a plan. */
export const addLimitOptions = (command: CliCommand): CliCommand =>
  command
    .option('--requests-per-minute <n>', 'replaces the value of the plan', numberOf(ownLimitValues.requestsPerMinute))
    .option('--requests-per-month <n>', 'replaces the value of the plan', numberOf(ownLimitValues.requestsPerMonth))
    .option('--max-pdf-mb <n>', 'replaces the value of the plan', numberOf(ownLimitValues.maxPdfMb));

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

/** A comma-separated list of permissions, without duplicates. @throws InvalidArgumentError */
export const permissionList = (text: string): Permission[] => {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = names.filter((name) => !(permissions as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new InvalidArgumentError(
      `Unknown: ${unknown.join(', ') || '(nothing)'}. Allowed: ${permissions.join(', ')}.`,
    );
  return names as Permission[];
};

/** The values of an option that can be repeated. */
export const collect = (text: string, earlier: readonly string[]): string[] => [...earlier, text];

/** Converts an ISO 8601 date or time to UTC. @throws InvalidArgumentError */
export const isoTimestamp = (text: string): string => {
  const { error } = instant.safeParse(text);
  if (error) throw new InvalidArgumentError(`It ${error.issues[0]!.message}.`);
  return new Date(text).toISOString();
};

/** Converts an ISO 8601 date or time after the present to UTC. @throws InvalidArgumentError */
export const futureTimestamp = (text: string): string => {
  const time = isoTimestamp(text);
  if (Date.parse(time) <= Date.now())
    throw new InvalidArgumentError(`It must be in the future; now it is ${new Date().toISOString().slice(0, 19)}Z.`);
  return time;
};

/** `YYYY-MM`. @throws InvalidArgumentError */
export const month = (text: string): string => {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError('It must be a month in the form YYYY-MM, such as 2030-01.');
  return text;
};

export const wantsJson = (command: Command): boolean => command.optsWithGlobals().json === true;

/** An account by its `acc_<id>` or its name. @throws UsageError if there is none, or several have the name */
export const requireAccount = async (reads: ReadStore, idOrName: string): Promise<AccountDocument> => {
  const byId = await findAccount(reads, idOrName);
  const [found, ...others] = byId ? [byId] : await findAccountsByName(reads, idOrName);
  if (!found) throw new UsageError(`There is no account ${idOrName}. "colophon account list" shows all.`);
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => accountIdOf(id)).join(', ');
    throw new UsageError(`Several accounts have the name ${idOrName}: ${ids}. Use the id.`);
  }
  return found;
};

/** The named account; without a name, the only account of the installation. @throws UsageError */
export const requireAccountOrOnly = async (
  reads: ReadStore,
  idOrName: string | undefined,
): Promise<AccountDocument> => {
  if (idOrName !== undefined) return requireAccount(reads, idOrName);
  const accounts = await listAccounts(reads);
  if (accounts.length === 1) return accounts[0]!;
  throw new UsageError(
    accounts.length === 0
      ? 'There is no account yet. "colophon account create" creates one.'
      : 'There are several accounts. Name one with --account; "colophon account list" shows all.',
  );
};

/** A key by its `key_<id>`. @throws UsageError */
export const requireKey = async (reads: ReadStore, prefixedId: string): Promise<ApiKeyDocument> => {
  const document = await findKey(reads, prefixedId);
  if (!document)
    throw new UsageError(`There is no key ${prefixedId}. "colophon key list --account ID" shows an account's keys.`);
  return document;
};
