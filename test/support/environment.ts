import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFerretDbAvailable, startFerretDb } from './ferretdb/server.ts';
import { type KurrentDbStandInProcess, startKurrentDbStandInProcess } from './kurrentdb/process.ts';
import { isNatsAvailable, type NatsServer, startNatsServer } from './nats/server.ts';
import type { EnvironmentVariables } from './service/colophon-process.ts';

/** A server process. After `kill`, `start` starts it again with the same data and address. */
export type Server = {
  url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  suspend(): void;
  resume(): void;
  remove(): Promise<void>;
};
export type Servers = { kurrentdb: Server; nats: NatsServer; mongodb: Server };

/** Where documents of the shared service may load from: an address of this machine that no test expects to be refused. */
export const reachableHost = '127.0.0.3';

/** The engines of the tested service: embedded or servers. */
export type TestEnvironment = { settings: EnvironmentVariables; servers: Servers | null; close(): Promise<void> };

/** Whether the set-up found or built every server. */
export const areServersAvailable = isNatsAvailable && isFerretDbAvailable;

const startKurrentDb = async (): Promise<Server> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-kurrentdb-'));
  const data = join(folder, 'log');
  let running: KurrentDbStandInProcess = await startKurrentDbStandInProcess({ data });
  const { port } = running;
  return {
    url: `kurrentdb://127.0.0.1:${port}?tls=false`,
    kill: () => running.kill(),
    start: async () => {
      running = await startKurrentDbStandInProcess({ data, port });
    },
    suspend: () => running.signal('SIGSTOP'),
    resume: () => running.signal('SIGCONT'),
    remove: async () => {
      await running.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const startMongoDb = async (): Promise<Server> => {
  const ferretdb = await startFerretDb();
  return { ...ferretdb, url: ferretdb.url('colophon') };
};

/** The settings of a service that uses these servers. */
export const serverSettings = (urls: Record<keyof Servers, string>): EnvironmentVariables => ({
  EVENT_STORE_URL: urls.kurrentdb,
  BUS_URL: urls.nats,
  READ_STORE_URL: urls.mongodb,
  BLOB_STORE_URL: 'gridfs:',
  COLOPHON_SECRET: 'a secret for tests that is long enough',
});

/** Servers with empty storage for one installation. */
export const openServersEnvironment = async (): Promise<TestEnvironment & { servers: Servers }> => {
  const [kurrentdb, nats, mongodb] = await Promise.all([startKurrentDb(), startNatsServer(), startMongoDb()]);
  return {
    settings: serverSettings({ kurrentdb: kurrentdb.url, nats: nats.url, mongodb: mongodb.url }),
    servers: { kurrentdb, nats, mongodb },
    close: async () => {
      await Promise.all([kurrentdb, nats, mongodb].map((server) => server.remove()));
    },
  };
};

const embeddedEnvironment: TestEnvironment = { settings: {}, servers: null, close: async () => undefined };

/** Whether this test run uses servers. */
export const isOnServers = process.env['COLOPHON_TEST_ENVIRONMENT'] === 'servers';

/** The test environment of this run. */
export const openTestEnvironment = (): Promise<TestEnvironment> =>
  isOnServers ? openServersEnvironment() : Promise.resolve(embeddedEnvironment);
