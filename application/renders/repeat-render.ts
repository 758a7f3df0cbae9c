import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { ResponseMode } from '#contracts/events/render-request.ts';
import { ApiError, invalidField } from '#contracts/http/api-error.ts';
import { decodeLargeOptions } from '#contracts/http/large-options.ts';
import type { NamedRenderOptions } from '#contracts/http/render-options.ts';
import type { RepeatRenderRequest } from '#contracts/http/renders.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { inputBlobs } from '#libs/domain/render-inputs.ts';
import { bytesPerMb, bytesToMb } from '#libs/sizes/sizes.ts';
import { requireAttachmentLimits } from './option-conflicts.ts';
import type { RenderInput } from './render-content.ts';
import { blobsOfParts, readComposition, type RenderRequestedData } from './load-inputs.ts';
import type { RequestedResponseMode } from './submit-render.ts';

const inputLost = (): ApiError =>
  ApiError.of(
    'render_input_lost',
    'The content of the recorded request can no longer be read, so it cannot be rendered again. ' +
      'Send the whole request again with POST /api/v1/render.',
  );

/** The limit of the present plan applies, even if the plan allowed more when the request was recorded. */
const requirePayloadSize = (blobs: readonly BlobRef[], { maxPayloadMb }: PlanLimits): void => {
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= maxPayloadMb * bytesPerMb) return;
  const size = bytesToMb(bytes);
  throw ApiError.of(
    'payload_too_large',
    `The content of the recorded request has ${size} MB; the account's plan now allows ${maxPayloadMb} MB.`,
    { max_size_mb: maxPayloadMb, received_size_mb: size },
  );
};

/** The parts of a request that its caller sent, without the content of a template. */
const payloadBlobs = async (
  inputs: BlobStore,
  { source, headerFooter, largeOptions }: RenderRequestedData,
): Promise<BlobRef[]> => {
  const own = [source.assets, headerFooter.header, headerFooter.footer, largeOptions].filter((ref) => !!ref);
  if (source.mode !== 'COMPOSE') return [source.mode === 'CONVERT' ? source.input : source.data, ...own];
  const { parts } = await readComposition(inputs, source);
  const ofParts = parts.flatMap((part) => [
    part.source.mode === 'RENDER' ? part.source.data : 'input' in part.source ? part.source.input : null,
    part.headerFooter.header,
    part.headerFooter.footer,
  ]);
  return [...ofParts.filter((ref) => ref !== null), ...own];
};

const readIfPresent = async (inputs: BlobStore, ref: BlobRef | null): Promise<Uint8Array | null> => {
  try {
    return ref && (await inputs.get(ref.sha256));
  } catch (error) {
    throw error instanceof BlobNotFound ? inputLost() : error;
  }
};

/** The parts and attachments that the plan allows now. @throws ApiError invalid_request */
const requirePlanLimits = ({ source }: RenderRequestedData, options: NamedRenderOptions, limits: PlanLimits): void => {
  if (source.mode === 'COMPOSE' && source.parts > limits.maxParts)
    throw invalidField(
      'parts',
      `The recorded request has ${source.parts} parts; the account's plan now allows ${limits.maxParts}.`,
    );
  requireAttachmentLimits(options, limits);
};

type RepeatField = keyof RepeatRenderRequest;

const secretsErased = (missing: readonly RepeatField[]): ApiError =>
  ApiError.of(
    'render_secrets_erased',
    `Secrets of the recorded request are not kept for a repeated render. Send in the body: ${missing.join(', ')}.`,
    { missing_fields: [...missing] },
  );

const hasEntries = (object: object): boolean => Object.keys(object).length > 0;

/**
 * The request of a page with the headers and cookies of the body; no field if there are none.
 * @throws ApiError render_secrets_erased if the body lacks those that the recorded request had; invalid_request if the
 * input is not a page
 */
const pageInput = async (
  inputs: BlobStore,
  { source }: RenderRequestedData,
  { url_headers: headers, url_cookies: cookies }: RepeatRenderRequest,
): Promise<Pick<RenderInput, 'page'>> => {
  const recorded = source.mode === 'CONVERT' ? source.page : undefined;
  const given = headers ? 'url_headers' : cookies ? 'url_cookies' : null;
  if (source.mode !== 'CONVERT' || !recorded) {
    if (given === null) return {};
    throw invalidField(given, `${given} is allowed only if the input_type of the render is url.`);
  }
  const missing = [
    ...(headers === undefined && hasEntries(recorded.headers) ? (['url_headers'] as const) : []),
    ...(cookies === undefined && hasEntries(recorded.cookies) ? (['url_cookies'] as const) : []),
  ];
  if (missing.length > 0) throw secretsErased(missing);
  if (given === null) return {};
  const url = Buffer.from((await readIfPresent(inputs, source.input))!).toString();
  return { page: { url, headers: headers ?? {}, cookies: cookies ?? [] } };
};

/** @throws ApiError render_input_lost if the blob store lacks a part of the recorded request */
export const requireInputs = async (
  inputs: Pick<BlobStore, 'get' | 'has'>,
  recorded: RenderRequestedData,
): Promise<void> => {
  // A lost blob of an old render does not mean that the blob store is incomplete. `get` would report it.
  const found = await Promise.all(inputBlobs(recorded).map(({ sha256 }) => inputs.has(sha256)));
  if (found.includes(false)) throw inputLost();
  const ofParts = await blobsOfParts(inputs, recorded);
  for (const { sha256 } of ofParts) if (!(await inputs.has(sha256))) throw inputLost();
};

/**
 * The input of a recorded request, with the changes that `request` names.
 * @throws ApiError render_input_lost if the blob store lacks a part of it; payload_too_large and invalid_request for the present plan;
 * render_secrets_erased
 */
export const recordedInput = async (
  inputs: BlobStore,
  recorded: RenderRequestedData,
  request: RepeatRenderRequest,
  limits: PlanLimits,
): Promise<RenderInput> => {
  const { keep_pdf, file_name } = request;
  await requireInputs(inputs, recorded);
  requirePayloadSize(await payloadBlobs(inputs, recorded), limits);
  const { header, footer } = recorded.headerFooter;
  const [headerHtml, footerHtml, largeOptions] = await Promise.all([
    readIfPresent(inputs, header),
    readIfPresent(inputs, footer),
    readIfPresent(inputs, recorded.largeOptions ?? null),
  ]);
  const { source, options, fileName, accountDefaults, encryption } = recorded;
  const large = largeOptions ? decodeLargeOptions(largeOptions) : {};
  requirePlanLimits(recorded, large, limits);
  return {
    source,
    options: {
      ...options,
      ...large,
      header_html: null,
      footer_html: null,
      ...(fileName === undefined ? {} : { file_name: fileName }),
      ...(file_name === undefined ? {} : { file_name }),
      ...(keep_pdf === undefined ? {} : { keep_pdf }),
    },
    ...(accountDefaults && { accountDefaults }),
    ...(encryption && { encryption }),
    headerHtml,
    footerHtml,
    ...(await pageInput(inputs, recorded, request)),
  };
};

/**
 * How the caller receives the result of a repeated render: by a callback if the body has a webhook field, else in the
 * response. Fields that the body lacks are those of the recorded callback.
 * @throws ApiError render_secrets_erased if these are secret; invalid_request if there is no URL
 */
export const repeatResponseMode = (recorded: ResponseMode, request: RepeatRenderRequest): RequestedResponseMode => {
  const { webhook_url: url, webhook_method: method, webhook_headers: headers } = request;
  const given = (['webhook_url', 'webhook_method', 'webhook_headers'] as const).filter((field) => request[field]);
  if (given.length === 0) return { kind: 'wait' };
  if (recorded.kind !== 'webhook') {
    if (url !== undefined) return { kind: 'webhook', url, method: method ?? 'POST', headers: headers ?? {} };
    const message = `${given[0]} is allowed only with webhook_url, because the recorded request has none.`;
    throw invalidField(given[0]!, message);
  }
  const missing = [
    ...(url === undefined && recorded.urlIsMasked ? (['webhook_url'] as const) : []),
    ...(headers === undefined && hasEntries(recorded.headers) ? (['webhook_headers'] as const) : []),
  ];
  if (missing.length > 0) throw secretsErased(missing);
  return { kind: 'webhook', url: url ?? recorded.url, method: method ?? recorded.method, headers: headers ?? {} };
};
