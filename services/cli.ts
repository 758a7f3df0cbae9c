#!/usr/bin/env node
import { Argument, Command, CommanderError } from 'commander';
import { startupOutput } from './cli/startup-output.ts';
import { UsageError } from './process/command-context.ts';
import { addAccountCommands } from './cli/account-commands.ts';
import { examples } from './cli/arguments.ts';
import { addCheckCommand, addConfigCommand } from './cli/check-command.ts';
import { addInstallationCommands } from './cli/installation-commands.ts';
import { addKeyCommands } from './cli/key-commands.ts';
import { addEventLogCommands } from './cli/event-log-commands.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { DiskWriteError } from '#libs/disk/disk-monitor.ts';
import { DamagedFileError } from '#libs/engines/damaged-files.ts';
import { AddressError } from '#libs/engines/remote.ts';
import { type Role, roles } from './process/running-role.ts';

// What this process and its children write is for this user alone.
process.umask(0o077);

const program = new Command('colophon')
  .description('Renders documents to PDF, and can tell how each came to be.')
  .option('--json', 'print the result as one JSON value')
  .showHelpAfterError('"--help" after the command says more.')
  // Before any command is added, since they take this over from the program when they are made.
  .exitOverride();
program
  .command('start')
  .description(
    'run the service: all of it, or only the roles that are named, of which there may be any number of processes',
  )
  .addArgument(new Argument('[role...]', 'what this process does').choices(roles))
  .addHelpText(
    'after',
    `\nSettings are variables of the environment; "colophon config" shows all of them.\n${examples('start', 'start renderer', 'start relay projector')}`,
  )
  .action(async (wanted: Role[]) => (await import('./process/start.ts')).start(wanted, startupOutput));
addAccountCommands(program);
addKeyCommands(program);
addEventLogCommands(program);
addInstallationCommands(program);
addCheckCommand(program);
addConfigCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const isForPeople = [UsageError, SettingsError, AddressError, DiskWriteError, DamagedFileError].some(
      (kind) => error instanceof kind,
    );
    const message = isForPeople ? (error as Error).message : String(error instanceof Error ? error.stack : error);
    process.stderr.write(`${message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
// All that was to be done is done. A driver that is in the middle of connecting to a server without a word would keep the process for ever;
// whoever reads the output slowly is to have all of it.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
);
process.exit();
