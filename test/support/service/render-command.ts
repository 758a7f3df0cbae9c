import { CliCommand } from '../../../services/cli/cli-command.ts';
import { addRenderCommand } from '../../../services/cli/render-command.ts';
import type { TemporaryService } from '../../../services/process/temporary-service.ts';
import { UsageError } from '../../../services/process/command-context.ts';
import type { ProcessResult } from './colophon-process.ts';
import { captureOutput } from './in-process-command.ts';

/**
 * Runs `colophon render` in this process with a service that is running, because each start of a service takes seconds.
 * `args` begin before `render`.
 */
export const runRenderCommand = async (
  service: Pick<TemporaryService, 'url' | 'key'> & Partial<TemporaryService>,
  args: readonly string[],
): Promise<ProcessResult> => {
  const program = new CliCommand('colophon').option('--json').exitOverride();
  const endless = { stopping: new AbortController().signal, ended: new Promise<void>(() => {}) };
  addRenderCommand(program, async () => ({ ...endless, close: () => Promise.resolve(), ...service }));
  let code = 0;
  const output = await captureOutput(async () => {
    try {
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      code = 2;
      process.stderr.write(error.message);
    }
  });
  return { code, ...output };
};
