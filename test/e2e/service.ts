import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { loadSettings } from '#libs/config/settings.ts';
import type { EngineUrls } from '#libs/engines/open.ts';
import { type Ended, type Environment, runColophon, startColophon } from './process.ts';
import { until } from './until.ts';
import { openWorld, type World } from './world.ts';

export type Service = {
  url: string;
  pid: number;
  /** What the process has written so far: its greeting and its log. */
  said(): string;
  /** Sends the signal. */
  tell(signal: 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Sends the signal and waits for the end. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended>;
};

/** A data folder and engines, the services started on it one after the other, and the command line over it. */
export type House = {
  dataDir: string;
  /** Where the engines are, as the services and commands are told. */
  engines: EngineUrls;
  /** Starts all of the service, or a process with these roles alone. */
  start(...roles: string[]): Promise<Service>;
  /** As `start`, without waiting until it is ready. */
  startUnready(...roles: string[]): Promise<Service>;
  /** Runs a command and reads its `--json` output. Throws where it does not end with 0. */
  colophon<T>(...args: string[]): Promise<T>;
  /** Runs a command as a person would, whatever its end. */
  command(...args: string[]): Promise<Ended>;
  /** Ends what still runs, and removes the folder. */
  remove(): Promise<void>;
};

const greeting = /Colophon (?:is ready|\([a-z, ]+\) tells of its health) at (http:\/\/[\d.]+:\d+)/;
const listening = /(?:tells of its health|Server listening) at (http:\/\/[\d.]+:\d+)/;

const enginesIn = (env: Environment): EngineUrls => {
  const { dataDir, eventStoreUrl, busUrl, readStoreUrl, blobStoreUrl } = loadSettings(env);
  return { dataDir, eventStoreUrl, busUrl, readStoreUrl, blobStoreUrl };
};

/** In the world of this run of the tests, unless another is given, which then belongs to the caller. */
export const openHouse = async (settings: Environment = {}, world?: World): Promise<House> => {
  const { settings: ofWorld, close } = world ?? (await openWorld());
  const dataDir = await mkdtemp(join(tmpdir(), 'colophon-e2e-'));
  const env = { PORT: '0', COLOPHON_DATA_DIR: dataDir, ...ofWorld, ...settings };
  const running = new Set<() => Promise<Ended>>();

  const startUntil = async (says: RegExp, roles: readonly string[]): Promise<Service> => {
    const { child, said, ended } = startColophon(['start', ...roles], env);
    const kill = (): Promise<Ended> => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      return ended;
    };
    running.add(kill);
    let over: Ended | undefined;
    void ended.then((end) => (over = end));
    const url = await until('the service greets', () => {
      if (over) throw new Error(`the service ended with ${over.code}: ${over.stdout}${over.stderr}`);
      return says.exec(said.stdout)?.[1];
    });
    return {
      url,
      pid: child.pid!,
      tell: (signal) => void child.kill(signal),
      said: () => said.stdout + said.stderr,
      end: async (signal) => {
        child.kill(signal);
        const end = await ended;
        running.delete(kill);
        return end;
      },
    };
  };

  const start = async (...roles: string[]): Promise<Service> => {
    const service = await startUntil(greeting, roles);
    await until('the service is ready', async () => (await fetch(`${service.url}/health/ready`)).status === 200);
    return service;
  };
  const startUnready = (...roles: string[]): Promise<Service> => startUntil(listening, roles);

  const command = (...args: string[]): Promise<Ended> => runColophon(args, env);
  return {
    dataDir,
    engines: enginesIn(env),
    start,
    startUnready,
    command,
    colophon: async <T>(...args: string[]): Promise<T> => {
      const { code, stdout, stderr } = await command('--json', ...args);
      if (code !== 0) throw new Error(`colophon ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
      return JSON.parse(stdout) as T;
    },
    remove: async () => {
      await Promise.all([...running].map((kill) => kill()));
      if (!world) await close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** One service for all tests of a file; at the end it is told to stop, and has to do so with exit code 0. */
export const serviceForFile = (settings: () => Environment | Promise<Environment> = () => ({})) => {
  const at = {} as { house: House; service: Service };
  beforeAll(async () => {
    at.house = await openHouse(await settings());
    at.service = await at.house.start();
  });
  afterAll(async () => {
    try {
      if (at.service) expect((await at.service.end('SIGTERM')).code).toBe(0);
    } finally {
      await at.house?.remove();
    }
  });
  return at;
};
