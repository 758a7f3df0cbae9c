import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings, type Settings } from '#libs/config/settings.ts';
import type { Engines } from '#libs/engines/engine-factory.ts';
import { type ProcessResult, type EnvironmentVariables, runColophon, startColophon } from './colophon-process.ts';
import { runColophonHere } from './in-process-command.ts';
import { waitUntil } from '../wait-until.ts';
import { openTestEnvironment, type TestEnvironment } from '../environment.ts';

export type RunningService = {
  url: string;
  pid: number;
  /** The output of the process so far, with its log. */
  output(): string;
  /** Sends the signal. */
  sendSignal(signal: 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Sends the signal and waits for the exit. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<ProcessResult>;
};

/** A data folder and engines, and the command line over it. */
export type CommandLine = {
  dataDir: string;
  /** What the services and commands read from their environment. */
  settings: Settings;
  /** Engines that stay open, for tests that open many accounts: to open them takes longer than to append. */
  engines?: Engines;
  /** Runs a command in this process and parses its `--json` output. Throws if the exit code is not 0. */
  runJsonCommand<T>(...args: string[]): Promise<T>;
  /** Runs a command in this process and returns its output and exit code. */
  runCommand(...args: string[]): Promise<ProcessResult>;
  /** The same in a process of its own. */
  runProcess(...args: string[]): Promise<ProcessResult>;
};

/** An installation for one test, on which services are started. */
export type TestInstallation = CommandLine & {
  /** The environment variables of its processes. */
  env: EnvironmentVariables;
  /** Starts the service with all roles, or with these. */
  start(...roles: string[]): Promise<RunningService>;
  /** Like `start`, without waiting until it is ready. */
  startWithoutWaiting(...roles: string[]): Promise<RunningService>;
  /** Kills all running processes and removes the folder. */
  remove(): Promise<void>;
};

const readyPattern = /Colophon (?:is ready|\([a-z, ]+\) serves its health) at (http:\/\/[\w.]+:\d+)/;
const listeningPattern = /(?:serves its health|Server listening) at (http:\/\/[\w.]+:\d+)/;

/** The command line over the installation that these environment variables name. */
export const commandLineOf = (env: EnvironmentVariables): CommandLine => {
  const settings = loadSettings(env);
  const runCommand = (...args: string[]): Promise<ProcessResult> => runColophonHere(args, env);
  return {
    dataDir: settings.dataDir,
    settings,
    runCommand,
    runProcess: (...args) => runColophon(args, env),
    runJsonCommand: async <T>(...args: string[]): Promise<T> => {
      const { code, stdout, stderr } = await runCommand('--json', ...args);
      if (code !== 0) throw new Error(`colophon ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
      return JSON.parse(stdout) as T;
    },
  };
};

/** Opens an installation in the test environment of this run, or in the given one, and closes that with the installation. */
export const openTestInstallation = async (
  settings: EnvironmentVariables = {},
  environment?: TestEnvironment,
): Promise<TestInstallation> => {
  const { settings: environmentSettings, close } = environment ?? (await openTestEnvironment());
  const dataDir = await mkdtemp(join(tmpdir(), 'colophon-e2e-'));
  const env = { PORT: '0', COLOPHON_DATA_DIR: dataDir, ...environmentSettings, ...settings };
  const running = new Set<() => Promise<ProcessResult>>();

  const startUntil = async (pattern: RegExp, roles: readonly string[]): Promise<RunningService> => {
    const { child, output, exited } = startColophon(['start', ...roles], env);
    const kill = (): Promise<ProcessResult> => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      return exited;
    };
    running.add(kill);
    let ended: ProcessResult | undefined;
    void exited.then((result) => (ended = result));
    const url = await waitUntil('the service prints its address', () => {
      if (ended) throw new Error(`the service ended with ${ended.code}: ${ended.stdout}${ended.stderr}`);
      return pattern.exec(output.stdout)?.[1];
    });
    return {
      url,
      pid: child.pid!,
      sendSignal: (signal) => void child.kill(signal),
      output: () => output.stdout + output.stderr,
      stop: async (signal) => {
        child.kill(signal);
        const result = await exited;
        running.delete(kill);
        return result;
      },
    };
  };

  const start = async (...roles: string[]): Promise<RunningService> => {
    const service = await startUntil(readyPattern, roles);
    await waitUntil('the service is ready', async () => (await fetch(`${service.url}/health/ready`)).status === 200);
    return service;
  };
  const startWithoutWaiting = (...roles: string[]): Promise<RunningService> => startUntil(listeningPattern, roles);

  return {
    ...commandLineOf(env),
    env,
    start,
    startWithoutWaiting,
    remove: async () => {
      await Promise.all([...running].map((kill) => kill()));
      await close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
