import type { EncryptionOption } from '#contracts/http/encryption.ts';
import { renderOptions } from '#contracts/http/render-options.ts';
import { mask } from '#contracts/http/request-headers.ts';
import type { RecordedRequest, RenderDetailResponse } from '#contracts/http/render-detail.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { recordedContentTypes } from '#application/renders/recorded-input.ts';
import { traceIdOf } from '#libs/telemetry/traceparent.ts';

type RequestedData = EventData['RenderRequested'];

const partOf = (contentType: string, { sha256, size }: BlobRef) => ({
  content_type: contentType,
  size_bytes: size,
  sha256,
});

const inputOf = ({ source }: RequestedData): RecordedRequest['input'] => {
  if (source.mode === 'RENDER') return partOf(recordedContentTypes.json, source.data);
  if (source.mode === 'COMPOSE') return partOf(recordedContentTypes.json, source.manifest);
  const fileName = source.upload?.fileName;
  return { ...partOf(recordedContentTypes[source.inputType], source.input), ...(fileName && { file_name: fileName }) };
};

const headerOf = (ref: BlobRef | null) => ref && partOf(recordedContentTypes.html, ref);

const pageFieldsOf = ({ source }: RequestedData): Partial<RecordedRequest> =>
  source.mode === 'CONVERT' && source.page
    ? { url_headers: source.page.headers, url_cookies: source.page.cookies }
    : {};

const webhookFieldsOf = ({ responseMode }: RequestedData): Partial<RecordedRequest> =>
  responseMode.kind === 'webhook' ? { webhook_method: responseMode.method, webhook_headers: responseMode.headers } : {};

/** The option as it was sent, with `***` in place of passwords. */
const encryptionOf = ({ encryption }: RequestedData): { encryption?: EncryptionOption } => {
  if (!encryption) return {};
  const { permissions, encryptMetadata, given } = encryption;
  const masked = Object.fromEntries(given.map((name) => [`${name}_password`, mask]));
  return { encryption: { ...masked, permissions, encrypt_metadata: encryptMetadata } };
};

const requestOf = (requested: RequestedData): RecordedRequest => {
  const { source, headerFooter, options, limits } = requested;
  const { header_html: _header, footer_html: _footer, css_page: _cssPage, ...all } = renderOptions.parse(options);
  return {
    input: inputOf(requested),
    header: headerOf(headerFooter.header),
    footer: headerOf(headerFooter.footer),
    ...(source.assets ? { assets: { sha256: source.assets.sha256, size_bytes: source.assets.size } } : {}),
    options: { ...options, ...encryptionOf(requested) },
    all_options: { ...all, ...encryptionOf(requested) },
    ...pageFieldsOf(requested),
    ...webhookFieldsOf(requested),
    limits: {
      processing_ms: limits.processingMs,
      script_ms: limits.scriptMs,
      max_pages: limits.maxPages,
      max_images: limits.maxImages,
      max_pdf_bytes: limits.maxPdfBytes,
    },
  };
};

type DetailFields = Pick<
  RenderDetailResponse,
  | 'render_mode'
  | 'render_mode_reason'
  | 'engine'
  | 'attempts'
  | 'request_id'
  | 'trace_id'
  | 'pdf_size_bytes'
  | 'error_fields'
  | 'request'
>;

/** The fields of a render that are in its history and not in the list of renders. */
export const detailFieldsOf = (history: readonly RecordedEvent[]): DetailFields => {
  const request = history.find((event) => event.type === 'RenderRequested')!;
  const completed = history.find((event) => event.type === 'RenderCompleted')?.data;
  const failed = history.find((event) => event.type === 'RenderFailed')?.data;
  return {
    attempts: history.filter(({ type }) => type === 'RenderStarted').length,
    request_id: request.metadata.correlationId,
    trace_id: traceIdOf(request.metadata.traceparent),
    ...(completed
      ? {
          render_mode: completed.renderMode,
          render_mode_reason: completed.renderModeReason,
          engine: completed.engine,
          pdf_size_bytes: completed.pdf.size,
        }
      : {}),
    ...(failed ? { error_fields: failed.error.extra } : {}),
    request: requestOf(request.data),
  };
};
