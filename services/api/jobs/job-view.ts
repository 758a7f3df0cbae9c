import { errorFieldsOf } from '#application/deliveries/payload.ts';
import { errors } from '#contracts/http/errors.ts';
import type { JobResponse } from '#contracts/http/jobs.ts';
import { fileNameFor, pdfContentType, imageTypes } from '#contracts/http/output.ts';
import { jobIdOf, renderIdOf, templateIdOf } from '#contracts/names.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { thumbnailUrlOf } from '#libs/secrets/download-token.ts';
import { bytesToKb } from '#libs/sizes/sizes.ts';
import { warningsFieldOf } from '../renders/warnings.ts';

export type DownloadUrlFor = (id: string, until: Date) => string;

const sourceFieldsOf = ({ source, pageUrl }: RenderDocument) =>
  source.mode === 'CONVERT'
    ? { mode: source.mode, input_type: source.inputType, ...(pageUrl === undefined ? {} : { url: pageUrl }) }
    : source.mode === 'COMPOSE'
      ? { mode: source.mode, parts: source.parts }
      : { mode: source.mode, template_id: templateIdOf(source.templateId), template_version: source.templateVersion };

const endFieldsOf = (document: RenderDocument): Partial<JobResponse> => {
  const { status, endedAt, durationMs, pages, pdf, contentType, error, warnings } = document;
  if (status === 'DONE')
    return {
      completed_at: endedAt!,
      duration_ms: durationMs!,
      pages: pages!,
      file_size_kb: bytesToKb(pdf!.size),
      pdf_sha256: pdf!.sha256,
      ...(contentType === undefined ? {} : { content_type: contentType }),
      ...warningsFieldOf(warnings),
    };
  if (status !== 'FAILED') return {};
  return {
    failed_at: endedAt!,
    duration_ms: durationMs!,
    error: errors[error!.name].error,
    message: error!.message,
    ...errorFieldsOf(error!),
  };
};

const pdfFieldsOf = (
  { id, status, keptUntil, thumbnail }: RenderDocument,
  urlOf: DownloadUrlFor,
  now: Date,
): Partial<JobResponse> => {
  if (status !== 'DONE' || keptUntil === null) return {};
  const until = new Date(keptUntil);
  if (now >= until) return { pdf_expires_at: keptUntil };
  const url = urlOf(id, until);
  return { pdf_expires_at: keptUntil, pdf_url: url, ...(thumbnail ? { thumbnail_url: thumbnailUrlOf(url) } : {}) };
};

const webhookErrorOf = (url: string, { attempts, lastError }: DeliveryDocument): JobResponse['webhook_error'] => ({
  error: 'webhook_failed',
  message: `The callback could not be delivered: ${lastError}`,
  code: 500,
  webhook_url: url,
  attempts,
  last_error: lastError ?? 'unknown',
});

const webhookFieldsOf = ({ webhookUrl }: RenderDocument, delivery: DeliveryDocument | null): Partial<JobResponse> => {
  if (webhookUrl === null) return {};
  if (!delivery) return { webhook_url: webhookUrl, webhook_status: 'pending', webhook_attempts: 0 };
  const url = delivery.url ?? webhookUrl;
  return {
    webhook_url: url,
    webhook_status: delivery.status,
    webhook_attempts: delivery.attempts,
    ...(delivery.lastAttemptAt ? { webhook_last_attempt: delivery.lastAttemptAt } : {}),
    ...(delivery.lastError ? { webhook_last_error: delivery.lastError } : {}),
    ...(delivery.status === 'failed' ? { webhook_error: webhookErrorOf(url, delivery) } : {}),
  };
};

const fileNameFieldsOf = ({ fileName, output, contentType }: RenderDocument): Partial<JobResponse> => {
  if (fileName === undefined) return {};
  const expectedType = output === undefined ? pdfContentType : imageTypes[output].contentType;
  return { file_name: fileNameFor(fileName, contentType ?? expectedType) };
};

/** A job as the API returns it, from the render and its webhook delivery. */
export const jobOf = (
  render: RenderDocument,
  delivery: DeliveryDocument | null,
  urlOf: DownloadUrlFor,
  now: Date,
): JobResponse => ({
  job_id: jobIdOf(render.id),
  id: renderIdOf(render.id),
  status: render.status,
  ...sourceFieldsOf(render),
  created_at: render.createdAt,
  ...(render.startedAt ? { started_at: render.startedAt } : {}),
  ...(render.output === undefined ? {} : { output: render.output }),
  ...fileNameFieldsOf(render),
  ...endFieldsOf(render),
  ...pdfFieldsOf(render, urlOf, now),
  ...webhookFieldsOf(render, delivery),
});
