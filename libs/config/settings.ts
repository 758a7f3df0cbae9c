import { findCombinationProblems } from './engine-combinations.ts';
import { type Environment, type Setting, settingTable } from './setting-table.ts';

const maskText = '***';

const maskCredentials = (url: string): string =>
  url
    .replace(/(:\/\/)[^/?#]*@/, `$1${maskText}@`)
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&]*/gi, `$1${maskText}`);

/** A value as it may be shown: of a secret nothing, of an address all but its credentials. */
const mask = (value: string, isSecret: boolean): string =>
  isSecret && value !== '' ? maskText : maskCredentials(value);

type SettingTable = typeof settingTable;
type SettingName = keyof SettingTable;

/** All settings, defaults filled in. Addresses of engines stay text; lists are split; sizes are in the unit that the name says. */
export type Settings = { readonly [N in SettingName]: SettingTable[N] extends Setting<infer T> ? T : never };

/** One or more variables of the environment are wrong; the message names each, what it was and what is allowed. */
export class SettingsError extends Error {}

type RawSetting = { name: SettingName; setting: Setting<unknown>; raw: string | undefined; isSet: boolean };

const settingNames = Object.keys(settingTable) as SettingName[];

const readRawSettings = (env: Environment): RawSetting[] =>
  settingNames.map((name) => {
    const setting: Setting<unknown> = settingTable[name];
    const given = env[setting.variable];
    // An empty variable is what a compose file or a shell makes of one that was not set.
    if (given !== undefined && given !== '') return { name, setting, raw: given, isSet: true };
    return {
      name,
      setting,
      raw: typeof setting.defaultValue === 'function' ? setting.defaultValue(env) : setting.defaultValue,
      isSet: false,
    };
  });

const invalidSettingMessage = ({ setting, raw }: RawSetting): string =>
  `${setting.variable} is ${raw === undefined ? 'missing' : JSON.stringify(mask(raw, setting.isSecret))}; allowed is ${setting.type.allowedValues}.`;

const settingPairs = [['tlsCertFile', 'tlsKeyFile']] as const;

const findIncompletePairs = (readings: readonly RawSetting[]): string[] =>
  settingPairs.flatMap(([one, other]) => {
    const [a, b] = [one, other].map((name) => readings.find((reading) => reading.name === name)?.isSet);
    if (a === b) return [];
    const [present, absent] = a ? [one, other] : [other, one];
    return [
      `${settingTable[present].variable} is set without ${settingTable[absent].variable}; allowed is both or neither.`,
    ];
  });

/** Where the log lies on a server, several processes share it; each would make download links and signatures from a secret of its own. */
const findMissingSecret = ({ secret, eventStoreUrl }: Settings): string[] => {
  if (secret !== undefined || eventStoreUrl.startsWith('sqlite:')) return [];
  return [
    `${settingTable.secret.variable} is missing, and ${settingTable.eventStoreUrl.variable} names a server, whose processes all need the same one; allowed is ${settingTable.secret.type.allowedValues}.`,
  ];
};

/** Reads every setting from the environment. Throws a SettingsError about all that are wrong at once. */
export const loadSettings = (env: Environment): Settings => {
  const readings = readRawSettings(env);
  const parsed = readings.map((reading) => ({ reading, result: reading.setting.type.schema.safeParse(reading.raw) }));
  const failed = parsed.filter(({ result }) => !result.success).map(({ reading }) => reading);
  // A default that is made from a wrong variable is not a second mistake.
  const mistakes = failed.some(({ isSet }) => isSet) ? failed.filter(({ isSet }) => isSet) : failed;
  const settings = Object.fromEntries(parsed.map(({ reading, result }) => [reading.name, result.data])) as Settings;
  const wrong = [
    ...mistakes.map(invalidSettingMessage),
    ...findIncompletePairs(readings),
    ...(mistakes.length > 0 ? [] : [...findCombinationProblems(settings), ...findMissingSecret(settings)]),
  ];
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  return settings;
};

export type SettingDescription = {
  variable: string;
  value: string | null;
  source: 'environment' | 'default';
  allowedValues: string;
  description: string;
};

/** What `colophon config` shows: every variable with its present value (secrets masked, null where there is none), wrong ones included. */
export const describeSettings = (env: Environment): SettingDescription[] =>
  readRawSettings(env).map(({ setting, raw, isSet }) => ({
    variable: setting.variable,
    value: raw === undefined ? null : mask(raw, setting.isSecret),
    source: isSet ? 'environment' : 'default',
    allowedValues: setting.type.allowedValues,
    description: setting.description,
  }));
