import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = fileURLToPath(new URL('../../../bin/colophon', import.meta.url));

export type EnvironmentVariables = Record<string, string>;
export type ProcessResult = { code: number | null; stdout: string; stderr: string };

// Variables of the test runner, such as BASE_URL, must not become settings.
const inheritedVariables = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'LD_LIBRARY_PATH',
  'LIBREOFFICE_FOLDER',
  'PUPPETEER_EXECUTABLE_PATH',
];

/** The environment of a process that is started by a test: `env` and little of this process's own. */
export const childEnvironment = (env: EnvironmentVariables): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    inheritedVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ),
  LOG_FORMAT: 'json',
  NODE_NO_WARNINGS: '1',
  ...env,
});

/** Starts `colophon` as a process; `output` is what it has written so far, logs included. */
export const startColophon = (args: readonly string[], env: EnvironmentVariables) => {
  const child = spawn(program, args, { cwd: root, env: childEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const exited = once(child, 'close').then(([code]): ProcessResult => ({ code: code as number | null, ...output }));
  return { child, output, exited };
};

/** Runs a command of `colophon` to its end. */
export const runColophon = (args: readonly string[], env: EnvironmentVariables): Promise<ProcessResult> =>
  startColophon(args, env).exited;
