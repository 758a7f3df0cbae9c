import { ApiError, errorOfPart, throwErrors, truncateForMessage } from '#contracts/http/api-error.ts';
import { pdfContentType } from '#contracts/http/output.ts';
import { isObject } from '#contracts/http/type-names.ts';
import type { LongTexts, Upload } from '#application/renders/render-content.ts';
import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { placeholder, readJson } from '../read-json.ts';
import { inputTypeOf } from './input-type.ts';
import { joinChunks, type Part } from './read-parts.ts';
import { checkTemplateData, invalid, isTemplateData, type Values } from './values.ts';

type Fields = Record<string, unknown>;
type PartFiles = NonNullable<Upload['parts']>;

/** The JSON array in the part `parts`. @throws ApiError */
export const readPartsField = ({ bytes }: Part): Values => {
  const body = asBuffer(joinChunks([Buffer.from('{"parts":'), bytes, Buffer.from('}')]));
  try {
    const { fields, longTexts, partTexts } = readJson(body);
    if (Object.keys(fields).length === 1 && partTexts) return { fields, longTexts, partTexts };
  } catch (error) {
    // Other errors name a part of the document.
    if (!(error instanceof ApiError) || error.fields.extra['field'] !== 'body') throw error;
  }
  throw invalid('parts', 'parts must be a JSON array of the parts of the document.');
};

/** macOS writes the names of files in another Unicode form than most JSON has. */
const keyOf = (name: string): string => name.normalize('NFC');

const isPdf = ({ type, fileName }: Part): boolean => type === pdfContentType || /\.pdf$/i.test(fileName ?? '');

/** The fields of a part whose content is a file. @throws ApiError */
const fieldsOf = (at: string, { file: _, ...part }: Fields, file: Part): Fields => {
  if (part['data'] !== undefined)
    throw invalid(`${at}.data`, `${at}: send the content either as a file or as data, not both.`);
  if (file.bytes.byteLength === 0)
    throw ApiError.of('missing_data', `${at}: the file "${truncateForMessage(file.fileName!)}" is empty.`, {
      field: `${at}.file`,
    });
  const mode = part['mode'] ?? (isPdf(file) ? 'PDF' : part['template_id'] === undefined ? 'CONVERT' : 'RENDER');
  if (mode === 'RENDER') {
    if (!isTemplateData(file.bytes))
      throw invalid(`${at}.file`, `${at}: the file of a template must be JSON with its data: an object.`);
    checkTemplateData(`${at}.file`, file.bytes);
    return { ...part, mode, data: {} };
  }
  if (mode !== 'CONVERT') return { ...part, mode, data: placeholder };
  if (part['input_type'] === 'url')
    throw invalid(`${at}.file`, `${at}: send the URL of a page as data, not as a file.`);
  return { ...part, mode, input_type: part['input_type'] ?? inputTypeOf(file), data: placeholder };
};

/** `sent` are the names of the files in the form. */
const unknownFile = (at: string, name: unknown, sent: string): ApiError => {
  if (typeof name !== 'string' || name === '')
    return invalid(`${at}.file`, `${at}.file must be the name of a file that the form has under files.`);
  return invalid(
    `${at}.file`,
    `${at}: the form has no file "${truncateForMessage(name)}" under files. It has: ${sent}.`,
  );
};

/** The files by name, and the errors of names that are there twice or not at all. */
const indexFiles = (files: readonly Part[]): { byName: Map<string, Part>; errors: ApiError[] } => {
  const byName = new Map<string, Part>();
  const errors: ApiError[] = [];
  for (const file of files) {
    const { fileName } = file;
    if (fileName === null) errors.push(invalid('files', 'Each part files needs a file name, by which parts name it.'));
    else if (byName.has(keyOf(fileName)))
      errors.push(
        invalid('files', `The form has two files "${truncateForMessage(fileName)}" under files. Rename one of them.`),
      );
    else byName.set(keyOf(fileName), file);
  }
  return { byName, errors };
};

/**
 * The parts of a composed document with the contents of the files that they name in `file`. Without `parts` the files are
 * the parts, in their order. `partFiles` says which parts are files. @throws ApiError of all files that are wrong
 */
export const withPartFiles = (values: Values, files: readonly Part[]): Values & { partFiles: PartFiles } => {
  const { byName, errors } = indexFiles(files);
  const named = values.fields['parts'] ?? (files.length > 0 ? files.map(({ fileName }) => ({ file: fileName })) : []);
  const parts: unknown[] = Array.isArray(named) ? [...(named as unknown[])] : [];
  const partTexts: LongTexts[] = parts.map((_, index) => values.partTexts?.[index] ?? {});
  const partFiles: PartFiles = parts.map(() => null);
  const used = new Set<string>();
  // Made once: there can be a thousand parts, and megabytes of names.
  const sent = byName.size === 0 ? 'none' : truncateForMessage([...byName.keys()].join(', '));
  for (const [index, part] of parts.entries()) {
    if (!isObject(part) || part['file'] === undefined) continue;
    const at = `parts[${index}]`;
    const key = typeof part['file'] === 'string' ? keyOf(part['file']) : '';
    const file = byName.get(key);
    used.add(key);
    try {
      if (!file) throw unknownFile(at, part['file'], sent);
      parts[index] = fieldsOf(at, part, file);
      partTexts[index] = { ...partTexts[index], data: file.bytes };
      partFiles[index] = { fileName: file.fileName };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Most errors name the part already.
      errors.push(String(error.fields.extra['field']).startsWith(at) ? error : errorOfPart(at, error));
    }
  }
  for (const [key, { fileName }] of byName)
    if (!used.has(key))
      errors.push(
        invalid(
          'files',
          `No part names the file "${truncateForMessage(fileName!)}". Name it as the file of a part, or leave it out.`,
        ),
      );
  throwErrors(errors);
  const fields = { ...values.fields, ...(Array.isArray(named) ? { parts } : {}) };
  return { fields, longTexts: values.longTexts, partTexts, partFiles };
};
