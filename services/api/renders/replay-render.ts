import type { FastifyReply } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { renderIdOf, streams } from '#contracts/names.ts';
import type { Answer, Answers } from '#libs/answers/port.ts';
import { BlobMissing, type BlobStore } from '#libs/blob-store/port.ts';
import { keptMs as keyKeptMs } from '#libs/domain/idempotency.ts';
import { maxMadeAgain, nextMadeAgain, render } from '#libs/domain/render.ts';
import { load, type Log } from '#application/handling/handle.ts';
import { isMadeAgainNow } from '#application/renders/answers-from-log.ts';
import { type Estimates, requireShortWait } from '#application/renders/estimate.ts';
import { sendFault } from '../server/errors.ts';
import type { CallerContext } from '../server/context.ts';
import { abandonment, queuedOf, sendRender } from './send-render.ts';

export type ReplayParts = { log: Log; answers: Answers; blobs: BlobStore; estimates: Estimates };

type Loaded = Awaited<ReturnType<typeof loadRender>>;

const loadRender = (log: Log, id: string) => load(log, render, streams.render(id));

/** The PDF as the blob store has it; null where it is not kept, or not any more. */
const keptAnswer = async ({ log, blobs }: ReplayParts, loaded: Loaded): Promise<Answer | null> => {
  const { state } = loaded.aggregate;
  if (state.status !== 'DONE' || state.pdf === null || log.now() >= new Date(state.pdf.keptUntil)) return null;
  const { pages, durations } = loaded.history.find((event) => event.type === 'RenderCompleted')!.data;
  try {
    return { status: 'DONE', pdf: await blobs.get(state.pdf.sha256), pages, durationMs: durations.totalMs };
  } catch (error) {
    if (error instanceof BlobMissing) return null;
    throw error;
  }
};

const madeTooOften = (requestedAt: string, now: Date): Problem => {
  const resetAt = new Date(Date.parse(requestedAt) + keyKeptMs);
  return Problem.of('rate_limit_exceeded', `The PDF of this render was made again ${maxMadeAgain} times, as often as an Idempotency-Key allows. Send the request with a new Idempotency-Key.`, {
    limit: maxMadeAgain, retry_after: Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000)), reset_at: resetAt.toISOString(),
  });
};

/** Has the PDF made again, unless another caller's request for it is under way. @throws Problem rate_limit_exceeded, service_unavailable */
const askAgain = async (parts: ReplayParts, { limits, cause }: CallerContext, loaded: Loaded): Promise<void> => {
  const { log, estimates } = parts;
  const { history, aggregate } = loaded;
  if (isMadeAgainNow(history, log.now())) return;
  const count = nextMadeAgain(aggregate.state);
  if (count === null) throw madeTooOften(history[0]!.metadata.occurredAt, log.now());
  const { accountId, source } = history.find((event) => event.type === 'RenderRequested')!.data;
  await requireShortWait(estimates, { accountId, source, reply: 'wait' }, limits.processingMs);
  await aggregate.execute({ type: 'requestPdfAgain', count }, cause);
};

type Replay = FastifyReply | 'running' | null;

/**
 * The first answer to a render request once more, from the log. A PDF that was not kept is made again, and is then kept for an hour: it has the same bytes.
 * @throws Problem rate_limit_exceeded where it was made again too often, service_unavailable where it would have to wait for too long
 */
export const replayRender = async (context: CallerContext, parts: ReplayParts): Promise<Replay> => {
  const { id, body, reply } = context;
  const loaded = await loadRender(parts.log, id);
  const requested = loaded.history.find((event) => event.type === 'RenderRequested');
  if (!requested) return null;
  const createdAt = requested.metadata.occurredAt;
  const { reply: wish } = requested.data;
  if (wish.kind !== 'wait') {
    // The same body is a condition of the replay, so the address in it is the one that was given.
    const { webhook_url: webhookUrl } = body as { webhook_url?: string };
    return reply.send(queuedOf(id, createdAt, { estimatedMs: wish.estimatedMs, webhookUrl }));
  }
  const failed = loaded.history.find((event) => event.type === 'RenderFailed');
  if (failed) return sendFault(reply, failed.data.fault, { render_id: renderIdOf(id) });
  if (loaded.aggregate.state.status !== 'DONE') return 'running';
  const kept = await keptAnswer(parts, loaded);
  if (kept) return sendRender(reply, { id, createdAt, answer: Promise.resolve(kept) });
  const waiting = new AbortController();
  const answer = parts.answers.wait(id, AbortSignal.any([abandonment(reply), waiting.signal]));
  await askAgain(parts, context, loaded).catch((error: unknown) => {
    waiting.abort();
    throw error;
  });
  return sendRender(reply, { id, createdAt, answer });
};
