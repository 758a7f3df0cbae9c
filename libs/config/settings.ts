import { findCombinationProblems } from './engine-combinations.ts';
import { type Environment, type Setting, settingTable } from './setting-table.ts';

const maskText = '***';

const maskCredentials = (url: string): string =>
  url
    .replace(/(:\/\/)[^/?#]*@/, `$1${maskText}@`)
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&]*/gi, `$1${maskText}`);

/** Hides a secret, and the credentials in an address. */
const mask = (value: string, isSecret: boolean): string =>
  isSecret && value !== '' ? maskText : maskCredentials(value);

type SettingTable = typeof settingTable;
type SettingName = keyof SettingTable;

/** All settings, with defaults. Engine addresses are text, lists are arrays, sizes are in the unit of their name. */
export type Settings = { readonly [N in SettingName]: SettingTable[N] extends Setting<infer T> ? T : never };

/** Environment variables are wrong. The message has one line for each, with its value and what is allowed. */
export class SettingsError extends Error {}

type RawSetting = { name: SettingName; setting: Setting<unknown>; raw: string | undefined; isSet: boolean };

const settingNames = Object.keys(settingTable) as SettingName[];

const readRawSettings = (env: Environment): RawSetting[] =>
  settingNames.map((name) => {
    const setting: Setting<unknown> = settingTable[name];
    const value = env[setting.variable];
    // Compose files and shells pass a variable that is not set as an empty one.
    if (value !== undefined && value !== '') return { name, setting, raw: value, isSet: true };
    return {
      name,
      setting,
      raw: typeof setting.defaultValue === 'function' ? setting.defaultValue(env) : setting.defaultValue,
      isSet: false,
    };
  });

const invalidSettingMessage = ({ setting, raw }: RawSetting): string =>
  `${setting.variable} is ${raw === undefined ? 'missing' : JSON.stringify(mask(raw, setting.isSecret))}; ` +
  `allowed is ${setting.type.allowedValues}.`;

/** Settings that are set together or not at all. */
const settingGroups = [
  { names: ['tlsCertFile', 'tlsKeyFile'], allowed: 'both or neither' },
  { names: ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'], allowed: 'all three or none' },
] as const;

const findIncompleteGroups = (rawSettings: readonly RawSetting[]): string[] =>
  settingGroups.flatMap(({ names, allowed }) => {
    const isSet = (name: SettingName): boolean => rawSettings.some((raw) => raw.name === name && raw.isSet);
    const variablesOf = (some: readonly SettingName[]): string =>
      some.map((name) => settingTable[name].variable).join(' and ');
    const present = names.filter(isSet);
    const absent = names.filter((name) => !isSet(name));
    if (present.length === 0 || absent.length === 0) return [];
    const verb = present.length === 1 ? 'is' : 'are';
    return [`${variablesOf(present)} ${verb} set without ${variablesOf(absent)}; allowed is ${allowed}.`];
  });

/** Processes that share an event log must share the secret for download links and signatures. */
const findMissingSecret = ({ secret, eventStoreUrl }: Settings): string[] => {
  if (secret !== undefined || eventStoreUrl.startsWith('sqlite:')) return [];
  return [
    `${settingTable.secret.variable} is missing, but ${settingTable.eventStoreUrl.variable} names a server, and all its ` +
      `processes need the same secret; allowed is ${settingTable.secret.type.allowedValues}.`,
  ];
};

/** Reads all settings from the environment. @throws SettingsError with all wrong settings */
export const loadSettings = (env: Environment): Settings => {
  const rawSettings = readRawSettings(env);
  const parsed = rawSettings.map((rawSetting) => ({
    rawSetting,
    result: rawSetting.setting.type.schema.safeParse(rawSetting.raw),
  }));
  const failed = parsed.filter(({ result }) => !result.success).map(({ rawSetting }) => rawSetting);
  // A default that is derived from a wrong variable is not a second error.
  const invalid = failed.some(({ isSet }) => isSet) ? failed.filter(({ isSet }) => isSet) : failed;
  const settings = Object.fromEntries(
    parsed.map(({ rawSetting, result }) => [rawSetting.name, result.data]),
  ) as Settings;
  const problems = [
    ...invalid.map(invalidSettingMessage),
    ...findIncompleteGroups(rawSettings),
    ...(invalid.length > 0 ? [] : [...findCombinationProblems(settings), ...findMissingSecret(settings)]),
  ];
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return settings;
};

export type SettingDescription = {
  variable: string;
  value: string | null;
  source: 'environment' | 'default';
  allowedValues: string;
  description: string;
};

/** What `colophon config` shows: every variable with its current value, also a wrong one. Secrets are masked; null: no value. */
export const describeSettings = (env: Environment): SettingDescription[] =>
  readRawSettings(env).map(({ setting, raw, isSet }) => ({
    variable: setting.variable,
    value: raw === undefined ? null : mask(raw, setting.isSecret),
    source: isSet ? 'environment' : 'default',
    allowedValues: setting.type.allowedValues,
    description: setting.description,
  }));
