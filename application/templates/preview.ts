import { hash } from 'node:crypto';
import type { Caller } from '#application/callers/caller.ts';
import { planLimits } from '#application/accounts/queries.ts';
import { accountDefaultsFor } from '#application/accounts/render-settings.ts';
import { requireAttachmentLimits, requireCompatibleOptions } from '#application/renders/option-conflicts.ts';
import type { RenderRequestedData } from '#application/renders/load-inputs.ts';
import { renderLimits } from '#application/renders/submit-render.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { type DefaultOptions } from '#contracts/http/templates.ts';
import { type LargeOptions, splitLargeOptions } from '#contracts/http/large-options.ts';
import { mergeRenderOptions, type NamedRenderOptions } from '#contracts/http/render-options.ts';
import { subjects } from '#contracts/names.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Bus } from '#libs/bus/port.ts';
import type { RenderReplies, RenderReply } from '#libs/replies/port.ts';
import type { TemplateVariablesAndOptions } from './content.ts';

/**
 * What a renderer needs for a preview. `requested` describes the document as RenderRequested does, but it is in no event
 * log; `inputs` are the texts that it refers to by their SHA-256. A renderer that gets it after `expiresAt` does not start.
 */
export type PreviewTask = {
  id: string;
  requestedAt: string;
  expiresAt: string;
  requested: RenderRequestedData;
  inputs: string[];
};

/** The message for a renderer: a task, or the blob of one that is too large for a message. */
export type PreviewMessage = { preview: { task: string } | { blob: string } };

/** How long a preview may wait for a renderer, in milliseconds. Its processing time is limited as that of a render. */
const maxPreviewWaitMs = 15_000;
/** A message of NATS has at most 1 MB by default. */
const maxMessageBytes = 256 * 1024;

export type TemplateToPreview = TemplateVariablesAndOptions & {
  content: string;
  /** JSON in UTF-8, as the caller sent it. */
  data: string;
  /** The options of the request, which override those of the template. */
  options: NamedRenderOptions;
};

/** A message has texts only, so files are in base64. */
const largeOptionsAsText = ({ attachments, ...others }: LargeOptions): string =>
  JSON.stringify({
    ...others,
    attachments: attachments?.map(({ data, ...file }) => ({
      ...file,
      data: typeof data === 'string' ? data : asBuffer(data).toString('base64'),
    })),
  });

const toRef = (text: string): BlobRef => ({ sha256: hash('sha256', text, 'hex'), size: Buffer.byteLength(text) });

const orNull = (text: string | null | undefined): string | null => (text === undefined || text === '' ? null : text);

/** `id` names the preview, `at` is the date of its PDF. `now` is the present time. */
export const previewTaskOf = (
  { account, keyId, keyType }: Pick<Caller, 'account' | 'keyId' | 'keyType'>,
  { content, variables, default_options, labels, data, options: named }: TemplateToPreview,
  { id, at, now }: { id: string; at: Date; now: Date },
): PreviewTask => {
  const settings = JSON.stringify({ variables, default_options, ...(labels ? { labels } : {}) });
  const merged = mergeRenderOptions<DefaultOptions>(default_options, named);
  requireCompatibleOptions(merged);
  requireAttachmentLimits(merged, planLimits(account));
  // A preview is always a PDF alone, and has no password.
  const {
    header_html,
    footer_html,
    output: _o,
    thumbnail: _t,
    file_name: _f,
    keep_pdf: _k,
    encryption: _e,
    ...others
  } = merged;
  const { options, largeOptions } = splitLargeOptions(others);
  const large = largeOptions && largeOptionsAsText(largeOptions);
  const [header, footer] = [orNull(header_html), orNull(footer_html)];
  const limits = renderLimits(planLimits(account));
  const accountDefaults = accountDefaultsFor(account, merged);
  return {
    id,
    requestedAt: at.toISOString(),
    expiresAt: new Date(now.getTime() + maxPreviewWaitMs).toISOString(),
    inputs: [content, settings, data, header, footer, large].filter((text) => text !== null),
    requested: {
      accountId: account.id,
      keyId,
      keyType,
      source: {
        mode: 'RENDER',
        templateId: id,
        templateVersion: 0,
        content: toRef(content),
        settings: toRef(settings),
        data: toRef(data),
      },
      options,
      ...(large === null ? {} : { largeOptions: toRef(large) }),
      headerFooter: { header: header === null ? null : toRef(header), footer: footer === null ? null : toRef(footer) },
      limits,
      templateTest: true,
      ...(accountDefaults && { accountDefaults }),
      responseMode: { kind: 'wait' },
    },
  };
};

export type PreviewReply = Extract<RenderReply, { status: 'DONE' }>;

/** Has a renderer render previews. Nothing is recorded: a lost preview is requested again. */
export type Previews = {
  /** @throws ApiError for errors of the document, and service_unavailable if no renderer answers in time */
  render(task: PreviewTask): Promise<PreviewReply>;
};

const noReply: ApiErrorFields = {
  name: 'service_unavailable',
  message: 'The preview could not be rendered in time. Try again.',
  extra: { retry_after: 5 },
};

const noRenderer: ApiErrorFields = {
  name: 'service_unavailable',
  message: 'No preview can be rendered now. Try again shortly.',
  extra: { retry_after: 2 },
};

/** `replies` are those without the event log, which knows nothing about previews. */
export const createPreviews = (
  bus: Pick<Bus, 'publish'>,
  replies: RenderReplies,
  blobs: Pick<BlobStore, 'put' | 'delete'>,
  isBusUnavailable: () => boolean = () => false,
): Previews => ({
  render: async (task) => {
    if (isBusUnavailable()) throw ApiError.from(noRenderer);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), maxPreviewWaitMs + task.requested.limits.processingMs);
    const reply = replies.wait(task.id, stop.signal);
    const json = JSON.stringify(task);
    // Other blobs are named by what they hold. This one has an id in it, so no other is erased with it.
    const blob = Buffer.byteLength(json) > maxMessageBytes ? hash('sha256', json, 'hex') : null;
    try {
      // It may be stored although this fails.
      if (blob !== null) await blobs.put(Buffer.from(json));
      const data: PreviewMessage = { preview: blob === null ? { task: json } : { blob } };
      const message = { id: `preview-${task.id}`, subject: subjects.renderRequested, data, urgent: true };
      await bus.publish(message, stop.signal);
      const ended = await reply;
      if (ended?.status === 'DONE') return ended;
      throw ApiError.from(ended?.error ?? noReply);
    } finally {
      clearTimeout(timer);
      stop.abort();
      if (blob !== null) await blobs.delete(blob).catch(() => undefined);
    }
  },
});
