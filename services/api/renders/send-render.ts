import type { FastifyReply } from 'fastify';
import type { Diagnostics } from '#contracts/http/diagnostics.ts';
import type { RenderQueuedResponse } from '#contracts/http/jobs.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { fileNameFor, outputContentTypes, pdfContentType } from '#contracts/http/output.ts';
import { defaultFileNameOf, jobIdOf, readModels, renderIdOf } from '#contracts/names.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import type { RenderReply } from '#libs/replies/port.ts';
import { bytesToKb } from '#libs/sizes/sizes.ts';
import { getDiagnostics, type DiagnosticsDependencies } from '#application/renders/diagnostics.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import type { DownloadUrlFor } from '../jobs/job-view.ts';
import { thumbnailUrlOf } from '#libs/secrets/download-token.ts';
import { prefersFile } from '../server/accepts-pdf.ts';
import { attachmentOf } from '../server/attachment.ts';
import { sendError } from '../server/errors.ts';
import { callerOf } from '../server/request.ts';
import type { Transfers } from '../server/transfers.ts';
import type { CallerContext } from '../server/context.ts';
import { warningsFieldOf } from './warnings.ts';
import { requirePdf, type SubmitRenderResult } from '#application/renders/submit-render.ts';

type CompletedReply = Extract<RenderReply, { status: 'DONE' }>;

const base64Of = (bytes: Uint8Array): string => asBuffer(bytes).toString('base64');

const base64LengthOf = ({ byteLength }: Uint8Array): number => Math.ceil(byteLength / 3) * 4;

type RenderedFile = { id: string; createdAt: string; fileName: string };

/** Base64 needs no escaping, so the large field is inserted into the JSON text without a serialiser. */
const renderResponseJson = (
  { id, createdAt, fileName }: RenderedFile,
  { pdf, contentType, thumbnail, pages, durationMs, warnings }: CompletedReply,
  extra: Record<string, unknown>,
): string => {
  const rest = JSON.stringify({
    pages,
    file_size_kb: bytesToKb(pdf.byteLength),
    duration_ms: durationMs,
    created_at: createdAt,
    ...warningsFieldOf(warnings),
    ...(contentType ? { content_type: contentType, file_name: fileName } : {}),
    ...(thumbnail ? { thumbnail_base64: base64Of(thumbnail), thumbnail_content_type: 'image/png' } : {}),
    ...extra,
  });
  const field = contentType ? 'file_base64' : 'pdf_base64';
  return `{"id":"${renderIdOf(id)}","status":"DONE","${field}":"${base64Of(pdf)}",${rest.slice(1)}`;
};

/** The parts of a RouteResponse of a route that ends with `sendRender`. */
export const pdfResponse = {
  contentType: outputContentTypes,
  headers: {
    'Content-Disposition': 'With the file itself: its name, from `file_name`.',
    'X-Render-Id': 'With the file itself: the id of the render.',
    'X-Page-Count': 'With the file itself: the number of its pages.',
    'X-Duration-Ms': 'With the file itself: the milliseconds from the acceptance of the request to the finished file.',
  },
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

/**
 * The immediate response to an asynchronous render. `webhookUrl` comes from the request: the event log masks its
 * secrets.
 */
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

export type SendRenderDependencies = {
  downloadUrlFor: DownloadUrlFor;
  readYourWrites: ReadYourWrites;
  transfers: Pick<Transfers, 'beginResponse'>;
};

const keptPdfFieldsOf = (
  { downloadUrlFor }: SendRenderDependencies,
  id: string,
  { keptUntil, thumbnail }: CompletedReply,
): Record<string, string> => {
  if (keptUntil === undefined) return {};
  const url = downloadUrlFor(id, new Date(keptUntil));
  return { pdf_url: url, pdf_expires_at: keptUntil, ...(thumbnail ? { thumbnail_url: thumbnailUrlOf(url) } : {}) };
};

/** Sends the bytes of the PDF or the images, with the file name. */
const sendFile = (
  reply: FastifyReply,
  { id, fileName }: RenderedFile,
  { pdf, contentType = pdfContentType, pages, durationMs }: CompletedReply,
): FastifyReply =>
  reply
    .headers({
      'content-type': contentType,
      'content-disposition': attachmentOf(fileName),
      'x-content-type-options': 'nosniff',
      'x-render-id': renderIdOf(id),
      'x-page-count': pages,
      'x-duration-ms': durationMs,
    })
    .send(pdf);

/**
 * Waits for the PDF or images and sends them, or the error of the render. They are sent as bytes or in JSON, as the
 * caller prefers; an error is always JSON. Queries of the account then show the end of the render. `extra` are further fields
 * of a JSON response with a PDF, `lateFields` those of any JSON response.
 */
export const sendRender = async (
  dependencies: SendRenderDependencies,
  reply: FastifyReply,
  { id, createdAt, fileName, reply: renderReply }: Omit<SubmitRenderResult, 'position'>,
  extra: Record<string, unknown> = {},
  lateFields: LateFields = async () => ({}),
): Promise<FastifyReply> => {
  try {
    const ended = await renderReply;
    const accountId = callerOf(reply.request).account.id;
    if (ended?.position !== undefined)
      dependencies.readYourWrites.recordWrite(accountId, ended.position, readModels.renders);
    const completed = requirePdf(ended);
    // The error names the render, so that its PDF is not lost if it is kept.
    dependencies.transfers.beginResponse(reply, accountId, base64LengthOf(completed.pdf));
    reply.header('vary', 'Accept');
    const { contentType = pdfContentType } = completed;
    const file = { id, createdAt, fileName: fileNameFor(fileName ?? defaultFileNameOf(id), contentType) };
    if (prefersFile(reply.request, contentType)) return sendFile(reply, file, completed);
    const fields = { ...keptPdfFieldsOf(dependencies, id, completed), ...extra };
    return reply
      .type('application/json; charset=utf-8')
      .send(renderResponseJson(file, completed, { ...fields, ...(await lateFields()) }));
  } catch (error) {
    if (error instanceof ApiError)
      return sendError(reply, error.fields, { render_id: renderIdOf(id), ...(await lateFields()) });
    throw error;
  }
};
