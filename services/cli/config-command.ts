import type { Command } from 'commander';
import { describeSettings } from '#libs/config/settings.ts';
import { print } from './output.ts';

/** `colophon config` */
export const addConfigCommand = (program: Command): void => {
  program
    .command('config')
    .description('every setting: its value now, where it comes from, and what it is for')
    .action((_: unknown, command: Command) => {
      const lines = describeSettings(process.env);
      const text = lines.map(({ variable, value, from, allowed, about }) => `${variable}=${value ?? ''}  (${from})\n  ${about} Allowed: ${allowed}.`).join('\n');
      print(command.optsWithGlobals().json === true, lines, text);
    });
};
