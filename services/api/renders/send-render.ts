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

/** Base64 needs no escaping, so the large field is inserted into the JSON text without a serialiser. */
const renderResponseJson = (
  id: string,
  createdAt: string,
  { pdf, pages, durationMs }: CompletedReply,
  extra: Record<string, unknown>,
): string => {
  const rest = JSON.stringify({
    pages,
    file_size_kb: bytesToKb(pdf.byteLength),
    duration_ms: durationMs,
    created_at: createdAt,
    ...extra,
  });
  const base64 = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('base64');
  return `{"id":"${renderIdOf(id)}","status":"DONE","pdf_base64":"${base64}",${rest.slice(1)}`;
};

const maxWaitMs = 300_000;
/** Shared, because creating an error is expensive. */
const waitEndedError = new Error('The caller no longer waits for the render.');

/** Aborts when the caller disconnects, or after the maximum wait of 5 minutes. */
export const waitSignal = (reply: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  const abort = (): void => controller.abort(waitEndedError);
  const timer = setTimeout(abort, maxWaitMs).unref();
  const onClose = (): void => {
    clearTimeout(timer);
    abort();
  };
  // There is no close event if the caller has disconnected before.
  if (reply.raw.closed) onClose();
  else reply.raw.once('close', onClose);
  return controller.signal;
};

/** The immediate response to an asynchronous render. `webhookUrl` comes from the request: the event log masks its secrets. */
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

/** Fields that are known only after the end of the render. */
export type LateFields = () => Promise<Record<string, unknown>>;
const noLateFields: LateFields = async () => ({});

type DiagnosticsContext = Pick<
  CallerContext<unknown, { diagnostics?: string | undefined }>,
  'id' | 'query' | 'cause' | 'reply'
>;

/** The field `diagnostics` of the response, if the query asks for it. `id` is the bare id of the render. */
export const diagnosticsFieldsOf = (
  dependencies: DiagnosticsDependencies,
  { id, query, cause, reply }: DiagnosticsContext,
): LateFields | undefined => {
  if (query.diagnostics !== 'true') return undefined;
  return async () => {
    const logFailure = (err: unknown): null => (reply.request.log.error({ err }, 'diagnosis failed'), null);
    const diagnostics: Diagnostics | null = await getDiagnostics(dependencies, id, cause, waitSignal(reply)).catch(
      logFailure,
    );
    return diagnostics ? { diagnostics } : {};
  };
};

/**
 * Waits for the PDF and sends it, or the error of the render. `extra` are further fields of a PDF response,
 * `lateFields` those of a PDF or an error response.
 */
export const sendRender = async (
  reply: FastifyReply,
  { id, createdAt, reply: renderReply }: Omit<SubmitRenderResult, 'position'>,
  extra: Record<string, unknown> = {},
  lateFields = noLateFields,
): Promise<FastifyReply> => {
  try {
    const completed = requirePdf(await renderReply);
    return reply
      .type('application/json; charset=utf-8')
      .send(renderResponseJson(id, createdAt, completed, { ...extra, ...(await lateFields()) }));
  } catch (error) {
    if (error instanceof ApiError)
      return sendError(reply, error.fields, { render_id: renderIdOf(id), ...(await lateFields()) });
    throw error;
  }
};
