#!/usr/bin/env node
import { Argument, Command, CommanderError } from 'commander';
import { startupOutput } from './cli/startup-output.ts';
import { UsageError } from './process/command-context.ts';
import { packageVersion } from './process/package-version.ts';
import { addAccountCommands } from './cli/account-commands.ts';
import { examples } from './cli/arguments.ts';
import { addCheckCommand, addConfigCommand } from './cli/check-command.ts';
import { addDashboardCommand } from './cli/dashboard-command.ts';
import { addInstallationCommands } from './cli/installation-commands.ts';
import { addKeyCommands } from './cli/key-commands.ts';
import { addOperatorCommands } from './cli/operator-commands.ts';
import { addRenderCommand } from './cli/render-command.ts';
import { addRendersCommand } from './cli/renders-command.ts';
import { addTemplateCommands } from './cli/template-commands.ts';
import { addEventLogCommands } from './cli/event-log-commands.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { DiskWriteError } from '#libs/disk/disk-monitor.ts';
import { DamagedFileError } from '#libs/engines/damaged-files.ts';
import { AddressError } from '#libs/engines/remote.ts';
import { type Role, roles } from './process/running-role.ts';

// Files that this process and its children create are for this user only.
process.umask(0o077);

const program = new Command('colophon')
  .description('Renders documents to PDF, and records how each one was made.')
  .version(packageVersion(), '-V, --version', 'print the version')
  .option('--json', 'print the result as one JSON value')
  .showHelpAfterError('Add "--help" to the command for more information.')
  // Before any command is added, because a command copies this from the program when it is created.
  .exitOverride();
program
  .command('start')
  .description('run the service: all roles, or only the named ones; any number of processes can have the same role')
  .addArgument(new Argument('[role...]', 'the roles of this process').choices(roles))
  .addHelpText(
    'after',
    '\nSettings are environment variables; "colophon config" shows all of them.\n' +
      examples('start', 'start renderer', 'start relay projector'),
  )
  .action(async (chosenRoles: Role[]) => (await import('./process/start.ts')).start(chosenRoles, startupOutput));
addRenderCommand(program);
addRendersCommand(program);
addAccountCommands(program);
addKeyCommands(program);
addTemplateCommands(program);
addDashboardCommand(program);
addOperatorCommands(program);
addEventLogCommands(program);
addInstallationCommands(program);
addCheckCommand(program);
addConfigCommand(program);

// Commander's own "help" takes one name: "help template push" becomes "template push --help".
const [first, ...named] = process.argv.slice(2);
const helpArguments = first === 'help' && named.length > 1 ? [...named, '--help'] : null;

try {
  await (helpArguments ? program.parseAsync(helpArguments, { from: 'user' }) : program.parseAsync());
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const isExpected = [UsageError, SettingsError, AddressError, DiskWriteError, DamagedFileError].some(
      (errorClass) => error instanceof errorClass,
    );
    const message = isExpected ? (error as Error).message : String(error instanceof Error ? error.stack : error);
    process.stderr.write(`${message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
// The command is done. A driver that still tries to connect would keep the process running,
// so exit explicitly, after all output is written.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
);
process.exit();
