import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { openMemoryAnswers } from '#libs/answers/memory.ts';
import { loadSettings, type Settings } from '#libs/config/settings.ts';
import { openEngines } from '#libs/engines/open.ts';
import { openKeyUses } from '#libs/keys/uses.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { downloadUrl } from '#libs/secrets/download-token.ts';
import { openServiceSecret } from '#libs/secrets/service-secret.ts';
import { createLog } from '#libs/telemetry/log.ts';
import { createApp } from '../api/app.ts';
import { createEstimates } from '../api/estimate.ts';
import { createFreshness } from '../api/freshness.ts';
import { runDelivery } from '../delivery/delivery.ts';
import { runProjector } from '../projector/projector.ts';
import { runQuotaKeeper, runQuotaSettlement } from '../projector/quota-keeper.ts';
import { messageOf, runRelay } from '../relay/relay.ts';
import { runRenderer } from '../renderer/renderer.ts';
import { runSweeper } from '../sweeper/sweeper.ts';
import { openDefaultAccount } from './default-account.ts';
import { stopped } from './stopped.ts';
import { welcome } from './welcome.ts';
import { openWorkshop } from './workshop.ts';

const packageVersion = (): string => (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

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

  const secret = openServiceSecret(settings.secret, settings.dataDir);
  const { egress } = workshop;
  const quota = { store, reads, limits, now: log.now };
  const keyUses = openKeyUses(reads);
  const following = [
    runProjector(store, reads, projections, stop.signal),
    runRelay(store, bus, reads, stop.signal),
    runQuotaKeeper(quota, stop.signal),
    runQuotaSettlement(quota, stop.signal, (error) => report({ error: String(error) }, 'open renders could not be settled; they are tried again')),
  ];
  const sweeping = runSweeper({ log, reads, blobs, bus, messageOf }, report, stop.signal);
  const delivering = runDelivery({ log, blobs, reads, egress, secret, baseUrl: settings.baseUrl }, bus, report, stop.signal);
  const rendering = runRenderer({ ...workshop, log, answers, worker, report }, bus, concurrency, stopRenderer.signal);

  let stopping = false;
  const missing = (): string[] => [
    ...(stopping ? ['the service is stopping'] : []),
    ...(workshop.printer.ready() ? [] : ['no browser is up yet']),
  ];
  const app = createApp({
    log, blobs, answers, reads, limits, keyUses, countAsync: settings.countAsyncTowardRateLimit, preparation: workshop.preparation, freshness: createFreshness(reads),
    estimates: createEstimates(bus, reads), backlog: settings.renderBacklog, secret,
    urlOf: (id, until) => downloadUrl(settings.baseUrl, secret, id, until),
    version: packageVersion(), health: () => ({ missing: missing() }), logger, ...tlsOf(settings),
  });
  await app.listen({ port: settings.port, host: settings.host });
  const keys = await openDefaultAccount(log, reads, blobs);
  await catchUp(store, reads, projections);
  welcome(settings, app.server.address(), keys);

  // A loop that ends by itself has failed: better to stop, and be started again, than to accept what nobody works on.
  const reason = await Promise.race([toldToStop, Promise.all([...following, sweeping, delivering, rendering]).then(() => 'a loop ended', (error: unknown) => error as Error)]);
  if (reason instanceof Error) logger.fatal({ err: reason }, 'the service cannot go on');
  else logger.info({ reason }, 'stopping: what runs is finished first');
  stopping = true;
  await app.close();
  stopRenderer.abort();
  await rendering;
  stop.abort();
  await Promise.allSettled([...following, sweeping, delivering]);
  await keyUses.close();
  await workshop.close();
  await engines.close();
  logger.info('stopped');
  process.exitCode = reason instanceof Error ? 1 : 0;
};
