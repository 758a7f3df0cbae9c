import type { FastifyReply } from 'fastify';
import type { Diagnostics } from '#contracts/http/diagnostics.ts';
import type { RenderQueued } from '#contracts/http/jobs.ts';
import { Problem } from '#contracts/http/problem.ts';
import { jobIdOf, renderIdOf } from '#contracts/names.ts';
import type { Answer } from '#libs/answers/port.ts';
import { inKb } from '#libs/sizes/sizes.ts';
import { diagnosticsOf, type DiagnosticsParts } from '#application/renders/diagnostics.ts';
import { sendFault } from '../server/errors.ts';
import type { CallerContext } from '../server/context.ts';
import { pdfOf, type Submission } from '#application/renders/submit-render.ts';

type Done = Extract<Answer, { status: 'DONE' }>;

/** Base64 needs no escaping, so the large field is set into the JSON text rather than run through a serialiser. */
const renderJson = (id: string, createdAt: string, { pdf, pages, durationMs }: Done, more: Record<string, unknown>): string => {
  const rest = JSON.stringify({ pages, file_size_kb: inKb(pdf.byteLength), duration_ms: durationMs, created_at: createdAt, ...more });
  const base64 = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('base64');
  return `{"id":"${renderIdOf(id)}","status":"DONE","pdf_base64":"${base64}",${rest.slice(1)}`;
};

const longestWaitMs = 300_000;
/** The same for all: an error made for each would cost more than many a request. */
const gone = new Error('Nobody waits for the render any more.');

/** Aborts when the caller hangs up, or when nothing came for so long that nothing will. */
export const abandonment = (reply: FastifyReply): AbortSignal => {
  const over = new AbortController();
  const giveUp = (): void => over.abort(gone);
  const timer = setTimeout(giveUp, longestWaitMs).unref();
  const leave = (): void => {
    clearTimeout(timer);
    giveUp();
  };
  // Who hung up while their request was looked at is told of no more.
  if (reply.raw.closed) leave();
  else reply.raw.once('close', leave);
  return over.signal;
};

/** The immediate answer to a render that nobody waits for. `webhookUrl` is the one of the request: the log has no secrets of it. */
export const queuedOf = (id: string, createdAt: string, { estimatedMs, webhookUrl }: { estimatedMs: number; webhookUrl: string | undefined }): RenderQueued => ({
  id: renderIdOf(id),
  job_id: jobIdOf(id),
  status: 'QUEUED',
  ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
  estimated_time_ms: estimatedMs,
  created_at: createdAt,
});

/** Fields that are found out once the render has ended, however it did. */
export type Afterwards = () => Promise<Record<string, unknown>>;
const nothingMore: Afterwards = async () => ({});

type Asking = Pick<CallerContext<unknown, { diagnostics?: string | undefined }>, 'id' | 'query' | 'cause' | 'reply'>;

/** `diagnostics` for the answer to a render, where the query asks for it. `id` is the bare id of the render. */
export const afterwardsOf = (parts: DiagnosticsParts, { id, query, cause, reply }: Asking): Afterwards | undefined => {
  if (query.diagnostics !== 'true') return undefined;
  return async () => {
    const failed = (err: unknown): null => (reply.request.log.error({ err }, 'a render could not be diagnosed'), null);
    const diagnostics: Diagnostics | null = await diagnosticsOf(parts, id, cause, abandonment(reply)).catch(failed);
    return diagnostics ? { diagnostics } : {};
  };
};

/** Waits for the PDF and answers with it, or with the error that the render ended in. `more` are further fields of the answer, `afterwards` finds out those of both. */
export const sendRender = async (reply: FastifyReply, { id, createdAt, answer }: Omit<Submission, 'position'>, more: Record<string, unknown> = {}, afterwards = nothingMore): Promise<FastifyReply> => {
  try {
    const done = pdfOf(await answer);
    return reply.type('application/json; charset=utf-8').send(renderJson(id, createdAt, done, { ...more, ...(await afterwards()) }));
  } catch (error) {
    if (error instanceof Problem) return sendFault(reply, error.fault, { render_id: renderIdOf(id), ...(await afterwards()) });
    throw error;
  }
};
