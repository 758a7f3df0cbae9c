import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = fileURLToPath(new URL('../../bin/colophon', import.meta.url));

export type Environment = Record<string, string>;
export type Ended = { code: number | null; stdout: string; stderr: string };

// The test runner has variables of its own, BASE_URL among them, which would be taken for settings.
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'FONTCONFIG_FILE', 'FONTCONFIG_PATH', 'LD_LIBRARY_PATH', 'PUPPETEER_EXECUTABLE_PATH'];

const settled = (env: Environment): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
  LOG_FORMAT: 'json', NODE_NO_WARNINGS: '1', ...env,
});

/** Starts `colophon` with these arguments as a process of its own; `said` is what it has written so far, logs included. */
export const startColophon = (args: readonly string[], env: Environment) => {
  const child = spawn(program, args, { cwd: root, env: settled(env), stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (said.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said.stderr += text.toString()));
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...said }));
  return { child, said, ended };
};

/** Runs a command of `colophon` to its end. */
export const runColophon = (args: readonly string[], env: Environment): Promise<Ended> => startColophon(args, env).ended;
