import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createApiKeyUsageCounter } from '#application/api-keys/usage-counter.ts';
import { withEventLogFallback } from '#application/renders/event-log-fallback.ts';
import { createTemplateReader } from '#application/templates/queries.ts';
import type { Settings } from '#libs/config/settings.ts';
import { withTimeout, withUnavailableErrors } from '#libs/engines/decorators.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { cacheMs, openReadCache } from '#libs/read-store/read-cache.ts';
import { createDownloadUrl } from '#libs/secrets/download-token.ts';
import type { Logger } from '#libs/telemetry/logger.ts';
import { traceBlobStore } from '#application/renders/telemetry.ts';
import { createApp } from '../api/app.ts';
import { createEstimator } from '#application/renders/estimate.ts';
import { openCallerCache } from '#application/api-keys/queries.ts';
import { createReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import { type ProcessContext, packageVersion } from './process-context.ts';

/** Lets through one call in so many milliseconds, the first one at once. */
const createThrottle = (everyMs: number): ((act: () => void) => void) => {
  let last = -Infinity;
  return (act) => {
    if (performance.now() - last < everyMs) return;
    last = performance.now();
    act();
  };
};

const isLoopback = (host: string): boolean => /^(127\.[\d.]+|::1|localhost)$/i.test(host);

/** Warns where API keys and documents can be read on the way: the API listens beyond this machine, and neither it nor a proxy before it speaks TLS. */
const warnAboutPlainHttp = (
  { host, baseUrl, tlsCertFile }: Pick<Settings, 'host' | 'baseUrl' | 'tlsCertFile'>,
  logger: Pick<Logger, 'warn'>,
): void => {
  if (isLoopback(host) || tlsCertFile || baseUrl.startsWith('https://')) return;
  logger.warn(
    { host },
    'the API listens beyond this machine without TLS, so keys and documents can be read on the way: set TLS_CERT_FILE and TLS_KEY_FILE, or BASE_URL to the https:// address of the proxy that ends TLS',
  );
};

const tlsOptions = ({ tlsCertFile, tlsKeyFile }: Settings): { tls?: { cert: Buffer; key: Buffer } } =>
  tlsCertFile && tlsKeyFile ? { tls: { cert: readFileSync(tlsCertFile), key: readFileSync(tlsKeyFile) } } : {};

const reportIntervalMs = 5_000;
/** How long a caller waits for a server, and how long while any of them is known to be away: one leans on another. */
const engineTimeoutMs = 8_000;
const engineTimeoutWhileUnavailableMs = 1_000;

const diskFullMessage =
  'The disk of the service is full. The render was accepted, and goes on once there is room again.';

type RunningApi = { address(): AddressInfo | string | null; stop(): Promise<void> };

/** Listens at once. `closed` tells why callers are not served yet, `missing` what readiness lacks. */
export const startApi = async (
  house: ProcessContext,
  closed: () => string | null,
  missing: () => string[],
): Promise<RunningApi> => {
  const { settings, engines, logger, now } = house;
  const occasionally = createThrottle(reportIntervalMs);
  const report = (error: unknown): void =>
    occasionally(() =>
      logger.warn({ err: error }, 'an engine failed a caller; further failures of the next seconds are not told'),
    );
  const longestMs = (): number => (house.isEngineUnavailable() ? engineTimeoutWhileUnavailableMs : engineTimeoutMs);
  const served = <E extends object>(engine: E): E =>
    withUnavailableErrors(withTimeout(engine, longestMs), {
      notServingReason: closed,
      disk: engines.disk,
      reportError: report,
    });
  const reads = served(await engines.reads());
  const bus = await engines.bus();
  const [store, blobs, limits] = [
    served(await engines.store()),
    served(await engines.blobs()),
    served(await engines.limits()),
  ];
  const log = { store, now };
  const answers = withEventLogFallback(
    await engines.replies(),
    log,
    undefined,
    () => closed() ?? (engines.disk.isUnwritable() ? diskFullMessage : null),
  );
  const keyUses = createApiKeyUsageCounter(await engines.reads());
  const secrets = house.secrets();
  const forMs = isRemoteEngine(reads) ? cacheMs : 0;
  const traced = traceBlobStore(blobs);
  const app: FastifyInstance = createApp({
    eventLog: log,
    blobs: traced,
    inputs: house.blobMemory.wrap(house.unreadableBlobs.wrap(traced)),
    replies: answers,
    reads,
    limits,
    callers: openCallerCache(reads, cacheMs),
    templates: openReadCache(createTemplateReader(reads).find, forMs),
    keyUses,
    countAsyncRequests: settings.countAsyncTowardRateLimit,
    preparation: house.preparation(),
    readYourWrites: createReadYourWrites(reads, forMs),
    estimator: createEstimator(reads, () => isRemoteEngine(bus) && bus.missing() !== null),
    maxBacklog: settings.renderBacklog,
    secrets,
    downloadUrlFor: (id, until) => createDownloadUrl(settings.baseUrl, secrets.current, id, until),
    version: packageVersion(),
    health: () => ({ missing: missing() }),
    closedReason: closed,
    logger,
    telemetry: house.telemetry,
    metricsToken: settings.metricsToken,
    ...tlsOptions(settings),
  });
  warnAboutPlainHttp(settings, logger);
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
