import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings, type Settings } from '#libs/config/settings.ts';
import { type ProcessResult, type EnvironmentVariables, runColophon, startColophon } from './colophon-process.ts';
import { waitUntil } from '../wait-until.ts';
import { openTestEnvironment, type TestEnvironment } from '../environment.ts';

export type RunningService = {
  url: string;
  pid: number;
  /** What the process has written so far: its greeting and its log. */
  output(): string;
  /** Sends the signal. */
  sendSignal(signal: 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Sends the signal and waits for the end. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<ProcessResult>;
};

/** A data folder and engines, and the command line over it. */
export type CommandLine = {
  dataDir: string;
  /** What the services and commands read from their environment. */
  settings: Settings;
  /** Runs a command and reads its `--json` output. Throws where it does not end with 0. */
  runJsonCommand<T>(...args: string[]): Promise<T>;
  /** Runs a command as a person would, whatever its end. */
  runCommand(...args: string[]): Promise<ProcessResult>;
};

/** An installation of the test's own, with the services started on it one after the other. */
export type TestInstallation = CommandLine & {
  /** The environment variables of its processes. */
  env: EnvironmentVariables;
  /** Starts all of the service, or a process with these roles alone. */
  start(...roles: string[]): Promise<RunningService>;
  /** As `start`, without waiting until it is ready. */
  startWithoutWaiting(...roles: string[]): Promise<RunningService>;
  /** Ends what still runs, and removes the folder. */
  remove(): Promise<void>;
};

const readyPattern = /Colophon (?:is ready|\([a-z, ]+\) serves its health) at (http:\/\/[\d.]+:\d+)/;
const listeningPattern = /(?:serves its health|Server listening) at (http:\/\/[\d.]+:\d+)/;

/** The command line over the installation that these environment variables name. */
export const commandLineOf = (env: EnvironmentVariables): CommandLine => {
  const settings = loadSettings(env);
  const runCommand = (...args: string[]): Promise<ProcessResult> => runColophon(args, env);
  return {
    dataDir: settings.dataDir,
    settings,
    runCommand,
    runJsonCommand: async <T>(...args: string[]): Promise<T> => {
      const { code, stdout, stderr } = await runCommand('--json', ...args);
      if (code !== 0) throw new Error(`colophon ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
      return JSON.parse(stdout) as T;
    },
  };
};

/** In the world of this run of the tests, unless another is given, which then belongs to the caller. */
export const openTestInstallation = async (
  settings: EnvironmentVariables = {},
  world?: TestEnvironment,
): Promise<TestInstallation> => {
  const { settings: ofWorld, close } = world ?? (await openTestEnvironment());
  const dataDir = await mkdtemp(join(tmpdir(), 'colophon-e2e-'));
  const env = { PORT: '0', COLOPHON_DATA_DIR: dataDir, ...ofWorld, ...settings };
  const running = new Set<() => Promise<ProcessResult>>();

  const startUntil = async (says: RegExp, roles: readonly string[]): Promise<RunningService> => {
    const { child, output: said, exited: ended } = startColophon(['start', ...roles], env);
    const kill = (): Promise<ProcessResult> => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      return ended;
    };
    running.add(kill);
    let over: ProcessResult | undefined;
    void ended.then((end) => (over = end));
    const url = await waitUntil('the service greets', () => {
      if (over) throw new Error(`the service ended with ${over.code}: ${over.stdout}${over.stderr}`);
      return says.exec(said.stdout)?.[1];
    });
    return {
      url,
      pid: child.pid!,
      sendSignal: (signal) => void child.kill(signal),
      output: () => said.stdout + said.stderr,
      stop: async (signal) => {
        child.kill(signal);
        const end = await ended;
        running.delete(kill);
        return end;
      },
    };
  };

  const start = async (...roles: string[]): Promise<RunningService> => {
    const service = await startUntil(readyPattern, roles);
    await waitUntil('the service is ready', async () => (await fetch(`${service.url}/health/ready`)).status === 200);
    return service;
  };
  const startUnready = (...roles: string[]): Promise<RunningService> => startUntil(listeningPattern, roles);

  return {
    ...commandLineOf(env),
    env,
    start,
    startWithoutWaiting: startUnready,
    remove: async () => {
      await Promise.all([...running].map((kill) => kill()));
      if (!world) await close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
