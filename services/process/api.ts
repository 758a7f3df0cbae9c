import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Settings } from '#libs/config/settings.ts';
import { guarded, isRemote } from '#libs/engines/guarded.ts';
import { openKeyUses } from '#application/api-keys/uses.ts';
import { servedFromDisk } from '#libs/engines/on-disk.ts';
import { knownForMs, openKnown } from '#libs/read-store/known.ts';
import { withLog } from '#application/renders/answers-from-log.ts';
import { downloadUrl } from '#libs/secrets/download-token.ts';
import { templatesIn } from '#application/templates/queries.ts';
import { tracedBlobs } from '#libs/telemetry/workshop.ts';
import { createApp } from '../api/app.ts';
import { openCallers } from '../api/server/callers.ts';
import { createEstimates } from '../api/renders/estimate.ts';
import { createFreshness } from '../api/server/freshness.ts';
import { packageVersion } from './package-version.ts';
import type { House } from './process-context.ts';
import { onceIn } from './once-in.ts';
import { warnOfPlainHttp } from './plain-http.ts';

const tlsOf = ({ tlsCertFile, tlsKeyFile }: Settings): { tls?: { cert: Buffer; key: Buffer } } =>
  tlsCertFile && tlsKeyFile ? { tls: { cert: readFileSync(tlsCertFile), key: readFileSync(tlsKeyFile) } } : {};

const reportEveryMs = 5_000;

const stalled = 'The disk of the service is full. The render was accepted, and goes on once there is room again.';

export type Api = { address(): AddressInfo | string | null; stop(): Promise<void> };

/** Listens at once. `closed` tells why callers are not served yet, `missing` what readiness lacks. */
export const startApi = async (house: House, closed: () => string | null, missing: () => string[]): Promise<Api> => {
  const { settings, engines, logger, now } = house;
  const occasionally = onceIn(reportEveryMs);
  const report = (error: unknown): void => occasionally(() => logger.warn({ err: error }, 'an engine failed a caller; further failures of the next seconds are not told'));
  const guard = { closed, away: house.isAway, report };
  const served = <E extends object>(engine: E): E => servedFromDisk(guarded(engine, guard), engines.disk);
  const reads = served(await engines.reads());
  const [store, bus, blobs, limits] = [served(await engines.store()), served(await engines.bus()), served(await engines.blobs()), served(await engines.limits())];
  const log = { store, now };
  const answers = withLog(await engines.answers(), log, undefined, () => closed() ?? (engines.disk.refuses() ? stalled : null));
  const keyUses = openKeyUses(await engines.reads());
  const secrets = house.secrets();
  const forMs = isRemote(reads) ? knownForMs : 0;
  const traced = tracedBlobs(blobs);
  const app: FastifyInstance = createApp({
    log, blobs: traced, inputs: house.blobMemory.over(house.unreadableBlobs.over(traced)), answers, reads, limits, callers: openCallers(reads, forMs), templates: openKnown(templatesIn(reads).find, forMs), keyUses, countAsync: settings.countAsyncTowardRateLimit, preparation: house.preparation(), freshness: createFreshness(reads, forMs),
    estimates: createEstimates(bus, reads), backlog: settings.renderBacklog, secrets,
    urlOf: (id, until) => downloadUrl(settings.baseUrl, secrets.current, id, until),
    version: packageVersion(), health: () => ({ missing: missing() }), closed, logger, telemetry: house.telemetry, metricsToken: settings.metricsToken, ...tlsOf(settings),
  });
  warnOfPlainHttp(settings, logger);
  await app.listen({ port: settings.port, host: settings.host });
  return {
    address: () => app.server.address(),
    stop: async () => {
      await app.close();
      answers.close();
      await keyUses.close();
    },
  };
};
