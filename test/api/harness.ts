import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { permissions } from '#contracts/events/account.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import type { PlanName } from '#contracts/plans.ts';
import type { Answers } from '#libs/answers/port.ts';
import { type AccountChange, changeAccount, openAccount } from '#application/accounts/commands.ts';
import { issueKey, type KeyWish } from '#application/api-keys/commands.ts';
import type { Preparation } from '#libs/documents/preparation.ts';
import { openEngines } from '#libs/engines/open.ts';
import { renderOptions } from '#contracts/http/render-options.ts';
import { streams } from '#contracts/names.ts';
import { render } from '#libs/domain/render.ts';
import { begin } from '#application/handling/handle.ts';
import { newId } from '#libs/ids/new-id.ts';
import { openKeyUses } from '#application/api-keys/uses.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { openKnown } from '#libs/read-store/known.ts';
import { createLog } from '#libs/telemetry/log.ts';
import { templatesIn } from '#application/templates/queries.ts';
import { createApp } from '../../services/api/app.ts';
import { openCallers } from '#application/api-keys/queries.ts';
import { createEstimates } from '#application/renders/estimate.ts';
import { createFreshness } from '#application/handling/freshness.ts';
import { runProjector } from '../../services/projector/projector.ts';

const actor: Actor = { kind: 'person', name: 'tests' };
const pdf = Buffer.from('%PDF-1.7');

/** Renders nothing: whoever waits has an answer at once, and nothing is found wrong with a template. */
const answers: Answers = { wait: async () => ({ status: 'DONE', pdf, pages: 1, durationMs: 1 }), give: () => undefined };
const preparation = { analyse: async () => ({ errors: [], variables: [] }) } as unknown as Preparation;

const urls = { eventStoreUrl: 'sqlite:', busUrl: 'memory:', blobStoreUrl: 'file:' };

/** The API within this process, over the embedded engines in a folder of its own, without a renderer and with a clock that the test sets. */
export const openApi = async (start: string, { folder, countAsync = true, templatesKnownForMs = 0, readStoreUrl = 'sqlite:' }: { folder?: string; countAsync?: boolean; templatesKnownForMs?: number; readStoreUrl?: string } = {}) => {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'colophon-api-')));
  const clock = { now: new Date(start) };
  const engines = await openEngines({ dataDir, ...urls, readStoreUrl });
  const { store, reads, blobs, limits } = engines;
  const log = { store, now: () => new Date(clock.now) };
  await catchUp(store, reads, projections);
  const keyUses = openKeyUses(reads);
  const stop = new AbortController();
  /** The read store as the projector has it. */
  const projected = { ...reads };
  const projecting = runProjector(store, projected, projections, { everyMs: 0 }, stop.signal);
  const app = createApp({
    version: '0.0.0',
    log, blobs, inputs: blobs, answers, reads, callers: openCallers(reads, 0), templates: openKnown(templatesIn(reads).find, templatesKnownForMs), limits, keyUses, countAsync, preparation, freshness: createFreshness(reads, templatesKnownForMs), estimates: createEstimates(reads), backlog: 1_000,
    secrets: { current: Buffer.alloc(32), previous: [] }, urlOf: (id) => `http://localhost/${id}`, health: () => ({ missing: [] }), logger: createLog({ logLevel: 'silent', logFormat: 'json' }),
    telemetry: { metricsText: async () => '', metricsType: 'text/plain' },
  });
  const settled = async (): Promise<void> => catchUp(store, reads, projections);

  return {
    app, clock, engines, projected, log, keyUses, dataDir, settled,
    /** Opens an account, with more requests a minute than a test needs. Answers with its bare id. */
    account: (plan: PlanName = 'free', overrides: Parameters<typeof openAccount>[2]['overrides'] = { requestsPerMinute: 100_000 }) => openAccount(log, actor, { name: 'tests', plan, overrides }),
    key: async (accountId: string, wish: Partial<KeyWish> = {}) => {
      const issued = await issueKey(log, actor, { accountId, name: 'tests', keyType: 'live', permissions, expiresAt: null, ...wish });
      await settled();
      return issued;
    },
    change: async (accountId: string, change: AccountChange) => {
      await changeAccount(log, actor, accountId, change);
      await settled();
    },
    ask: async (secret: string, method: string, url: string, body?: unknown) => {
      const { statusCode: status, headers, payload } = await app.inject({
        method, url, headers: { authorization: `Bearer ${secret}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      return { status, headers, body: (payload.startsWith('{') ? JSON.parse(payload) : payload) as Record<string, never> };
    },
    /** Renders of the account that wait, and that nobody works on: each with a caller, or each a job. */
    waiting: async (accountId: string, count: number, reply: 'wait' | 'poll') => {
      const cause = { actor, accountId, correlationId: 'tests', causationId: null, traceparent: null };
      const data = {
        accountId, keyId: newId(), keyType: 'test' as const, source: { mode: 'CONVERT' as const, inputType: 'html' as const, input: { sha256: 'x', size: 1 } }, options: (({ header_html: _header, footer_html: _footer, ...rest }) => rest)(renderOptions.parse({})),
        bands: { header: null, footer: null }, limits: { processingMs: 30_000, scriptMs: 5_000, maxPages: null, maxImages: null, maxPdfBytes: null }, trial: false,
        reply: reply === 'wait' ? { kind: 'wait' as const } : { kind: 'poll' as const, estimatedMs: 1 },
      };
      await Promise.all(Array.from({ length: count }, () => begin(log, render, streams.render(newId())).execute({ type: 'request', data }, cause)));
      await settled();
    },
    /** Ends as a process would that is told to stop. */
    close: async () => {
      await app.close();
      stop.abort();
      await projecting;
      await keyUses.close();
      await engines.close();
    },
    remove: () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }),
  };
};

export type Api = Awaited<ReturnType<typeof openApi>>;

export const html = { mode: 'CONVERT', input_type: 'html', data: '<p>x</p>' };
