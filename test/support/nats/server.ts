import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../network/free-port.ts';

const builtProgram = fileURLToPath(new URL('../../../.setup/nats/nats-server', import.meta.url));

const versionOf = (program: string): string | null => {
  try {
    return /v(\d+\.\d+\.\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? null;
  } catch {
    return null;
  }
};

// NATS_SERVER can name another program, for example an older version.
const program = [process.env.NATS_SERVER ?? builtProgram, 'nats-server', '/usr/sbin/nats-server'].find(
  (candidate) => versionOf(candidate) !== null,
);

/** Whether a NATS server is installed. Tests that need it are skipped otherwise. */
export const isNatsAvailable = program !== undefined;

/** A NATS server process with its own storage folder. */
export type NatsServer = {
  port: number;
  url: string;
  /** Kills the process. The storage stays. */
  kill(): Promise<void>;
  /** Starts the process again at the same address, with the same storage. */
  start(): Promise<void>;
  /** Deletes all streams. Call it while the server is not running. */
  wipe(): Promise<void>;
  /** Freezes the process until `resume`. */
  suspend(): void;
  resume(): void;
  /** Kills the process and removes the storage. */
  remove(): Promise<void>;
};

const isReady = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket
      .once('data', () => resolve(true))
      .once('error', () => resolve(false))
      .once('close', () => resolve(false));
    socket.once('data', () => socket.destroy());
  });

export type NatsServerOptions = {
  /** Without JetStream the server stores no messages. */
  jetstream?: boolean;
  /** More lines for the configuration file. */
  configurationLines?: string;
  /** The part before the host in the URL. */
  credentials?: string;
};

const configuration = (
  port: number,
  folder: string,
  { jetstream = true, configurationLines = '' }: NatsServerOptions,
): string =>
  [
    `host: 127.0.0.1`,
    `port: ${port}`,
    ...(jetstream ? [`jetstream { store_dir: ${JSON.stringify(folder)} }`] : []),
    configurationLines,
  ].join('\n');

/** Creates a server without starting it. */
export const createNatsServer = async (options: NatsServerOptions = {}): Promise<NatsServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-nats-'));
  const port = await freePort();
  const storage = join(folder, 'storage');
  const config = join(folder, 'nats.conf');
  await writeFile(config, configuration(port, storage, options));
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const starting = spawn(program!, ['-c', config], {
      env: { ...process.env, GOMAXPROCS: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = starting;
    let errorOutput = '';
    starting.stderr.on('data', (text: Buffer) => (errorOutput += text.toString()));
    while (!(await isReady(port))) {
      if (starting.exitCode !== null) throw new Error(`the server ended with ${starting.exitCode}: ${errorOutput}`);
      await pause(10);
    }
  };
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const end = once(child, 'close');
    child.kill('SIGKILL');
    await end;
  };

  return {
    port,
    url: `nats://${options.credentials ? `${options.credentials}@` : ''}127.0.0.1:${port}`,
    start,
    kill,
    wipe: () => rm(storage, { recursive: true, force: true }),
    suspend: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** A running server with empty storage. */
export const startNatsServer = async (options: NatsServerOptions = {}): Promise<NatsServer> => {
  const server = await createNatsServer(options);
  await server.start();
  return server;
};
