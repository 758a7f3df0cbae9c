import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { openKeyUses } from '#application/api-keys/uses.ts';
import { withLog } from '#application/renders/answers-from-log.ts';
import { templatesIn } from '#application/templates/queries.ts';
import type { Settings } from '#libs/config/settings.ts';
import { withTimeout, withUnavailable } from '#libs/engines/decorators.ts';
import { isRemote } from '#libs/engines/remote.ts';
import { knownForMs, openKnown } from '#libs/read-store/known.ts';
import { downloadUrl } from '#libs/secrets/download-token.ts';
import type { Logger } from '#libs/telemetry/log.ts';
import { tracedBlobs } from '#application/renders/telemetry.ts';
import { createApp } from '../api/app.ts';
import { createEstimates } from '#application/renders/estimate.ts';
import { openCallers } from '#application/api-keys/queries.ts';
import { createFreshness } from '#application/handling/freshness.ts';
import { type House, packageVersion } from './process-context.ts';

/** Lets through one call in so many milliseconds, the first one at once. */
const onceIn = (everyMs: number): ((act: () => void) => void) => {
  let last = -Infinity;
  return (act) => {
    if (performance.now() - last < everyMs) return;
    last = performance.now();
    act();
  };
};

const isLoopback = (host: string): boolean => /^(127\.[\d.]+|::1|localhost)$/i.test(host);

/** Warns where API keys and documents can be read on the way: the API listens beyond this machine, and neither it nor a proxy before it speaks TLS. */
const warnOfPlainHttp = ({ host, baseUrl, tlsCertFile }: Pick<Settings, 'host' | 'baseUrl' | 'tlsCertFile'>, logger: Pick<Logger, 'warn'>): void => {
  if (isLoopback(host) || tlsCertFile || baseUrl.startsWith('https://')) return;
  logger.warn({ host }, 'the API listens beyond this machine without TLS, so keys and documents can be read on the way: set TLS_CERT_FILE and TLS_KEY_FILE, or BASE_URL to the https:// address of the proxy that ends TLS');
};

const tlsOf = ({ tlsCertFile, tlsKeyFile }: Settings): { tls?: { cert: Buffer; key: Buffer } } =>
  tlsCertFile && tlsKeyFile ? { tls: { cert: readFileSync(tlsCertFile), key: readFileSync(tlsKeyFile) } } : {};

const reportEveryMs = 5_000;
/** How long a caller waits for a server, and how long while any of them is known to be away: one leans on another. */
const longestMsOfServer = 8_000;
const longestMsWhileAway = 1_000;

const stalled = 'The disk of the service is full. The render was accepted, and goes on once there is room again.';

type Api = { address(): AddressInfo | string | null; stop(): Promise<void> };

/** Listens at once. `closed` tells why callers are not served yet, `missing` what readiness lacks. */
export const startApi = async (house: House, closed: () => string | null, missing: () => string[]): Promise<Api> => {
  const { settings, engines, logger, now } = house;
  const occasionally = onceIn(reportEveryMs);
  const report = (error: unknown): void => occasionally(() => logger.warn({ err: error }, 'an engine failed a caller; further failures of the next seconds are not told'));
  const longestMs = (): number => (house.isAway() ? longestMsWhileAway : longestMsOfServer);
  const served = <E extends object>(engine: E): E => withUnavailable(withTimeout(engine, longestMs), { closed, disk: engines.disk, report });
  const reads = served(await engines.reads());
  const bus = await engines.bus();
  const [store, blobs, limits] = [served(await engines.store()), served(await engines.blobs()), served(await engines.limits())];
  const log = { store, now };
  const answers = withLog(await engines.answers(), log, undefined, () => closed() ?? (engines.disk.refuses() ? stalled : null));
  const keyUses = openKeyUses(await engines.reads());
  const secrets = house.secrets();
  const forMs = isRemote(reads) ? knownForMs : 0;
  const traced = tracedBlobs(blobs);
  const app: FastifyInstance = createApp({
    log, blobs: traced, inputs: house.blobMemory.over(house.unreadableBlobs.over(traced)), answers, reads, limits, callers: openCallers(reads, knownForMs), templates: openKnown(templatesIn(reads).find, forMs), keyUses, countAsync: settings.countAsyncTowardRateLimit, preparation: house.preparation(), freshness: createFreshness(reads, forMs),
    estimates: createEstimates(reads, () => isRemote(bus) && bus.missing() !== null), backlog: settings.renderBacklog, secrets,
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
