import type { FastifyInstance } from 'fastify';
import { createApiKeyUsageCounter } from '#application/api-keys/usage-counter.ts';
import { withEventLogFallback } from '#application/renders/event-log-fallback.ts';
import { createPreviews } from '#application/templates/preview.ts';
import { createTemplateReader } from '#application/templates/queries.ts';
import { readModels } from '#contracts/names.ts';
import type { Settings } from '#libs/config/settings.ts';
import { isLoopbackHost } from '#libs/egress/loopback-host.ts';
import { withTimeout, withUnavailableErrors } from '#libs/engines/decorators.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { cacheMs, openReadCache } from '#libs/concurrency/read-cache.ts';
import { createDownloadUrl } from '#libs/secrets/download-token.ts';
import type { Logger } from '#libs/telemetry/logger.ts';
import { traceBlobStore } from '#application/renders/telemetry.ts';
import { createApp } from '../api/app.ts';
import type { HealthDependencies } from '../api/server/dependencies.ts';
import { openAccountCache } from '#application/accounts/queries.ts';
import { createEstimator } from '#application/renders/estimate.ts';
import { openKeyCache } from '#application/api-keys/queries.ts';
import { createConfirmNotFound } from '#application/command-handling/confirm-not-found.ts';
import { createReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import { identityProviderOf } from './identity-provider.ts';
import { apiAddress, type HttpServer, listenAt, tlsOptions } from './listen.ts';
import { packageVersion } from './package-version.ts';
import type { ProcessContext } from './process-context.ts';

/** Warns when the network can read API keys and documents: the API is reachable from other machines without TLS. */
const warnAboutPlainHttp = (
  { host, baseUrl, tlsCertFile }: Pick<Settings, 'host' | 'baseUrl' | 'tlsCertFile'>,
  logger: Pick<Logger, 'warn'>,
): void => {
  if (isLoopbackHost(host) || tlsCertFile || baseUrl.startsWith('https://')) return;
  logger.warn(
    { host },
    'API is reachable from other machines without TLS, so the network can read keys and documents: set TLS_CERT_FILE and ' +
      'TLS_KEY_FILE, or set BASE_URL to the https:// address of the proxy that terminates TLS',
  );
};

const reportIntervalMs = 5_000;
/**
 * How long a caller waits for an engine, normally and while one that stores data is known to be unavailable. Requests need
 * those, but not the bus.
 */
const engineTimeoutMs = 8_000;
const engineTimeoutWhileUnavailableMs = 1_000;

const diskFullMessage =
  'The disk of the service is full. The render was accepted and continues when there is space again.';

/** Starts to listen. `closedReason` says why callers are not served yet, or is null; `health` is for the readiness probe. */
export const startApi = async (
  context: ProcessContext,
  closedReason: () => string | null,
  health: HealthDependencies['health'],
): Promise<HttpServer> => {
  const { settings, engines, logger, now } = context;
  let reportedAt = -Infinity;
  const report = (engine: string, error: unknown): void => {
    if (performance.now() - reportedAt < reportIntervalMs) return;
    reportedAt = performance.now();
    logger.warn({ err: error, engine }, 'engine failed a request; further failures in the next seconds are not logged');
  };
  const [readStore, eventStore, blobStore, limitStore] = [
    await engines.reads(),
    await engines.store(),
    await engines.blobs(),
    await engines.limits(),
  ];
  const timeoutMs = (): number =>
    [readStore, eventStore, blobStore, limitStore].some((engine) => isRemoteEngine(engine) && engine.missing() !== null)
      ? engineTimeoutWhileUnavailableMs
      : engineTimeoutMs;
  const withApiDecorators = <E extends object>(engine: E, name: string): E =>
    withUnavailableErrors(withTimeout(engine, timeoutMs), {
      notServingReason: closedReason,
      disk: engines.disk,
      reportError: (error) => report(name, error),
    });
  const bus = await engines.bus();
  const isBusUnavailable = (): boolean => isRemoteEngine(bus) && bus.missing() !== null;
  const [reads, store] = [
    withApiDecorators(readStore, 'READ_STORE_URL'),
    withApiDecorators(eventStore, 'EVENT_STORE_URL'),
  ];
  const [blobs, limits] = [
    withApiDecorators(blobStore, 'BLOB_STORE_URL'),
    withApiDecorators(limitStore, 'READ_STORE_URL'),
  ];
  const eventLog = { store, now };
  const liveReplies = await engines.replies();
  const replies = withEventLogFallback(
    liveReplies,
    eventLog,
    () => closedReason() ?? (engines.disk.isUnwritable() ? diskFullMessage : null),
  );
  const keyUsageCounter = createApiKeyUsageCounter(readStore);
  const secrets = context.secrets();
  const cacheForMs = isRemoteEngine(reads) ? cacheMs : 0;
  const confirmNotFound = createConfirmNotFound({ store, reads }, readModels.apiKeys, readModels.accounts);
  const tracedBlobs = traceBlobStore(blobs);
  const app: FastifyInstance = createApp({
    eventLog,
    blobs: tracedBlobs,
    inputs: context.blobCache.wrap(context.unreadableBlobs.wrap(tracedBlobs)),
    replies,
    reads,
    limits,
    keys: openKeyCache(reads, cacheMs, confirmNotFound),
    accounts: openAccountCache(reads, cacheMs, confirmNotFound),
    templates: openReadCache(createTemplateReader(reads).find, cacheForMs),
    keyUses: keyUsageCounter,
    countAsyncRequests: settings.countAsyncTowardRateLimit,
    preparation: await context.preparation(),
    readYourWrites: createReadYourWrites(reads, cacheForMs),
    previews: createPreviews(withApiDecorators(bus, 'BUS_URL'), liveReplies, blobs, isBusUnavailable),
    estimator: createEstimator(reads, isBusUnavailable),
    maxBacklog: settings.renderBacklog,
    maxPdfRetentionMinutes: settings.maxPdfRetentionMinutes,
    egressView: { allowed: settings.egressAllow, hasOwnAuthorities: settings.egressCaFile !== undefined },
    secrets,
    openEgress: () => context.egress(),
    identityProvider: identityProviderOf(settings, context),
    downloadUrlFor: (id, until) => createDownloadUrl(settings.baseUrl, secrets.current, id, until),
    version: packageVersion(),
    baseUrl: settings.baseUrl,
    health,
    closedReason,
    logger,
    telemetry: context.telemetry,
    metricsToken: settings.metricsToken,
    ...tlsOptions(settings),
  });
  warnAboutPlainHttp(settings, logger);
  const address = apiAddress(settings);
  await listenAt(address, () => app.listen(address));
  return {
    address: () => app.server.address(),
    stop: async () => {
      await app.close();
      replies.close();
      await keyUsageCounter.close();
    },
  };
};
