import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { connect, type Connection } from '../cdp/connection.ts';
import { BrowserGone } from '../cdp/errors.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import {
  childUser,
  documentNiceness,
  giveToChildUser,
  killProcessGroup,
  lowerSessionPriority,
} from '#libs/processes/processes.ts';
import { fontConfiguration } from '../fonts/configuration.ts';
import { browserFlags } from './flags.ts';
import { startError } from './start-error.ts';
import { trustAuthorities } from './trusted-authorities.ts';

export type LaunchOptions = {
  executable: string;
  renderMode: RenderMode;
  caFile?: string | undefined;
  memoryMb: number;
  startTimeoutMs?: number | undefined;
};

/**
 * The time in milliseconds that a browser may take to respond after its start, and then to open its first page. A busy
 * machine needs much longer for it than an idle one.
 */
export const defaultStartTimeoutMs = 60_000;
const closeTimeoutMs = 3_000;

export type Browser = {
  devtools: Connection;
  /** As the browser reports it: `HeadlessChrome/156.0.8078.79` is the headless shell, `Chrome/...` another browser. */
  version: string;
  /** Whether pages can work without screen frames. Only the headless shell supports this. */
  framelessPages: boolean;
  processGroup: number;
  memory: {
    limitMb: number;
    /** For the scripts of one page. */ heapLimitMb: number;
    usedMb: number;
    /** Kills a page, whose document then fails with that error. */
    kill(pid: number, error: Error): void;
    /** The error of a page that was killed in the last seconds, once. */
    takeRecentError(): Error | undefined;
  };
  /** Resolves when the process and its folder are gone. */
  ended: Promise<void>;
  /** Why it was killed, if it was. */
  killReason: Error | null;
  /** Kills all processes. The documents fail with the reason. */
  kill(reason?: Error): void;
  close(): Promise<void>;
};

const heapLimit = (memoryMb: number) => Math.floor(memoryMb / 2);

// The shell outlives the browser by one command, so that the folder is removed even if this process was killed.
const launchAndCleanUpCommand = [
  '/bin/sh',
  '-c',
  `folder=$1; shift; nice -n ${documentNiceness} "$@"; rm -rf -- "$folder"`,
  'colophon-browser',
] as const;

const fontConfigurationFile = (folder: string): string => join(folder, 'fonts.conf');

const browserEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    ['PATH', 'FONTCONFIG_PATH', 'LD_LIBRARY_PATH'].flatMap((name) =>
      process.env[name] ? [[name, process.env[name]]] : [],
    ),
  ),
  FONTCONFIG_FILE: fontConfigurationFile(folder),
  HOME: folder,
  TMPDIR: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
  XDG_CACHE_HOME: join(folder, 'cache'),
  XDG_DATA_HOME: join(folder, 'data'),
  LANG: 'C.UTF-8',
  TZ: 'UTC',
});

const hasSmallSharedMemory = async () => {
  const shm = await statfs('/dev/shm').catch(() => undefined);
  return !shm || shm.bsize * shm.blocks < 512 * 2 ** 20;
};

const writeFontConfiguration = async (folder: string): Promise<void> => {
  const file = fontConfigurationFile(folder);
  await writeFile(file, await fontConfiguration());
  await giveToChildUser(file);
};

const captureStderr = (child: ChildProcess) => {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-4000)));
  return () => text.trim();
};

/** Whether a browser can open pages without screen frames, by its product name. Only the headless shell can. */
export const hasFramelessPages = (product: string): boolean => product.startsWith('HeadlessChrome/');

/**
 * Starts a browser in its own process group and folder, as an unprivileged user if this process is root.
 * @throws if the browser does not start
 */
export const launchBrowser = async (options: LaunchOptions): Promise<Browser> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-browser-'));
  await giveToChildUser(folder);
  const discard = async (error: unknown): Promise<never> => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  };
  await writeFontConfiguration(folder).catch(discard);
  const trustFlags = await trustAuthorities(options.caFile, folder).catch(discard);
  const browserArguments = browserFlags({
    ...options,
    heapMb: heapLimit(options.memoryMb),
    userDataDir: folder,
    trustFlags,
    hasSmallSharedMemory: await hasSmallSharedMemory(),
  });

  const [shell, ...shellArguments] = launchAndCleanUpCommand;
  const child = spawn(shell, [...shellArguments, folder, options.executable, ...browserArguments], {
    detached: true,
    cwd: folder,
    env: browserEnvironment(folder),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    ...childUser(),
  });
  const stderr = captureStderr(child);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const processGroup = child.pid;
  if (processGroup === undefined)
    return discard(startError(options.executable, 'the shell that starts it could not be run'));
  void lowerSessionPriority(processGroup, documentNiceness);
  const devtools = connect(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const ended = Promise.race([exited, devtools.closed]).then(async () => {
    // A closing browser needs a moment to end its child processes.
    await runWithTimeout(1000, () => exited).catch(() => undefined);
    killProcessGroup(processGroup);
    await exited;
    // The shell removes it, too; this is for a shell that was killed. A folder that stays must not end the service.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  });
  // Without a timeout, documents would wait forever for a browser that does not respond.
  const startTimer = setTimeout(() => killProcessGroup(processGroup), options.startTimeoutMs ?? defaultStartTimeoutMs);
  try {
    const { product } = await devtools.send('Browser.getVersion');
    const browser: Browser = {
      devtools,
      version: product,
      framelessPages: options.renderMode !== 'animated' && hasFramelessPages(product),
      processGroup,
      memory: createMemoryState(options.memoryMb),
      ended,
      killReason: null,
      kill: (reason = new BrowserGone('The browser was killed.')) => {
        browser.killReason ??= reason;
        devtools.fail(browser.killReason);
        killProcessGroup(processGroup);
      },
      close: async () => {
        // A browser that hangs does not respond to Browser.close.
        const closeTimer = setTimeout(() => browser.kill(), closeTimeoutMs);
        await devtools.send('Browser.close').catch(() => undefined);
        await ended;
        clearTimeout(closeTimer);
      },
    };
    return browser;
  } catch {
    await exited;
    await ended;
    throw startError(options.executable, stderr());
  } finally {
    clearTimeout(startTimer);
  }
};

/** Keeps the errors of pages that were killed for their memory, to distinguish their crashes from others. */
const createMemoryState = (limitMb: number): Browser['memory'] => {
  let kills: { pid: number; at: number; error: Error }[] = [];
  const recent = () => kills.filter(({ at }) => performance.now() - at < 5000);
  return {
    limitMb,
    heapLimitMb: heapLimit(limitMb),
    usedMb: 0,
    kill: (pid, error) => {
      kills = recent();
      // A killed process may still be there at the next check.
      if (kills.some((kill) => kill.pid === pid)) return;
      kills.push({ pid, at: performance.now(), error });
      process.kill(pid, 'SIGKILL');
    },
    takeRecentError: () => {
      const [first, ...rest] = recent();
      kills = rest;
      return first?.error;
    },
  };
};
