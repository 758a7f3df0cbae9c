import { wrongCombination } from './combinations.ts';
import { type Environment, type Setting, settingTable } from './table.ts';

const hidden = '***';

const withoutCredentials = (url: string): string => url.replace(/(:\/\/)[^/?#]*@/, `$1${hidden}@`).replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&]*/gi, `$1${hidden}`);

/** A value as it may be shown: of a secret nothing, of an address all but its credentials. */
const mask = (value: string, isSecret: boolean): string => (isSecret && value !== '' ? hidden : withoutCredentials(value));

type Table = typeof settingTable;
type Name = keyof Table;

/** All settings, defaults filled in. Addresses of engines stay text; lists are split; sizes are in the unit that the name says. */
export type Settings = { readonly [N in Name]: Table[N] extends Setting<infer T> ? T : never };

/** One or more variables of the environment are wrong; the message names each, what it was and what is allowed. */
export class SettingsError extends Error {}

type Reading = { name: Name; setting: Setting<unknown>; raw: string | undefined; given: boolean };

const names = Object.keys(settingTable) as Name[];

const read = (env: Environment): Reading[] =>
  names.map((name) => {
    const setting: Setting<unknown> = settingTable[name];
    const given = env[setting.variable];
    // An empty variable is what a compose file or a shell makes of one that was not set.
    if (given !== undefined && given !== '') return { name, setting, raw: given, given: true };
    return { name, setting, raw: typeof setting.initial === 'function' ? setting.initial(env) : setting.initial, given: false };
  });

const complaint = ({ setting, raw }: Reading): string => `${setting.variable} is ${raw === undefined ? 'missing' : JSON.stringify(mask(raw, setting.secret))}; allowed is ${setting.kind.allowed}.`;

const pairs = [['tlsCertFile', 'tlsKeyFile']] as const;

const halfPairs = (readings: readonly Reading[]): string[] =>
  pairs.flatMap(([one, other]) => {
    const [a, b] = [one, other].map((name) => readings.find((reading) => reading.name === name)?.given);
    if (a === b) return [];
    const [present, absent] = a ? [one, other] : [other, one];
    return [`${settingTable[present].variable} is set without ${settingTable[absent].variable}; allowed is both or neither.`];
  });

/** Where the log lies on a server, several processes share it; each would make download links and signatures from a secret of its own. */
const lackOfSecret = ({ secret, eventStoreUrl }: Settings): string[] => {
  if (secret !== undefined || eventStoreUrl.startsWith('sqlite:')) return [];
  return [`${settingTable.secret.variable} is missing, and ${settingTable.eventStoreUrl.variable} names a server, whose processes all need the same one; allowed is ${settingTable.secret.kind.allowed}.`];
};

/** Reads every setting from the environment. Throws a SettingsError about all that are wrong at once. */
export const loadSettings = (env: Environment): Settings => {
  const readings = read(env);
  const parsed = readings.map((reading) => ({ reading, result: reading.setting.kind.schema.safeParse(reading.raw) }));
  const failed = parsed.filter(({ result }) => !result.success).map(({ reading }) => reading);
  // A default that is made from a wrong variable is not a second mistake.
  const mistakes = failed.some(({ given }) => given) ? failed.filter(({ given }) => given) : failed;
  const settings = Object.fromEntries(parsed.map(({ reading, result }) => [reading.name, result.data])) as Settings;
  const wrong = [...mistakes.map(complaint), ...halfPairs(readings), ...(mistakes.length > 0 ? [] : [...wrongCombination(settings), ...lackOfSecret(settings)])];
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  return settings;
};

export type SettingLine = { variable: string; value: string | null; from: 'environment' | 'default'; allowed: string; about: string };

/** What `colophon config` shows: every variable with its present value (secrets masked, null where there is none), wrong ones included. */
export const describeSettings = (env: Environment): SettingLine[] =>
  read(env).map(({ setting, raw, given }) => ({
    variable: setting.variable,
    value: raw === undefined ? null : mask(raw, setting.secret),
    from: given ? 'environment' : 'default',
    allowed: setting.kind.allowed,
    about: setting.about,
  }));
