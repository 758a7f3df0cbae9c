import type { RecordedPart } from '#contracts/events/composition.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { RenderSource } from '#contracts/events/render-request.ts';
import { isOfficeInputType } from '#contracts/http/office-types.ts';
import { templateIdOf } from '#contracts/names.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { readComposition } from '../load-inputs.ts';

const firstLine = Buffer.from('PDF of a part\n');

/**
 * An existing PDF as it is stored. Equal bytes are one blob, and a kept PDF is erased when its time is over. A caller
 * can send such a PDF as a part. So the PDF of a part is stored with a line before it, as another blob.
 */
export const toRecordedPdf = (pdf: Uint8Array): Uint8Array => Buffer.concat([firstLine, pdf]);

/** The PDF in the blob of a part. */
export const fromRecordedPdf = (stored: Uint8Array): Uint8Array =>
  firstLine.equals(stored.subarray(0, firstLine.byteLength)) ? stored.subarray(firstLine.byteLength) : stored;

/** Files can begin with a byte order mark, which no JSON may have. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

/** The fields of a part that say what it is made of. */
const contentOf = async (
  { source }: RecordedPart,
  read: (ref: BlobRef) => Promise<Uint8Array>,
): Promise<Record<string, unknown>> => {
  if (source.mode === 'PDF')
    return { mode: 'PDF', data: Buffer.from(fromRecordedPdf(await read(source.input))).toString('base64') };
  if (source.mode === 'RENDER')
    return {
      mode: 'RENDER',
      template_id: templateIdOf(source.templateId),
      template_version: source.templateVersion,
      data: parseExactJson(textOf(await read(source.data))),
    };
  if (source.mode === 'COMPOSE') return { mode: 'COMPOSE' };
  const { inputType, page, upload } = source;
  const input = page ? Buffer.from(page.url) : await read(source.input);
  const text = upload && isOfficeInputType(inputType) ? Buffer.from(input).toString('base64') : textOf(input);
  const data = inputType === 'json' && isJson(text) ? parseExactJson(text) : text;
  return { mode: 'CONVERT', input_type: inputType, data };
};

const partOf = async (part: RecordedPart, read: (ref: BlobRef) => Promise<Uint8Array>): Promise<object> => {
  const { title, cover, startOn, options, headerFooter } = part;
  const html = async (name: string, ref: BlobRef | null) => (ref ? { [name]: textOf(await read(ref)) } : {});
  return {
    ...(await contentOf(part, read)),
    ...(title === undefined ? {} : { title }),
    ...(cover === undefined ? {} : { cover }),
    ...(startOn === undefined ? {} : { start_on: startOn }),
    ...options,
    ...(await html('header_html', headerFooter.header)),
    ...(await html('footer_html', headerFooter.footer)),
  };
};

/** The recorded parts of a composed document as the JSON of a request: `parts` and `contents`. URLs are masked. */
export const readRecordedParts = async (
  source: Extract<RenderSource, { mode: 'COMPOSE' }>,
  read: (ref: BlobRef) => Promise<Uint8Array>,
): Promise<Uint8Array> => {
  const { parts, contents } = await readComposition({ get: () => read(source.manifest) }, source);
  const recorded: object[] = [];
  for (const part of parts) recorded.push(await partOf(part, read));
  return Buffer.from(JSON.stringify({ parts: recorded, ...(contents ? { contents } : {}) }));
};
