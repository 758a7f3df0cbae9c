import type { FastifyReply } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import { renderIdOf, streams } from '#contracts/names.ts';
import type { RenderReply, RenderReplies } from '#libs/replies/port.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { idempotencyKeyLifetimeMs as keyKeptMs } from '#libs/domain/idempotency.ts';
import { maxRegenerations, nextRegeneration, render } from '#libs/domain/render.ts';
import { loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { isRegenerationPending } from '#application/renders/event-log-fallback.ts';
import { type Estimator, requireShortWait } from '#application/renders/estimate.ts';
import { sendError } from '../server/errors.ts';
import type { CallerContext } from '../server/context.ts';
import { waitSignal, queuedRenderOf, sendRender } from './send-render.ts';

export type ReplayDependencies = { eventLog: EventLog; replies: RenderReplies; blobs: BlobStore; estimator: Estimator };

type LoadedRender = Awaited<ReturnType<typeof loadRender>>;

const loadRender = (log: EventLog, id: string) => loadAggregate(log, render, streams.render(id));

/** The PDF as the blob store has it; null where it is not kept, or not any more. */
const keptReply = async (
  { eventLog, blobs }: ReplayDependencies,
  loaded: LoadedRender,
): Promise<RenderReply | null> => {
  const { state } = loaded.aggregate;
  if (state.status !== 'DONE' || state.pdf === null || eventLog.now() >= new Date(state.pdf.keptUntil)) return null;
  const { pages, durations } = loaded.history.find((event) => event.type === 'RenderCompleted')!.data;
  try {
    return { status: 'DONE', pdf: await blobs.get(state.pdf.sha256), pages, durationMs: durations.totalMs };
  } catch (error) {
    if (error instanceof BlobNotFound) return null;
    throw error;
  }
};

const remadeTooOften = (requestedAt: string, now: Date): ApiError => {
  const resetAt = new Date(Date.parse(requestedAt) + keyKeptMs);
  return ApiError.of(
    'rate_limit_exceeded',
    `The PDF of this render was made again ${maxRegenerations} times, as often as an Idempotency-Key allows. Send the request with a new Idempotency-Key.`,
    {
      limit: maxRegenerations,
      retry_after: Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000)),
      reset_at: resetAt.toISOString(),
    },
  );
};

/** Has the PDF made again, unless another caller's request for it is under way. @throws Problem rate_limit_exceeded, service_unavailable */
const requestPdfRegeneration = async (
  parts: ReplayDependencies,
  { limits, cause }: CallerContext,
  loaded: LoadedRender,
): Promise<void> => {
  const { eventLog, estimator } = parts;
  const { history, aggregate } = loaded;
  if (isRegenerationPending(history, eventLog.now())) return;
  const count = nextRegeneration(aggregate.state);
  if (count === null) throw remadeTooOften(history[0]!.metadata.occurredAt, eventLog.now());
  const { accountId, source } = history.find((event) => event.type === 'RenderRequested')!.data;
  await requireShortWait(estimator, { accountId, source, priority: 'urgent' }, limits.processingMs);
  await aggregate.execute({ type: 'requestPdfRegeneration', count }, cause);
};

type ReplayResult = FastifyReply | 'running' | null;

/**
 * The first answer to a render request once more, from the log. A PDF that was not kept is made again, and is then kept for an hour: it has the same bytes.
 * @throws Problem rate_limit_exceeded where it was made again too often, service_unavailable where it would have to wait for too long
 */
export const replayRender = async (context: CallerContext, parts: ReplayDependencies): Promise<ReplayResult> => {
  const { id, body, reply } = context;
  const loaded = await loadRender(parts.eventLog, id);
  const requested = loaded.history.find((event) => event.type === 'RenderRequested');
  if (!requested) return null;
  const createdAt = requested.metadata.occurredAt;
  const { responseMode: wish } = requested.data;
  if (wish.kind !== 'wait') {
    // The same body is a condition of the replay, so the address in it is the one that was given.
    const { webhook_url: webhookUrl } = body as { webhook_url?: string };
    return reply.send(queuedRenderOf(id, createdAt, { estimatedMs: wish.estimatedMs, webhookUrl }));
  }
  const failed = loaded.history.find((event) => event.type === 'RenderFailed');
  if (failed) return sendError(reply, failed.data.error, { render_id: renderIdOf(id) });
  if (loaded.aggregate.state.status !== 'DONE') return 'running';
  const kept = await keptReply(parts, loaded);
  if (kept) return sendRender(reply, { id, createdAt, reply: Promise.resolve(kept) });
  const waiting = new AbortController();
  const answer = parts.replies.wait(id, AbortSignal.any([waitSignal(reply), waiting.signal]));
  await requestPdfRegeneration(parts, context, loaded).catch((error: unknown) => {
    waiting.abort();
    throw error;
  });
  return sendRender(reply, { id, createdAt, reply: answer });
};
