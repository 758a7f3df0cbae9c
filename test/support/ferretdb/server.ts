import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../network/free-port.ts';

// The server shares few cores with the tests, where more threads only make it slower.
const singleCoreEnvironment = { GOMAXPROCS: '1', GOGC: '400' };

const serverExecutable = fileURLToPath(new URL('../../../.setup/ferretdb/ferretdb', import.meta.url));

/** Whether the test set-up could build the server; otherwise the tests that need it are skipped. */
export const isFerretDbAvailable = existsSync(serverExecutable);

/** A MongoDB-compatible server in its own process, with its own data folder. */
export type FerretDb = {
  host: string;
  /** The address of a database on the server. */
  url(database: string): string;
  /** Kills the process; keeps the data. */
  kill(): Promise<void>;
  /** Starts the server again with the same data and address. */
  start(): Promise<void>;
  /** Stops the process until `resume`. */
  suspend(): void;
  resume(): void;
  /** Kills the process and removes the data. */
  remove(): Promise<void>;
};

const acceptsConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Starts a server with empty data. */
export const startFerretDb = async (): Promise<FerretDb> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-ferretdb-'));
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const starting = spawn(serverExecutable, [host, folder], {
      env: { ...process.env, ...singleCoreEnvironment },
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = starting;
    let errorOutput = '';
    starting.stderr.on('data', (text: Buffer) => (errorOutput += text.toString()));
    while (!(await acceptsConnections(port))) {
      if (starting.exitCode !== null) throw new Error(`the server ended with ${starting.exitCode}: ${errorOutput}`);
      await sleep(10);
    }
  };
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const end = once(child, 'close');
    child.kill('SIGKILL');
    await end;
  };

  await start();
  return {
    host,
    url: (database) => `mongodb://${host}/${database}`,
    kill,
    start,
    suspend: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
