import { errors } from '#contracts/http/errors.ts';
import type { JobResponse } from '#contracts/http/jobs.ts';
import { jobIdOf, renderIdOf, templateIdOf } from '#contracts/names.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { bytesToKb } from '#libs/sizes/sizes.ts';

export type DownloadUrlFor = (id: string, until: Date) => string;

const sourceFieldsOf = ({ source }: RenderDocument) =>
  source.mode === 'CONVERT'
    ? { mode: source.mode, input_type: source.inputType }
    : { mode: source.mode, template_id: templateIdOf(source.templateId), template_version: source.templateVersion };

const endFieldsOf = ({ status, endedAt, durationMs, pages, pdf, error }: RenderDocument): Partial<JobResponse> => {
  if (status === 'DONE')
    return {
      completed_at: endedAt!,
      duration_ms: durationMs!,
      pages: pages!,
      file_size_kb: bytesToKb(pdf!.size),
      pdf_sha256: pdf!.sha256,
    };
  if (status !== 'FAILED') return {};
  const { details } = error!.extra;
  return {
    failed_at: endedAt!,
    duration_ms: durationMs!,
    error: errors[error!.name].error,
    message: error!.message,
    ...(details === undefined ? {} : { details }),
  };
};

const pdfFieldsOf = (
  { id, status, keptUntil }: RenderDocument,
  urlOf: DownloadUrlFor,
  now: Date,
): Partial<JobResponse> => {
  if (status !== 'DONE' || keptUntil === null) return {};
  const until = new Date(keptUntil);
  return { pdf_expires_at: keptUntil, ...(now < until ? { pdf_url: urlOf(id, until) } : {}) };
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
  ...endFieldsOf(render),
  ...pdfFieldsOf(render, urlOf, now),
  ...webhookFieldsOf(render, delivery),
});
