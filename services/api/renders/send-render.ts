import type { FastifyReply } from 'fastify';
import type { Diagnostics } from '#contracts/http/diagnostics.ts';
import type { RenderQueuedResponse } from '#contracts/http/jobs.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { jobIdOf, renderIdOf } from '#contracts/names.ts';
import type { RenderReply } from '#libs/replies/port.ts';
import { bytesToKb } from '#libs/sizes/sizes.ts';
import { getDiagnostics, type DiagnosticsDependencies } from '#application/renders/diagnostics.ts';
import { sendError } from '../server/errors.ts';
import type { CallerContext } from '../server/context.ts';
import { requirePdf, type SubmitRenderResult } from '#application/renders/submit-render.ts';

type CompletedReply = Extract<RenderReply, { status: 'DONE' }>;

/** Base64 needs no escaping, so the large field is set into the JSON text rather than run through a serialiser. */
const renderResponseJson = (
  id: string,
  createdAt: string,
  { pdf, pages, durationMs }: CompletedReply,
  more: Record<string, unknown>,
): string => {
  const rest = JSON.stringify({
    pages,
    file_size_kb: bytesToKb(pdf.byteLength),
    duration_ms: durationMs,
    created_at: createdAt,
    ...more,
  });
  const base64 = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('base64');
  return `{"id":"${renderIdOf(id)}","status":"DONE","pdf_base64":"${base64}",${rest.slice(1)}`;
};

const maxWaitMs = 300_000;
/** The same for all: an error made for each would cost more than many a request. */
const waitEndedError = new Error('Nobody waits for the render any more.');

/** Aborts when the caller hangs up, or when nothing came for so long that nothing will. */
export const waitSignal = (reply: FastifyReply): AbortSignal => {
  const over = new AbortController();
  const giveUp = (): void => over.abort(waitEndedError);
  const timer = setTimeout(giveUp, maxWaitMs).unref();
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
export const queuedRenderOf = (
  id: string,
  createdAt: string,
  { estimatedMs, webhookUrl }: { estimatedMs: number; webhookUrl: string | undefined },
): RenderQueuedResponse => ({
  id: renderIdOf(id),
  job_id: jobIdOf(id),
  status: 'QUEUED',
  ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
  estimated_time_ms: estimatedMs,
  created_at: createdAt,
});

/** Fields that are found out once the render has ended, however it did. */
export type LateFields = () => Promise<Record<string, unknown>>;
const noLateFields: LateFields = async () => ({});

type DiagnosticsContext = Pick<
  CallerContext<unknown, { diagnostics?: string | undefined }>,
  'id' | 'query' | 'cause' | 'reply'
>;

/** `diagnostics` for the answer to a render, where the query asks for it. `id` is the bare id of the render. */
export const diagnosticsFieldsOf = (
  parts: DiagnosticsDependencies,
  { id, query, cause, reply }: DiagnosticsContext,
): LateFields | undefined => {
  if (query.diagnostics !== 'true') return undefined;
  return async () => {
    const failed = (err: unknown): null => (reply.request.log.error({ err }, 'a render could not be diagnosed'), null);
    const diagnostics: Diagnostics | null = await getDiagnostics(parts, id, cause, waitSignal(reply)).catch(failed);
    return diagnostics ? { diagnostics } : {};
  };
};

/** Waits for the PDF and answers with it, or with the error that the render ended in. `more` are further fields of the answer, `afterwards` finds out those of both. */
export const sendRender = async (
  reply: FastifyReply,
  { id, createdAt, reply: renderReply }: Omit<SubmitRenderResult, 'position'>,
  more: Record<string, unknown> = {},
  afterwards = noLateFields,
): Promise<FastifyReply> => {
  try {
    const done = requirePdf(await renderReply);
    return reply
      .type('application/json; charset=utf-8')
      .send(renderResponseJson(id, createdAt, done, { ...more, ...(await afterwards()) }));
  } catch (error) {
    if (error instanceof ApiError)
      return sendError(reply, error.fields, { render_id: renderIdOf(id), ...(await afterwards()) });
    throw error;
  }
};
