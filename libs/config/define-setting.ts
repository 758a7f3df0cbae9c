import type { SettingType } from './setting-types.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
type DefaultValue = string | undefined | ((env: Environment) => string | undefined);

export type Setting<T> = {
  variable: string;
  type: SettingType<T>;
  defaultValue: DefaultValue;
  description: string;
  isSecret: boolean;
};

/** A setting by its variable, type, default (as text of the variable) and description. */
export const defineSetting = <T>(
  variable: string,
  type: SettingType<T>,
  defaultValue: DefaultValue,
  description: string,
): Setting<T> => ({ variable, type, defaultValue, description, isSecret: false });
/** The same for a secret, which is never shown. */
export const defineSecretSetting = <T>(...args: Parameters<typeof defineSetting<T>>): Setting<T> => ({
  ...defineSetting(...args),
  isSecret: true,
});
