import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFerretDbThere, startFerretDb } from '../ferretdb/server.ts';
import { type KurrentDbProcess, startKurrentDbProcess } from '../kurrentdb/process.ts';
import { isNatsThere, type NatsServer, startNats } from '../nats/server.ts';
import type { Environment } from './process.ts';

/** A server as a process of its own; after `kill` it starts again over the same data, at the same address. */
export type Server = { url: string; kill(): Promise<void>; start(): Promise<void>; freeze(): void; thaw(): void; remove(): Promise<void> };
export type Servers = { kurrentdb: Server; nats: NatsServer; mongodb: Server };

/** The engines that a service is tried on: the embedded ones, or those for production. */
export type World = { settings: Environment; servers: Servers | null; close(): Promise<void> };

/** Whether the set-up of the tests could get hold of every server. */
export const areServersThere = isNatsThere && isFerretDbThere;

const startKurrentDb = async (): Promise<Server> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-kurrentdb-'));
  const data = join(folder, 'log');
  let running: KurrentDbProcess = await startKurrentDbProcess({ data });
  const { port } = running;
  return {
    url: `kurrentdb://127.0.0.1:${port}?tls=false`,
    kill: () => running.kill(),
    start: async () => {
      running = await startKurrentDbProcess({ data, port });
    },
    freeze: () => running.signal('SIGSTOP'),
    thaw: () => running.signal('SIGCONT'),
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

/** The settings of a service on these addresses. */
export const productionSettings = (urls: Record<keyof Servers, string>): Environment => ({
  EVENT_STORE_URL: urls.kurrentdb, BUS_URL: urls.nats, READ_STORE_URL: urls.mongodb, BLOB_STORE_URL: 'gridfs:', COLOPHON_SECRET: 'a secret for trials that is long enough',
});

/** Servers with empty storage, for one house alone. */
export const openProduction = async (): Promise<World & { servers: Servers }> => {
  const [kurrentdb, nats, mongodb] = await Promise.all([startKurrentDb(), startNats(), startMongoDb()]);
  return {
    settings: productionSettings({ kurrentdb: kurrentdb.url, nats: nats.url, mongodb: mongodb.url }),
    servers: { kurrentdb, nats, mongodb },
    close: async () => {
      await Promise.all([kurrentdb, nats, mongodb].map((server) => server.remove()));
    },
  };
};

const embedded: World = { settings: {}, servers: null, close: async () => undefined };

/** Whether this run of the tests is in the world of the servers. */
export const isProduction = process.env['COLOPHON_TEST_WORLD'] === 'production';

/** The world that this run of the tests is in. */
export const openWorld = (): Promise<World> => (isProduction ? openProduction() : Promise.resolve(embedded));
