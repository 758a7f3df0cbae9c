import type { FastifyReply } from 'fastify';
import { type ApiError, rateLimitExceeded } from '#contracts/http/api-error.ts';
import { renderIdOf, streams } from '#contracts/names.ts';
import { idempotencyKeyLifetimeMs } from '#libs/domain/idempotency.ts';
import { maxRegenerations, nextRegeneration, render } from '#libs/domain/render.ts';
import { loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { readKeptReply } from '#application/renders/kept-reply.ts';
import { requireNoPageSecrets } from '#application/renders/page-secrets.ts';
import { requireInputs } from '#application/renders/repeat-render.ts';
import { isRegenerationPending } from '#application/renders/event-log-fallback.ts';
import { requireShortWait } from '#application/renders/estimate.ts';
import { sendError } from '../server/errors.ts';
import type { CallerContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { waitSignal, queuedRenderOf, sendRender, type SendRenderDependencies } from './send-render.ts';

export type ReplayDependencies = SendRenderDependencies &
  Pick<Dependencies, 'eventLog' | 'replies' | 'inputs' | 'blobs' | 'estimator'>;

type LoadedRender = Awaited<ReturnType<typeof loadRender>>;

const loadRender = (eventLog: EventLog, id: string) => loadAggregate(eventLog, render, streams.render(id));

const tooManyRegenerations = (requestedAt: string, now: Date): ApiError =>
  rateLimitExceeded(
    `The PDF of this render was regenerated ${maxRegenerations} times, the maximum for one Idempotency-Key. ` +
      'Send the request with a new Idempotency-Key.',
    maxRegenerations,
    new Date(Date.parse(requestedAt) + idempotencyKeyLifetimeMs),
    now,
  );

/**
 * Requests a new PDF, unless a request for it is pending.
 * @throws ApiError rate_limit_exceeded, render_input_lost, render_secrets_erased, service_unavailable
 */
const requestPdfRegeneration = async (
  dependencies: ReplayDependencies,
  { limits, cause }: CallerContext,
  loaded: LoadedRender,
): Promise<void> => {
  const { eventLog, inputs, estimator } = dependencies;
  const { history, aggregate } = loaded;
  if (isRegenerationPending(history, eventLog.now())) return;
  const count = nextRegeneration(aggregate.state);
  if (count === null) throw tooManyRegenerations(history[0]!.metadata.occurredAt, eventLog.now());
  const requested = history.find((event) => event.type === 'RenderRequested')!.data;
  const { accountId, source } = requested;
  requireNoPageSecrets(source);
  await requireInputs(inputs, requested);
  await requireShortWait(estimator, { accountId, source, priority: 'urgent' }, limits.processingMs);
  await aggregate.execute({ type: 'requestPdfRegeneration', count }, cause);
};

type ReplayResult = FastifyReply | 'running' | null;

/**
 * Sends the first response to a render request again, from the event log. A PDF that was not kept is rendered again with
 * the same bytes, and kept for at most an hour, or for the rest of its time if it was lost.
 * @throws ApiError rate_limit_exceeded after too many regenerations, service_unavailable if it would wait too long,
 * render_input_lost, render_secrets_erased
 */
export const replayRender = async (context: CallerContext, dependencies: ReplayDependencies): Promise<ReplayResult> => {
  const { id, body, reply } = context;
  const loaded = await loadRender(dependencies.eventLog, id);
  const requested = loaded.history.find((event) => event.type === 'RenderRequested');
  if (!requested) return null;
  const createdAt = requested.metadata.occurredAt;
  const { responseMode, fileName = null } = requested.data;
  if (responseMode.kind !== 'wait') {
    // A replay needs the same body, so its URL is the one of the first request, if it has one.
    const recordedUrl = responseMode.kind === 'webhook' && !responseMode.urlIsMasked ? responseMode.url : undefined;
    const { webhook_url: webhookUrl = recordedUrl } = (body ?? {}) as { webhook_url?: string };
    return reply.send(queuedRenderOf(id, createdAt, { estimatedMs: responseMode.estimatedMs, webhookUrl }));
  }
  const failed = loaded.history.find((event) => event.type === 'RenderFailed');
  if (failed) return sendError(reply, failed.data.error, { render_id: renderIdOf(id) });
  if (loaded.aggregate.state.status !== 'DONE') return 'running';
  const kept = await readKeptReply(dependencies.blobs, loaded.history, dependencies.eventLog.now());
  if (kept) return sendRender(dependencies, reply, { id, createdAt, fileName, reply: Promise.resolve(kept) });
  const stopWaiting = new AbortController();
  const pdfReply = dependencies.replies.wait(id, AbortSignal.any([waitSignal(reply), stopWaiting.signal]));
  await requestPdfRegeneration(dependencies, context, loaded).catch((error: unknown) => {
    stopWaiting.abort();
    throw error;
  });
  return sendRender(dependencies, reply, { id, createdAt, fileName, reply: pdfReply });
};
