import { Command } from 'commander';

/** A command whose help ends with examples. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Adds command lines, without the program, to the end of the help. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ colophon ${line}`).join('\n')}`);
  }
}
