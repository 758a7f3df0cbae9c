import type { EventData } from '#contracts/events/event-schemas.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { isOfficeInputType, officeMediaTypes } from '#contracts/http/office-types.ts';
import type { InputType } from '#contracts/http/render.ts';
import type { inputParts } from '#contracts/http/render-detail.ts';
import { renderIdOf } from '#contracts/names.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import { readRecordedParts } from './compose/recorded-parts.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { afterDataPrefix } from '#libs/documents/text/base64.ts';

type InputPart = (typeof inputParts)[number];

/** The media type of each input type. For a page at a URL, the input is the URL. */
export const recordedContentTypes = {
  html: 'text/html; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  ...officeMediaTypes,
  url: 'text/plain; charset=utf-8',
} as const satisfies Record<InputType, string>;

const extensions: Record<InputType, string> = {
  html: 'html',
  markdown: 'md',
  csv: 'csv',
  json: 'json',
  xml: 'xml',
  docx: 'docx',
  odt: 'odt',
  rtf: 'rtf',
  doc: 'doc',
  xlsx: 'xlsx',
  pptx: 'pptx',
  url: 'txt',
};

const notAvailable = (part: InputPart, message: string): ApiError =>
  ApiError.of('input_not_available', message, { part });

const read = async (inputs: BlobStore, ref: BlobRef, part: InputPart): Promise<Uint8Array> => {
  const problem = (what: string) =>
    notAvailable(part, `The ${part} of this render ${what}; its hash is ${ref.sha256}.`);
  if (!(await inputs.has(ref.sha256))) throw problem('is not kept any more');
  return inputs.get(ref.sha256).catch((error: unknown) => {
    throw error instanceof BlobNotFound ? problem('is damaged in the blob store') : error;
  });
};

const fromBase64Text = (data: Uint8Array): Uint8Array => {
  const text = asBuffer(data).toString('latin1');
  return Buffer.from(afterDataPrefix(text) ?? text, 'base64');
};

export type RecordedInput = { bytes: Uint8Array; contentType: string; fileName: string };

/**
 * A part of a recorded request. Text is as it was sent; an office document is its bytes. Secrets in the URL of a page are
 * masked. `id` is the bare id of the render.
 * @throws ApiError input_not_available
 */
export const readRecordedInput = async (
  inputs: BlobStore,
  id: string,
  { source, headerFooter }: EventData['RenderRequested'],
  part: InputPart,
): Promise<RecordedInput> => {
  const suffix = part === 'input' ? '' : `-${part}`;
  const recorded = (bytes: Uint8Array, inputType: InputType, uploadedName?: string | null): RecordedInput => ({
    bytes,
    contentType: recordedContentTypes[inputType],
    fileName: uploadedName ?? `${renderIdOf(id)}${suffix}.${extensions[inputType]}`,
  });
  if (part !== 'input') {
    const ref = headerFooter[part];
    if (!ref) throw notAvailable(part, `The request of this render had no ${part}_html.`);
    return recorded(await read(inputs, ref, part), 'html');
  }
  if (source.mode === 'RENDER') return recorded(await read(inputs, source.data, part), 'json');
  if (source.mode === 'COMPOSE')
    return recorded(await readRecordedParts(source, (ref) => read(inputs, ref, part)), 'json');
  const { inputType, page, upload } = source;
  if (page) return recorded(Buffer.from(page.url), inputType, upload?.fileName);
  const bytes = await read(inputs, source.input, part);
  const isText = isOfficeInputType(inputType) && !upload;
  return recorded(isText ? fromBase64Text(bytes) : bytes, inputType, upload?.fileName);
};
