import { Argument, CommanderError } from 'commander';
import { CliCommand } from './cli-command.ts';
import { writeStandardOutput } from './output.ts';
import { startupOutput } from './startup-output.ts';
import { UsageError } from '../process/command-context.ts';
import { packageVersion } from '../process/package-version.ts';
import { addAccountCommands } from './account-commands.ts';
import { addCheckCommand, addConfigCommand } from './check-command.ts';
import { addDashboardCommand } from './dashboard-command.ts';
import { addInstallationCommands } from './installation-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addRenderCommand } from './render-command.ts';
import { addRendersCommand } from './renders-command.ts';
import { addTemplateCommands } from './template-commands.ts';
import { addEventLogCommands } from './event-log-commands.ts';
import { type ProcessRole, processRoles } from '../process/running-role.ts';
import { userErrorMessage } from '../process/user-errors.ts';

const createProgram = (): CliCommand => {
  const program = new CliCommand('colophon')
    .description('Renders documents to PDF, and records how each one was made.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .option('--json', 'print the result as one JSON value')
    .showHelpAfterError('Add "--help" to the command for more information.')
    // Before any command is added, because a command copies these from the program when it is created.
    .configureOutput({ writeOut: writeStandardOutput })
    .exitOverride();
  program
    .command('start')
    .description('run the service: all roles, or only the named ones; any number of processes can have the same role')
    .addArgument(new Argument('[role...]', 'the roles of this process').choices(processRoles))
    .addHelpText('after', '\nSettings are environment variables; "colophon config" shows all of them.')
    .examples('start', 'start renderer', 'start relay projector')
    .action(async (chosenRoles: ProcessRole[]) =>
      (await import('../process/start.ts')).start(chosenRoles, startupOutput),
    );
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
  return program;
};

/** Runs a command; `args` without the program. Prints what is wrong with it, and sets the exit code of the process. */
export const runCommandLine = async (args: readonly string[]): Promise<void> => {
  // Commander's own "help" takes one name: "help template push" becomes "template push --help".
  const [first, ...named] = args;
  const helpArguments = first === 'help' && named.length > 1 ? [...named, '--help'] : null;

  try {
    await createProgram().parseAsync(helpArguments ?? [...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      const message = userErrorMessage(error) ?? String(error instanceof Error ? error.stack : error);
      process.stderr.write(`${message}\n`);
      process.exitCode = error instanceof UsageError ? 2 : 1;
    }
  }
};
