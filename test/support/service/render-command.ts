import { Command } from 'commander';
import { vi } from 'vitest';
import { addRenderCommand } from '../../../services/cli/render-command.ts';
import { UsageError } from '../../../services/process/command-context.ts';
import type { ProcessResult } from './colophon-process.ts';

/**
 * Runs `colophon render` in this process with a service that is running, because each start of a service takes seconds.
 * `args` begin before `render`.
 */
export const runRenderCommand = async (
  service: { url: string; key: string },
  args: readonly string[],
): Promise<ProcessResult> => {
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      output[stream] += String(text);
      return true;
    }),
  );
  const listeners = process.stdout.listeners('error');
  const program = new Command('colophon').option('--json').exitOverride();
  const ended = new Promise<void>(() => {});
  addRenderCommand(program, async () => ({ ...service, ended, close: () => Promise.resolve() }));
  try {
    await program.parseAsync(args, { from: 'user' });
    return { code: 0, ...output };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { code: 2, ...output, stderr: output.stderr + error.message };
  } finally {
    for (const spy of spies) spy.mockRestore();
    // The command listens until its process ends.
    for (const listener of process.stdout.listeners('error'))
      if (!listeners.includes(listener)) process.stdout.removeListener('error', listener as () => void);
  }
};
