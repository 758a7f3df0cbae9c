import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { permissions } from '#contracts/events/account.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import type { PlanName } from '#contracts/plans.ts';
import type { RenderReplies } from '#libs/replies/port.ts';
import { type AccountChange, changeAccount, openAccount } from '#application/accounts/commands.ts';
import { issueKey, type IssueKeyRequest } from '#application/api-keys/commands.ts';
import type { Egress } from '#libs/egress/egress.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import { createBlobCache } from '#libs/blob-store/cache.ts';
import { openEngines } from '#libs/engines/engine-factory.ts';
import { openSelectedLimits } from '#libs/engines/engine-selection.ts';
import { readModels, streams } from '#contracts/names.ts';
import { render } from '#libs/domain/render.ts';
import { newAggregate, newCause } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import { createApiKeyUsageCounter } from '#application/api-keys/usage-counter.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { createUsageReader } from '#libs/projections/usage-reader.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { openReadCache } from '#libs/concurrency/read-cache.ts';
import { createLogger } from '#libs/telemetry/logger.ts';
import { createTemplateReader } from '#application/templates/queries.ts';
import { createApp } from '../../../services/api/app.ts';
import { openKeyCache } from '#application/api-keys/queries.ts';
import { openAccountCache } from '#application/accounts/queries.ts';
import { createEstimator } from '#application/renders/estimate.ts';
import { createConfirmNotFound } from '#application/command-handling/confirm-not-found.ts';
import { createReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import type { TransferLimits } from '../../../services/api/server/transfers.ts';
import { runProjector } from '../../../services/projector/projector.ts';
import { atMachineTime } from './machine-time.ts';

const actor: Actor = { kind: 'person', name: 'tests' };
const pdf = Buffer.from('%PDF-1.7');
/** How many jobs may wait. */
export const maxBacklog = 1_000;

/** Replies at once to every caller, without a renderer. */
const immediateReplies = (pdf: Buffer): RenderReplies => ({
  wait: async () => ({ status: 'DONE', pdf, pages: 1, durationMs: 1, warnings: [] }),
  send: () => undefined,
});
const neverSend: Egress['sendWebhook'] = async () => ({
  kind: 'failed',
  reason: 'There is no network.',
  durationMs: 0,
});

const engineUrls = { eventStoreUrl: 'sqlite:', busUrl: 'memory:', blobStoreUrl: 'file:' };

/** The API in the test process, on embedded engines in a temporary folder, without a renderer, with a clock that the test sets. */
export const openInProcessApi = async (
  start: string,
  {
    folder,
    countAsync = true,
    templatesKnownForMs = 0,
    callersKnownForMs = 0,
    readStoreUrl = 'sqlite:',
    sendWebhook = neverSend,
    renderedPdf = pdf,
    liveHeartbeatMs = 15_000,
    transferLimits,
    identityProvider = null,
    secrets = { current: Buffer.alloc(32), previous: [] },
  }: {
    folder?: string;
    countAsync?: boolean;
    templatesKnownForMs?: number;
    callersKnownForMs?: number;
    readStoreUrl?: string;
    sendWebhook?: Egress['sendWebhook'];
    renderedPdf?: Buffer;
    liveHeartbeatMs?: number;
    transferLimits?: TransferLimits;
    identityProvider?: Parameters<typeof createApp>[0]['identityProvider'];
    secrets?: InstallationSecrets;
  } = {},
) => {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'colophon-api-')));
  const clock = { now: new Date(start) };
  const urls = { dataDir, ...engineUrls, readStoreUrl };
  const opened = await openEngines(urls);
  const limits = await openSelectedLimits(urls, createUsageReader(opened.store, opened.reads));
  const engines = { ...opened, limits, blobs: atMachineTime(opened.blobs, start) };
  const { store, reads, blobs } = engines;
  const eventLog = { store, now: () => new Date(clock.now) };
  const inputs = createBlobCache().wrap(blobs);
  await catchUp(store, reads, projections);
  const keyUses = createApiKeyUsageCounter(reads);
  const confirmNotFound = createConfirmNotFound({ store, reads }, readModels.apiKeys, readModels.accounts);
  const stop = new AbortController();
  /** Every template is valid. */
  const preparation = { analyse: async () => ({ errors: [], names: [] }) } as unknown as DocumentPreparation;
  /** The read store of the projector. */
  const projectorReads = { ...reads };
  const projecting = runProjector(store, projectorReads, projections, 0, stop.signal);
  const app = createApp({
    liveHeartbeatMs,
    ...(transferLimits && { transferLimits }),
    version: '0.0.0',
    baseUrl: 'http://localhost',
    eventLog,
    blobs,
    inputs,
    replies: immediateReplies(renderedPdf),
    reads,
    keys: openKeyCache(reads, callersKnownForMs, confirmNotFound),
    accounts: openAccountCache(reads, callersKnownForMs, confirmNotFound),
    templates: openReadCache(createTemplateReader(reads).find, templatesKnownForMs),
    limits,
    keyUses,
    countAsyncRequests: countAsync,
    preparation,
    previews: { render: async () => ({ status: 'DONE', pdf, pages: 1, durationMs: 1, warnings: [] }) },
    readYourWrites: createReadYourWrites(reads, templatesKnownForMs),
    estimator: createEstimator(reads),
    maxBacklog,
    maxPdfRetentionMinutes: 10_080,
    egressView: { allowed: ['intranet.example', '10.0.0.0/8'], hasOwnAuthorities: false },
    secrets,
    identityProvider,
    openEgress: async () => ({ sendWebhook }),
    downloadUrlFor: (id) => `http://localhost/${id}`,
    health: () => ({ missing: [], limitations: [] }),
    logger: createLogger({ logLevel: 'silent', logFormat: 'json' }),
    telemetry: { metricsText: async () => '', metricsContentType: 'text/plain' },
  });
  const catchUpReadModels = async (): Promise<void> => catchUp(store, reads, projections);
  /** Closes the API like a process that is asked to stop. */
  const close = async (): Promise<void> => {
    await app.close();
    stop.abort();
    await projecting;
    await keyUses.close();
    await limits.close();
    await engines.close();
  };
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true, maxRetries: 5 });

  return {
    app,
    clock,
    engines,
    projectorReads,
    eventLog,
    inputs,
    preparation,
    keyUses,
    dataDir,
    catchUpReadModels,
    /** Opens an account with more requests a minute than a test needs. Returns its bare id. */
    createAccount: (
      plan: PlanName = 'free',
      overrides: Parameters<typeof openAccount>[2]['overrides'] = { requestsPerMinute: 100_000 },
    ) => openAccount(eventLog, actor, { name: 'tests', plan, overrides }),
    createKey: async (accountId: string, options: Partial<IssueKeyRequest> = {}) => {
      const issued = await issueKey(eventLog, actor, {
        accountId,
        name: 'tests',
        keyType: 'live',
        permissions,
        expiresAt: null,
        ...options,
      });
      await catchUpReadModels();
      return issued;
    },
    updateAccount: async (accountId: string, change: AccountChange) => {
      await changeAccount(eventLog, accountId, change, newCause(actor, accountId));
      await catchUpReadModels();
    },
    request: async (secret: string, method: string, url: string, body?: unknown) => {
      const {
        statusCode: status,
        headers,
        payload,
      } = await app.inject({
        method,
        url,
        headers: {
          authorization: `Bearer ${secret}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      return {
        status,
        headers,
        body: (payload.startsWith('{') ? JSON.parse(payload) : payload) as Record<string, never>,
      };
    },
    /** Appends waiting renders of the account, either synchronous or jobs. No worker starts them. */
    requestRenders: async (accountId: string, count: number, reply: 'wait' | 'poll') => {
      const cause = { actor, accountId, correlationId: 'tests', causationId: null, traceparent: null };
      const data = {
        accountId,
        keyId: newId(),
        keyType: 'test' as const,
        source: { mode: 'CONVERT' as const, inputType: 'html' as const, input: { sha256: 'x', size: 1 } },
        options: {},
        headerFooter: { header: null, footer: null },
        limits: { processingMs: 30_000, scriptMs: 5_000, maxPages: null, maxImages: null, maxPdfBytes: null },
        templateTest: false,
        responseMode: reply === 'wait' ? { kind: 'wait' as const } : { kind: 'poll' as const, estimatedMs: 1 },
      };
      await Promise.all(
        Array.from({ length: count }, () =>
          newAggregate(eventLog, render, streams.render(newId())).execute({ type: 'request', data }, cause),
        ),
      );
      await catchUpReadModels();
    },
    close,
    remove,
    closeAndRemove: async () => {
      await close();
      await remove();
    },
  };
};

export type InProcessApi = Awaited<ReturnType<typeof openInProcessApi>>;

export const htmlRequest = { mode: 'CONVERT', input_type: 'html', data: '<p>x</p>' };
