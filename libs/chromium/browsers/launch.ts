import { spawn, type ChildProcess } from 'node:child_process';
import { chown, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Readable, Writable } from 'node:stream';
import { connect, type Connection } from '../cdp/connection.ts';
import { BrowserGone } from '../cdp/errors.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { browserFlags } from './flags.ts';
import { trustAuthorities } from './trusted-authorities.ts';

export type LaunchOptions = {
  executable: string;
  renderMode: RenderMode;
  caFile?: string | undefined;
  memoryMb: number;
  startTimeoutMs?: number | undefined;
};

/** In milliseconds: how long a browser may take until it answers, and how long its first pages may take. */
export const defaultStartTimeoutMs = 30_000;
const closeTimeoutMs = 3_000;

export type Browser = {
  devtools: Connection;
  /** `Chrome/156.0.8078.79` or `HeadlessChrome/...`, as the browser says it. */
  version: string;
  /** Whether pages can do without screen frames; the headless shell alone has that. */
  framelessPages: boolean;
  processGroup: number;
  memory: {
    limitMb: number;
    /** Of the scripts of one page. */ heapLimitMb: number;
    usedMb: number;
    kill(pid: number): void;
    consumeRecentKill(): boolean;
  };
  /** Settles when the process and its folder are gone. */
  ended: Promise<void>;
  /** Ends the process group at once. */
  kill(): void;
  close(): Promise<void>;
};

const heapLimit = (memoryMb: number) => Math.floor(memoryMb / 2);

const nobodyId = 65534;
const runsAsRoot = () => process.getuid?.() === 0;

// The shell outlives the browser by one command, so that the folder goes even when this process was ended without a chance to do it.
// The browser steps back a little: accepting requests and recording what becomes of them is short work that everything else waits for.
const niceness = 10;
const launchAndCleanUpCommand = [
  '/bin/sh',
  '-c',
  `folder=$1; shift; nice -n ${niceness} "$@"; rm -rf -- "$folder"`,
  'colophon-browser',
] as const;

/** Where the kernel shares processor time out among sessions first, niceness counts only between sessions that say so. */
const lowerSessionPriority = (processGroup: number): Promise<void> =>
  writeFile(`/proc/${processGroup}/autogroup`, String(niceness)).catch(() => undefined);

const browserEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    ['PATH', 'FONTCONFIG_FILE', 'FONTCONFIG_PATH', 'LD_LIBRARY_PATH'].flatMap((name) =>
      process.env[name] ? [[name, process.env[name]]] : [],
    ),
  ),
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

const killProcessGroup = (processGroup: number) => {
  try {
    process.kill(-processGroup, 'SIGKILL');
  } catch {
    // It has ended already.
  }
};

const captureStderr = (child: ChildProcess) => {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-4000)));
  return () => text.trim();
};

/** Why a browser did not start, with what to do about it. */
export const startError = (executable: string, words: string): Error => {
  if (
    /No usable sandbox|setuid sandbox|sandbox_host_linux|Failed to move to new namespace|credentials\.cc/i.test(words)
  )
    return new Error(
      `Chromium's sandbox cannot start here, and Colophon does not run documents without it. Allow unprivileged user namespaces ` +
        `(sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0; in a container a seccomp ` +
        `profile that allows clone and unshare), or install Chromium's setuid sandbox (Debian: chromium-sandbox). Chromium said: ${words.slice(-500)}`,
    );
  return new Error(
    `${executable} did not start as a browser${words ? `. It said: ${words.slice(-1000)}` : ', and said nothing'}.`,
  );
};

/** Starts a browser in a process group and folder of its own, as an unprivileged user where this process is root. Throws when it does not come up. */
export const launchBrowser = async (settings: LaunchOptions): Promise<Browser> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-browser-'));
  const user = runsAsRoot() ? { uid: nobodyId, gid: nobodyId } : {};
  if (runsAsRoot()) await chown(folder, nobodyId, nobodyId);
  const discard = async (error: unknown): Promise<never> => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  };
  const trusted = await trustAuthorities(settings.caFile, folder, user).catch(discard);
  const arguments_ = browserFlags({
    ...settings,
    heapMb: heapLimit(settings.memoryMb),
    userDataDir: folder,
    trustFlags: trusted,
    hasSmallSharedMemory: await hasSmallSharedMemory(),
  });

  const [shell, ...shellArguments] = launchAndCleanUpCommand;
  const child = spawn(shell, [...shellArguments, folder, settings.executable, ...arguments_], {
    detached: true,
    cwd: folder,
    env: browserEnvironment(folder),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    ...user,
  });
  const words = captureStderr(child);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const processGroup = child.pid;
  if (processGroup === undefined)
    return discard(startError(settings.executable, 'the shell that starts it could not be run'));
  await lowerSessionPriority(processGroup);
  const devtools = connect(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const ended = Promise.race([exited, devtools.closed]).then(async () => {
    // A browser that closes ends and buries its own children, given a moment.
    await Promise.race([exited, pause(1000, undefined, { ref: false })]);
    killProcessGroup(processGroup);
    await exited;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const kill = () => {
    devtools.fail(new BrowserGone('The browser was ended.'));
    killProcessGroup(processGroup);
  };

  // One that runs and says nothing would be waited for without end, and all documents with it.
  const late = setTimeout(kill, settings.startTimeoutMs ?? defaultStartTimeoutMs);
  try {
    const { product } = await devtools.send('Browser.getVersion');
    return {
      devtools,
      version: product,
      framelessPages: settings.renderMode !== 'animated' && (await supportsFramelessPages(devtools)),
      processGroup,
      memory: createMemoryState(settings.memoryMb),
      ended,
      kill,
      close: async () => {
        // One that hangs does not answer either.
        const tooLate = setTimeout(kill, closeTimeoutMs);
        await devtools.send('Browser.close').catch(() => undefined);
        await ended;
        clearTimeout(tooLate);
      },
    };
  } catch {
    await exited;
    await ended;
    throw startError(settings.executable, words());
  } finally {
    clearTimeout(late);
  }
};

/** Remembers which pages were ended for their memory, so that the crash which follows can be told from any other. */
const createMemoryState = (limitMb: number): Browser['memory'] => {
  const kills: number[] = [];
  const recent = () => kills.filter((at) => performance.now() - at < 5000);
  return {
    limitMb,
    heapLimitMb: heapLimit(limitMb),
    usedMb: 0,
    kill: (pid) => {
      kills.push(performance.now());
      process.kill(pid, 'SIGKILL');
    },
    consumeRecentKill: () => {
      const [first, ...rest] = recent();
      kills.splice(0, kills.length, ...rest);
      return first !== undefined;
    },
  };
};

const supportsFramelessPages = async (devtools: Connection): Promise<boolean> => {
  try {
    const { targetId } = await devtools.send('Target.createTarget', {
      url: 'about:blank',
      enableBeginFrameControl: true,
    });
    await devtools.send('Target.closeTarget', { targetId });
    return true;
  } catch {
    return false;
  }
};
