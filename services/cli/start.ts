import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { openMemoryAnswers } from '#libs/answers/memory.ts';
import { loadSettings, type Settings } from '#libs/config/settings.ts';
import { openEngines } from '#libs/engines/open.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { createLog } from '#libs/telemetry/log.ts';
import { createApp } from '../api/app.ts';
import { createFreshness } from '../api/freshness.ts';
import { runProjector } from '../projector/projector.ts';
import { runRelay } from '../relay/relay.ts';
import { runRenderer } from '../renderer/renderer.ts';
import { openDefaultAccount } from './default-account.ts';
import { stopped } from './stopped.ts';
import { welcome } from './welcome.ts';
import { openWorkshop } from './workshop.ts';

const tlsOf = ({ tlsCertFile, tlsKeyFile }: Settings): { tls?: { cert: Buffer; key: Buffer } } =>
  tlsCertFile && tlsKeyFile ? { tls: { cert: readFileSync(tlsCertFile), key: readFileSync(tlsKeyFile) } } : {};

/** Runs the whole service in this process until it is told to stop, then lets what runs finish. */
export const start = async (): Promise<void> => {
  const settings = loadSettings(process.env);
  const logger = createLog(settings);
  const toldToStop = stopped();
  const engines = await openEngines(settings);
  const { store, bus, reads, blobs, limits } = engines;
  const log = { store, now: () => new Date() };
  await catchUp(store, reads, projections);

  const workshop = await openWorkshop(settings, blobs, logger);
  const answers = openMemoryAnswers();
  const worker = `${hostname()}/${process.pid}`;
  const stop = new AbortController();
  const stopRenderer = new AbortController();
  const concurrency = settings.renderConcurrency;
  const report = (fact: Record<string, unknown>, message: string): void => logger.warn(fact, message);

  const following = [runProjector(store, reads, projections, stop.signal), runRelay(store, bus, reads, stop.signal)];
  const rendering = runRenderer({ ...workshop, log, answers, worker, report }, bus, concurrency, stopRenderer.signal);

  let stopping = false;
  const missing = (): string[] => [
    ...(stopping ? ['the service is stopping'] : []),
    ...(workshop.printer.ready() ? [] : ['no browser is up yet']),
  ];
  const app = createApp({
    log, blobs, answers, reads, limits, preparation: workshop.preparation, freshness: createFreshness(reads),
    health: () => ({ missing: missing() }), logger: logger as FastifyBaseLogger, ...tlsOf(settings),
  });
  await app.listen({ port: settings.port, host: settings.host });
  const keys = await openDefaultAccount(log, reads);
  await catchUp(store, reads, projections);
  welcome(settings, app.server.address(), keys);

  // A loop that ends by itself has failed: better to stop, and be started again, than to accept what nobody works on.
  const reason = await Promise.race([toldToStop, Promise.all([...following, rendering]).then(() => 'a loop ended', (error: unknown) => error as Error)]);
  if (reason instanceof Error) logger.fatal({ err: reason }, 'the service cannot go on');
  else logger.info({ reason }, 'stopping: what runs is finished first');
  stopping = true;
  await app.close();
  stopRenderer.abort();
  await rendering;
  stop.abort();
  await Promise.allSettled(following);
  await workshop.close();
  await engines.close();
  logger.info('stopped');
  process.exitCode = reason instanceof Error ? 1 : 0;
};
