import { accessSync, constants } from 'node:fs';
import { z } from 'zod';
import { ulidPattern } from '#contracts/names.ts';
import { parseAllowList } from '#libs/egress/allow-list.ts';
import { readCertificates } from '#libs/egress/trust-store.ts';
import { isExecutable } from './find-browser.mjs';

/** Parses the text of a variable. `allowedValues` completes the sentence "allowed is ...". */
export type SettingType<T> = { allowedValues: string; schema: z.ZodType<T, string | undefined> };

/** Zod does not know that a variable is a text or absent, so the input of `schema` is any type. */
const settingType = <T>(allowedValues: string, schema: z.ZodType<T>): SettingType<T> => ({
  allowedValues,
  schema: schema as z.ZodType<T, string | undefined>,
});

/** The entries of a comma-separated list. */
const list = z.string().transform((entries) =>
  entries
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

export const text = (allowedValues: string, pattern = /./): SettingType<string> =>
  settingType(allowedValues, z.string().regex(pattern));

export const optional = <T>({ allowedValues, schema }: SettingType<T>): SettingType<T | undefined> =>
  settingType(allowedValues, schema.optional());

export const integer = (min: number, max: number): SettingType<number> =>
  settingType(
    `a whole number from ${min} to ${max}`,
    z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max)),
  );

export const fraction: SettingType<number> = settingType(
  'a number from 0 to 1',
  z
    .string()
    .regex(/^\d*\.?\d+$/)
    .transform(Number)
    .pipe(z.number().min(0).max(1)),
);

export const oneOf = <const V extends readonly [string, ...string[]]>(...values: V): SettingType<V[number]> =>
  settingType(`one of ${values.join(', ')}`, z.enum(values));

export const trueOrFalse: SettingType<boolean> = settingType(
  'true or false',
  z.enum(['true', 'false']).transform((value) => value === 'true'),
);

/** Each scheme is the beginning of an allowed URL, such as `https://`. */
export const url = (...schemes: readonly string[]): SettingType<string> => {
  const hasScheme = (value: string) =>
    schemes.some((scheme) => value.startsWith(scheme) && (!scheme.endsWith('//') || URL.canParse(value)));
  return settingType(`a URL that begins with ${schemes.join(' or ')}`, z.string().refine(hasScheme));
};

/** The URL that the paths of the service follow, without a slash at its end. */
export const publicUrl: SettingType<string> = settingType(
  'a URL that begins with http:// or https://, without user name, query and fragment',
  z
    .string()
    .refine((value) => {
      const { protocol, username, password, search, hash } = URL.parse(value) ?? {};
      return /^https?:$/.test(protocol ?? '') && [username, password, search, hash].every((part) => part === '');
    })
    .transform((value) => value.replace(/\/+$/, '')),
);

/** Four numbers are always an IPv4 address, so that a wrong one, such as 10.0.0.256, is no host name. */
const isHost = (value: string): boolean =>
  (/^[\w.-]+$/.test(value) && URL.canParse(`http://${value}`)) ||
  (/^[\da-f:.]+$/i.test(value) && URL.canParse(`http://[${value}]`));

export const hostName: SettingType<string> = settingType(
  'an address or host name of this machine',
  z.string().refine(isHost),
);

/** The address of an engine. Only the scheme is checked here: the rest need not be a URL (several hosts), and the engine checks it. */
export const engineUrl = (...schemes: readonly string[]): SettingType<string> =>
  settingType(
    `an address that begins with ${schemes.join(' or ')}`,
    z
      .string()
      .refine((value) =>
        schemes.some((scheme) => value.startsWith(scheme) && (!scheme.endsWith('//') || value.length > scheme.length)),
      ),
  );

/** Whether this user can read the file. */
export const isReadable = (file: string): boolean => {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

export const readableFile: SettingType<string> = settingType(
  'a file that this user can read',
  z.string().refine(isReadable),
);

const holdsCertificates = (file: string): boolean => {
  try {
    return readCertificates(file).length > 0;
  } catch {
    return false;
  }
};

export const certificateFile: SettingType<string> = settingType(
  'a file of certificates in PEM that this user can read',
  z.string().refine(holdsCertificates),
);

export const executableFile: SettingType<string> = settingType(
  'a file that this user can execute',
  z.string().refine(isExecutable),
);

const isAllowList = (entries: string[]): boolean => {
  try {
    parseAllowList(entries);
    return true;
  } catch {
    return false;
  }
};

export const egressAllowList: SettingType<string[]> = settingType(
  'a comma-separated list of host, host:port, *.suffix, *.suffix:port or address ranges such as 10.0.0.0/8',
  list.refine(isAllowList),
);

/** `group=acc_<id>:role` or `group=operator`. */
export type GroupRoleSetting = { group: string; accountId: string | null; role: string };
const groupRole = new RegExp(`^([^=,]+)=(?:(acc_${ulidPattern}):(owner|developer|viewer)|(operator))$`);

export const groupRoleList: SettingType<GroupRoleSetting[]> = settingType(
  'a comma-separated list of group=acc_<id>:role with the roles owner, developer, viewer, or group=operator',
  list
    .refine((entries) => entries.every((entry) => groupRole.test(entry)))
    .transform((entries) =>
      entries.map((entry): GroupRoleSetting => {
        const [, group, accountId = null, role] = groupRole.exec(entry)!;
        return { group: group!.trim(), accountId, role: role ?? 'operator' };
      }),
    ),
);

const secretPattern = /^(?!base64:).{32,}$|^base64:[A-Za-z0-9+/]{43,}={0,2}$/;

export const secretText: SettingType<string> = text(
  'at least 32 characters, or base64: and the content of a secret.key',
  secretPattern,
);

export const secretList: SettingType<string[]> = settingType(
  'a comma-separated list of values that COLOPHON_SECRET allows; a secret with a comma must be base64: and its base64',
  list.refine((entries) => entries.every((entry) => secretPattern.test(entry))),
);
