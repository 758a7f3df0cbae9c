import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { fontConfiguration } from '#libs/chromium/fonts/configuration.ts';
import {
  childUser,
  documentNiceness,
  giveToChildUser,
  killProcessGroup,
  lowerSessionPriority,
} from '#libs/processes/processes.ts';
import type { Installation } from './find.ts';
import { encodeFrame, type Frame, readFrames } from './frames.ts';
import { javaSettings, profileSettings } from './profile.ts';

/** Which restrictions the system allowed, see isolation.py. */
export type Isolation = { network: boolean; files: boolean };
export type Reply = {
  error?: 'load' | 'save';
  reason?: string;
  loadMs?: number;
  saveMs?: number;
  memoryMb: number;
  /** The process has fonts that a document brought, and would use them for other documents. */
  hasFonts: boolean;
};
export type ConversionHeader = {
  fileName: string;
  requestedAtMs: number;
  exportOptions: Record<string, { type: string; value: string }>;
};

/** A LibreOffice that converts one document at a time. */
export type OfficeProcess = {
  version: string;
  isolation: Isolation;
  processGroup: number;
  /** @throws OfficeGone if the process ends before it has answered */
  convert(header: ConversionHeader, file: Uint8Array): Promise<Frame<Reply>>;
  /** Resolves when the process and its folder are gone. */
  ended: Promise<void>;
  kill(): void;
};

/** LibreOffice has crashed or was killed. */
export class OfficeGone extends Error {
  override name = 'OfficeGone';
}

export type LaunchOptions = Installation & {
  /** The limit of the memory of the process. */
  memoryMb: number;
  startTimeoutMs: number;
};

/** The largest PDF that a process may write. */
const maxFileMb = 512;
const scripts = ['convert.py', 'clock.py', 'font_numbers.py', 'isolation.py', 'command_line.py'];
// The shell outlives LibreOffice by one command, so that the folder is removed even if this process was killed.
const launchAndCleanUp = `folder=$1; shift; "$@"; rm -rf -- "$folder"`;

/** Copies what the process reads: the folder of the service may be closed to its user. */
const fillFolder = async (folder: string): Promise<void> => {
  const profile = join(folder, 'profile', 'user');
  const config = join(profile, 'config');
  await mkdir(config, { recursive: true });
  const files = new Map([
    [join(profile, 'registrymodifications.xcu'), profileSettings],
    ...['X86_64', 'AARCH64'].map((kind) => [join(config, `javasettings_Linux_${kind}.xml`), javaSettings] as const),
    [join(folder, 'fonts.conf'), await fontConfiguration()],
  ]);
  await Promise.all([
    ...scripts.map((name) => copyFile(fileURLToPath(new URL(name, import.meta.url)), join(folder, name))),
    ...[...files].map(([file, content]) => writeFile(file, content)),
  ]);
  const scriptFiles = scripts.map((name) => join(folder, name));
  await giveToChildUser(folder, join(folder, 'profile'), profile, config, ...files.keys(), ...scriptFiles);
};

const environmentOf = (folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    ['FONTCONFIG_PATH', 'LD_LIBRARY_PATH'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  ),
  PATH: '/usr/bin:/bin',
  FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  HOME: folder,
  TMPDIR: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
  XDG_CACHE_HOME: join(folder, 'cache'),
  LANG: 'en_US.UTF-8',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  // Draws without a screen, without threads that would make results differ, with the same random numbers every time.
  SAL_USE_VCLPLUGIN: 'svp',
  SAL_DISABLE_OPENCL: '1',
  SAL_DISABLESKIA: '1',
  SAL_RAND_REPEATABLE: '1',
  PYTHONDONTWRITEBYTECODE: '1',
});

type Version = { ProductName?: string; ProductVersion?: string; ProductExtension?: string };
type Greeting = { version: Version; isolation: Isolation };

const versionText = ({ ProductName = 'LibreOffice', ProductVersion = '', ProductExtension = '' }: Version): string =>
  `${ProductName}/${ProductVersion}${ProductExtension}`;

/** Starts LibreOffice as an unprivileged user, in its own process group and folder. @throws Error if it does not start */
export const launchOffice = async (options: LaunchOptions): Promise<OfficeProcess> => {
  const { program, python, memoryMb, startTimeoutMs } = options;
  const folder = await mkdtemp(join(tmpdir(), 'colophon-office-'));
  try {
    await fillFolder(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const numbers = [memoryMb, maxFileMb, documentNiceness].map(String);
  const command = [python, '-EsB', join(folder, 'convert.py'), program, folder, ...numbers];
  const child = spawn('/bin/sh', ['-c', launchAndCleanUp, 'colophon-office', folder, ...command], {
    detached: true,
    cwd: folder,
    env: environmentOf(folder),
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    ...childUser(),
  });
  let errorText = '';
  child.stderr!.setEncoding('utf8').on('data', (piece: string) => (errorText = (errorText + piece).slice(-1000)));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const processGroup = child.pid;
  const kill = (): void => {
    if (processGroup !== undefined) killProcessGroup(processGroup);
  };
  const requests = child.stdio[3] as Writable;
  const replies = child.stdio[4] as Readable;
  let pending: PromiseWithResolvers<Frame<Reply & Greeting>> | null = Promise.withResolvers<Frame<Reply & Greeting>>();
  const greeting = pending.promise;
  const fail = (): void => {
    pending?.reject(new OfficeGone(`LibreOffice has ended. ${errorText.trim()}`));
    pending = null;
  };
  requests.on('error', () => undefined);
  readFrames<Reply & Greeting>(replies, maxFileMb * 2 ** 20, {
    onFrame: (frame) => {
      const waiting = pending;
      pending = null;
      waiting?.resolve(frame);
    },
    onError: kill,
  });
  const closed = new Promise<void>((resolve) => replies.once('close', () => resolve()));
  const ended = Promise.race([exited, closed]).then(async () => {
    fail();
    kill();
    await exited;
    // The shell removes it, too; this is for a shell that was killed. A folder that stays must not end the service.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  });

  const startTimer = setTimeout(kill, startTimeoutMs);
  try {
    const { version, isolation } = (await greeting).header;
    // Not earlier, because documents may wait for a start.
    void lowerSessionPriority(processGroup!, documentNiceness);
    return {
      version: versionText(version),
      isolation,
      processGroup: processGroup!,
      convert: (header, file) => {
        pending = Promise.withResolvers<Frame<Reply & Greeting>>();
        const { promise } = pending;
        if (child.exitCode !== null || child.signalCode !== null) fail();
        for (const part of encodeFrame(header, file)) requests.write(part);
        return promise;
      },
      ended,
      kill,
    };
  } catch {
    await ended;
    throw new Error(`LibreOffice in ${program} did not start. ${errorText.trim() || 'It printed nothing.'}`);
  } finally {
    clearTimeout(startTimer);
  }
};
