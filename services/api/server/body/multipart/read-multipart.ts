import { fileName as pdfName, maxFileNameLength } from '#contracts/http/file-name.ts';
import { maxAssets } from '#contracts/http/multipart.ts';
import { ApiError, truncateForMessage } from '#contracts/http/api-error.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { encodeBundle } from '#libs/documents/assets/bundle.ts';
import type { LongTexts } from '#application/renders/render-content.ts';
import {
  attachmentPlaceholder,
  longTextFields,
  maxMainThreadBytes,
  placeholder,
  readJson,
  type RequestBody,
  withoutParsedData,
} from '../read-json.ts';
import { fieldValueOf, textOf } from './field-values.ts';
import { baseNameOf, inputTypeOf } from './input-type.ts';
import { readPartsField, withPartFiles } from './part-files.ts';
import { type Part, readParts } from './read-parts.ts';
import { invalid, type Values, withTemplateData } from './values.ts';
import { createHash } from 'node:crypto';

/**
 * The SHA-256 of a multipart body in hex, by its parts. Not of the bytes of the body, because clients choose
 * a new boundary for each request.
 */
export const hashParts = (parts: readonly Part[]): string => {
  const hash = createHash('sha256');
  for (const { name, fileName, type, bytes } of parts) {
    hash.update(`${JSON.stringify([name, fileName, type, bytes.byteLength])}\n`);
    hash.update(bytes);
  }
  return hash.digest('hex');
};

/** All fields together, without data and the texts of header and footer. */
const maxFieldBytes = 1024 * 1024;

type Fields = Record<string, unknown>;

type GroupedParts = { assets: Part[]; attachments: Part[]; files: Part[]; others: Map<string, Part> };

/** The parts by name; only some may be repeated. @throws ApiError invalid_request for a repeated name */
const groupParts = (parts: readonly Part[]): GroupedParts => {
  const grouped: GroupedParts = { assets: [], attachments: [], files: [], others: new Map() };
  for (const part of parts) {
    const name = /^(assets|attachments|files)(?:\[\])?$/.exec(part.name)?.[1] as
      Exclude<keyof GroupedParts, 'others'> | undefined;
    // An attachments part without a file is JSON, as any other field.
    if (name && (name !== 'attachments' || part.fileName !== null)) {
      grouped[name].push(part);
      continue;
    }
    const shown = truncateForMessage(part.name);
    if (grouped.others.has(part.name))
      throw invalid(
        part.name,
        `The body has the part "${shown}" more than once. Only files, assets, and files named attachments may be repeated.`,
      );
    grouped.others.set(part.name, part);
  }
  return grouped;
};

/** @throws ApiError invalid_request for too many assets, and for one without a name */
const bundleOf = (assets: readonly Part[]): Uint8Array | null => {
  if (assets.length > maxAssets)
    throw invalid('assets', `The body has ${assets.length} parts assets; at most ${maxAssets} are allowed.`);
  if (assets.some(({ fileName }) => fileName === null))
    throw invalid('assets', 'Each part assets needs a file name: the name by which the document refers to it.');
  return assets.length === 0
    ? null
    : encodeBundle(assets.map(({ fileName, type, bytes }) => ({ name: fileName!, type, bytes })));
};

/** The JSON object in the part `options`. @throws ApiError that names the part */
const readOptions = ({ bytes }: Part): Values => {
  try {
    const { fields, longTexts, partTexts } = withoutParsedData(readJson(asBuffer(bytes)));
    return { fields, longTexts, ...(partTexts && { partTexts }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message, extra } = error.fields;
    const field = extra.field === 'body' ? 'options' : `options.${String(extra.field)}`;
    throw invalid(field, message.replace('The body', 'The part options'));
  }
};

/** The fields that have a part of their own. An empty part counts as absent, as in a form that was not filled in. */
const readFields = (parts: ReadonlyMap<string, Part>): Values => {
  const fields = new Map<string, unknown>();
  const longTexts: LongTexts = {};
  let size = 0;
  for (const [name, { bytes }] of parts) {
    const long = longTextFields.find((field) => field === name);
    size += long ? 0 : bytes.byteLength;
    if (size > maxFieldBytes)
      throw invalid(name, `The body is too large at "${truncateForMessage(name)}": all fields together may have 1 MB.`);
    const text = textOf(name, bytes);
    if (text === '') continue;
    if (long === undefined) fields.set(name, fieldValueOf(name, text));
    else if (bytes.byteLength <= maxMainThreadBytes) fields.set(name, text);
    else {
      longTexts[long] = bytes;
      fields.set(name, placeholder);
    }
  }
  // Object.fromEntries also creates a field `__proto__`, which is then rejected like any unknown field.
  return { fields: Object.fromEntries(fields), longTexts };
};

/** The fields of `options`, replaced by those with a part of their own. */
const mergeValues = (options: Values, own: Values): Values => {
  const names = new Set(Object.keys(own.fields));
  const isReplaced = ([name]: [string, unknown]): boolean => names.has(name);
  return {
    fields: Object.fromEntries([
      ...Object.entries(options.fields).filter((entry) => !isReplaced(entry)),
      ...Object.entries(own.fields),
    ]),
    longTexts: {
      ...Object.fromEntries(Object.entries(options.longTexts).filter((entry) => !isReplaced(entry))),
      ...own.longTexts,
    },
    ...((own.partTexts ?? options.partTexts) && { partTexts: own.partTexts ?? options.partTexts! }),
  };
};

/** The files in parts of their own; an entry of the field `attachments` with the same name and no data describes one. */
const withAttachments = (values: Values, files: readonly Part[]): Values => {
  const { fields, longTexts } = values;
  const named = Array.isArray(fields.attachments) ? (fields.attachments as (Fields | null)[]) : [];
  const isFile = (name: unknown): boolean => files.some(({ fileName }) => fileName === name);
  const lacksData = (entry: Fields | null): boolean => typeof entry === 'object' && entry?.data === undefined;
  for (const [index, entry] of named.entries())
    if (lacksData(entry) && typeof entry?.name === 'string' && !isFile(entry.name))
      throw invalid(
        `attachments[${index}].data`,
        `attachments[${index}] has no data, and the form has no file "${truncateForMessage(entry.name)}" under attachments.`,
      );
  if (files.length === 0) return values;
  const attached = files.map(({ fileName, type }) => ({
    name: fileName,
    ...(type === null ? {} : { mime_type: type }),
    ...named.find((entry) => lacksData(entry) && entry?.name === fileName),
    data: attachmentPlaceholder,
  }));
  const others = [...named.entries()].filter(([, entry]) => !lacksData(entry));
  return {
    ...values,
    fields: { ...fields, attachments: [...attached, ...others.map(([, entry]) => entry)] },
    longTexts: {
      ...longTexts,
      attachments: [
        ...files.map(({ bytes }) => bytes),
        ...others.map(([index]) => longTexts.attachments?.[index] ?? null),
      ],
    },
  };
};

/** The mode of a form. If it names none, that of its fields and files. */
const modeOf = ({ mode, template_id: id, parts }: Fields, files: readonly Part[]): 'RENDER' | 'COMPOSE' | 'CONVERT' => {
  if (mode !== undefined) return mode === 'RENDER' || mode === 'COMPOSE' ? mode : 'CONVERT';
  if (id !== undefined) return 'RENDER';
  return parts !== undefined || files.length > 0 ? 'COMPOSE' : 'CONVERT';
};

/** The fields with `parts`, if it has a part of its own. An empty part counts as absent. */
const withPartsField = (own: Values, part: Part | undefined): Values => {
  if (!part || part.bytes.byteLength === 0) return own;
  const { fields, partTexts } = readPartsField(part);
  return { ...own, fields: { ...own.fields, ...fields }, ...(partTexts && { partTexts }) };
};

/** The name of the PDF: `report.md` becomes `report.pdf`. No field if that is not allowed as a name. */
const pdfNameOf = ({ fileName }: Part): { file_name?: string } => {
  const name = baseNameOf(fileName ?? '').replace(/(?<=.)\.[^.]*$/, '');
  const shortened = name.slice(0, maxFileNameLength);
  return pdfName.safeParse(shortened).success ? { file_name: shortened } : {};
};

/** The document, as `data`. @throws ApiError if there is another content, or none */
const withDocument = ({ fields, longTexts }: Values, file: Part | undefined, others: Iterable<Part>): Values => {
  if (!file) {
    if (fields.data !== undefined) return { fields, longTexts };
    const upload = [...others].find(({ name, fileName }) => fileName !== null && !/^(header|footer)_html$/.test(name));
    const found = upload
      ? ` A file is in the part "${truncateForMessage(upload.name)}": rename that part to file.`
      : '';
    const message = `The part file is missing: it holds the document to convert.${found}`;
    throw ApiError.of('missing_data', message, { field: 'file' });
  }
  if (fields.data !== undefined) throw invalid('data', 'Send the document either as the part file or as data.');
  if (file.bytes.byteLength === 0)
    throw ApiError.of('missing_data', 'The part file is empty; it must hold the document.', { field: 'file' });
  if (fields.input_type === 'url') throw invalid('file', 'Send the URL of a page as data, not as the part file.');
  const input_type = fields.input_type ?? inputTypeOf(file);
  return {
    fields: { ...pdfNameOf(file), ...fields, input_type, data: placeholder },
    longTexts: { ...longTexts, data: file.bytes },
  };
};

/**
 * Reads a multipart/form-data body of a render request. The result is that of a JSON body with the same fields, and the
 * file and the assets. Takes some milliseconds for each MB: call it off the event loop for a large body.
 * @throws ApiError
 */
export const readMultipart = async (body: Uint8Array, boundary: string, wantsHash: boolean): Promise<RequestBody> => {
  const parts = await readParts(body, boundary);
  const { assets, attachments, files, others } = groupParts(parts);
  const [file, options, data, ofParts] = ['file', 'options', 'data', 'parts'].map((name) => others.get(name));
  for (const name of ['file', 'options', 'parts']) others.delete(name);
  const own = withPartsField(readFields(others), ofParts);
  const values = options && options.bytes.byteLength > 0 ? mergeValues(readOptions(options), own) : own;
  const mode = modeOf(values.fields, files);
  if (mode === 'RENDER' && file)
    throw invalid('file', 'Send either the part file or a template_id: a template has its own content.');
  if (mode === 'COMPOSE' && file)
    throw invalid('file', 'The files of a composed document are the parts files, not the part file.');
  if (mode !== 'COMPOSE' && files.length > 0)
    throw invalid('files', 'The parts files are those of a composed document, with mode COMPOSE. Send one as file.');
  const composed = mode === 'COMPOSE' ? withPartFiles(values, files) : null;
  const content =
    composed ?? (mode === 'RENDER' ? withTemplateData(values, data) : withDocument(values, file, others.values()));
  const { fields, longTexts, partTexts } = withAttachments(content, attachments);
  return {
    fields: { mode, ...fields },
    longTexts,
    ...(partTexts && { partTexts }),
    sha256: wantsHash ? hashParts(parts) : null,
    upload: {
      file: file ? { fileName: file.fileName } : null,
      assets: bundleOf(assets),
      ...(composed && { parts: composed.partFiles }),
    },
  };
};
