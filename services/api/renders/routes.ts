import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RenderSource } from '#contracts/events/render.ts';
import { readModels, streams } from '#contracts/names.ts';
import { timeOf } from '#libs/ids/new-id.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Limits } from '#libs/limits/port.ts';
import type { ServiceSecrets } from '#libs/secrets/service-secret.ts';
import { requirePermission } from '../server/authenticate.ts';
import { callerOf } from '../server/caller.ts';
import type { Caller } from '../server/callers.ts';
import { type Estimate, type Estimates, requireBacklogRoom, requireShortWait } from './estimate.ts';
import type { Freshness } from '../server/freshness.ts';
import { afterwardsOfTest } from './diagnosed.ts';
import { once } from '../server/idempotency.ts';
import { traceparentOf } from '../server/observe.ts';
import { bodyOf } from '../server/query.ts';
import { writtenIn } from '../server/body/raw-body.ts';
import { requireQuota, withinQuota } from '../server/quota.ts';
import { replyOf, wishOf } from './render-reply.ts';
import { parseRenderRequest } from './render-request.ts';
import { askOf, type SourceParts } from './render-source.ts';
import { replayRender } from './replay-render.ts';
import { abandonment, queuedOf, sendRender } from './send-render.ts';
import { submitRender, type SubmitParts } from './submit-render.ts';
import { planLimits } from '../server/rate-limit.ts';

/** `erasable` is for blobs that are deleted one day; those that PDFs are made from never are. */
export type RenderRouteParts = SubmitParts & SourceParts & { secrets: ServiceSecrets; erasable: BlobStore; limits: Limits; estimates: Estimates; freshness: Freshness; backlog: number };

/** What a render is seen in from the moment of its acceptance. */
const shownIn = [readModels.renders, readModels.usage, readModels.templateUses];

const freshMs = 10_000;

/** The moment in the render's id, by which jobs are found in time; for an id of an attempt that was given up long ago it is now. */
const acceptanceOf = (id: string, now: Date): Date => {
  const made = timeOf(id);
  return Math.abs(now.getTime() - made.getTime()) < freshMs ? made : now;
};

/** @throws Problem service_unavailable where the service cannot take the render on now */
const estimateOf = async ({ estimates, backlog }: RenderRouteParts, { account }: Caller, source: RenderSource, isWaitedFor: boolean): Promise<Estimate> => {
  if (isWaitedFor) return requireShortWait(estimates, { accountId: account.id, source, reply: 'wait' }, planLimits(account).processingMs);
  const estimate = await estimates.of({ accountId: account.id, source, reply: 'later' });
  requireBacklogRoom(estimate, backlog);
  return estimate;
};

const acceptRender = async (parts: RenderRouteParts, request: FastifyRequest, reply: FastifyReply, id: string, always: boolean): Promise<FastifyReply> => {
  const caller = callerOf(request);
  const wanted = parseRenderRequest(bodyOf(request));
  const wish = wishOf(wanted, always);
  requirePermission(caller, 'render:create');
  const afterwards = afterwardsOfTest(parts, request, reply, id);
  const at = acceptanceOf(id, parts.log.now());
  requireQuota(request, caller, at);
  const ask = await askOf(parts, caller, wanted, writtenIn(request));
  const estimate = await estimateOf(parts, caller, ask.source, wish.kind === 'wait');
  const estimatedMs = estimate.waitMs + estimate.workMs;
  const sealing = { blobs: parts.erasable, secrets: parts.secrets };
  const submit = async () =>
    submitRender(parts, caller, { ...ask, id, at, trial: false, reply: await replyOf(sealing, id, wish, estimatedMs), requestId: request.id, traceparent: traceparentOf(request) }, abandonment(reply));
  const submission = await withinQuota(parts, caller, reply, { id, at }, submit);
  parts.freshness.wrote(caller.account.id, submission.position, ...shownIn);
  if (wish.kind === 'wait') return sendRender(reply, submission, {}, afterwards);
  return reply.send(queuedOf(id, submission.createdAt, { estimatedMs, webhookUrl: wanted.webhook_url }));
};

/** POST /render, and /render/async, which waits for nothing. */
export const registerRenderRoutes = (app: FastifyInstance, parts: RenderRouteParts): void => {
  const route = (path: string, always: boolean): void => {
    app.post(path, (request, reply) =>
      once(parts.log, request, reply, {
        operation: path,
        permission: 'render:create',
        streamOf: streams.render,
        run: (id) => acceptRender(parts, request, reply, id, always),
        replay: (id) => replayRender(parts, request, reply, id),
      }),
    );
  };
  route('/api/v1/render', false);
  route('/api/v1/render/async', true);
};
