import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { escapeMarkup } from '#libs/markup/escape.ts';
import { fontSubstitutes } from './substitutes.ts';

const run = promisify(execFile);
const listTimeoutMs = 20_000;

/** The families of the installed fonts, or none if fontconfig's tools are missing. */
const readInstalledFamilies = async (): Promise<string[]> => {
  const options = { timeout: listTimeoutMs, maxBuffer: 64 * 2 ** 20 };
  const { stdout } = await run('fc-list', ['--format', '%{family}\n'], options).catch(() => ({ stdout: '' }));
  return [...new Set(stdout.split(/[\n,]/).filter(Boolean))];
};

const string = (text: string): string => `<string>${escapeMarkup(text)}</string>`;

const rule = ({ family, substitute }: { family: string; substitute: string }): string =>
  `<match target="pattern"><test qual="first" name="family">${string(family)}</test>` +
  `<edit name="family" mode="assign" binding="same">${string(substitute)}</edit></match>`;

/**
 * A fontconfig file with the substitutes of the missing families, before the configuration of the machine. Each rule
 * replaces a family, because the browser takes a font only if it is the first choice after all rules.
 */
const configurationFile = (installed: readonly string[]): string =>
  [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    '<fontconfig>',
    ...fontSubstitutes(installed).map(rule),
    `<include ignore_missing="yes">${escapeMarkup(process.env['FONTCONFIG_FILE'] ?? '/etc/fonts/fonts.conf')}</include>`,
    '</fontconfig>',
    '',
  ].join('\n');

let configuration: Promise<string> | undefined;

/** The fontconfig file for browsers. The installed fonts are listed once per process. */
export const fontConfiguration = (): Promise<string> =>
  (configuration ??= readInstalledFamilies().then(configurationFile));
