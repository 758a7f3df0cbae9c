import PQueue from 'p-queue';
import { childEnvironment, type EnvironmentVariables, type ProcessResult } from './colophon-process.ts';

/** Environment, umask and output belong to the whole process, so commands run one at a time. */
const queue = new PQueue({ concurrency: 1 });

/** Runs the work of a command in this process, with the umask of a command. */
export const runAsCommand = <T>(work: () => Promise<T>): Promise<T> =>
  queue.add(async () => {
    const umask = process.umask(0o077);
    try {
      return await work();
    } finally {
      process.umask(umask);
    }
  });

/** Runs work in this process, and returns what it writes to standard output and standard error meanwhile. */
export const captureOutput = async (work: () => Promise<unknown>): Promise<{ stdout: string; stderr: string }> => {
  const output = { stdout: '', stderr: '' };
  const listeners = process.stdout.listeners('error');
  const restore = (['stdout', 'stderr'] as const).map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (text: string | Uint8Array) => {
      output[name] += Buffer.from(text as string).toString();
      return true;
    };
    return () => (stream.write = write);
  });
  try {
    await work();
    return output;
  } finally {
    for (const restoreWrite of restore) restoreWrite();
    // A command listens until its process ends.
    for (const listener of process.stdout.listeners('error'))
      if (!listeners.includes(listener)) process.stdout.removeListener('error', listener as () => void);
  }
};

const chosenExitCode = (): number => Number(process.exitCode ?? 0);

/**
 * Runs a command of `colophon` to its end in this process, because the start of a process takes much longer than most
 * commands. Not for `start` and `render`, which stop with their process.
 */
export const runColophonHere = (args: readonly string[], env: EnvironmentVariables): Promise<ProcessResult> =>
  runAsCommand(async () => {
    const { runCommandLine } = await import('../../../services/cli/program.ts');
    const { env: own, exitCode } = process;
    process.env = childEnvironment(env);
    process.exitCode = undefined;
    try {
      const output = await captureOutput(() => runCommandLine(args));
      return { code: chosenExitCode(), ...output };
    } finally {
      process.env = own;
      process.exitCode = exitCode;
    }
  });
