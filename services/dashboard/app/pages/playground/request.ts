import { inputTypesByExtension } from '#contracts/http/file-extensions.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { attachedFiles } from '../../components/DocumentOptionFields.tsx';
import type { RenderOptionValues } from '../../components/option-values.ts';

/** Input types that are sent as files. */
const officeTypes = ['docx', 'odt', 'rtf', 'doc', 'xlsx', 'pptx'] as const;
export const inputTypes = ['html', 'markdown', ...officeTypes, 'csv', 'json', 'xml', 'url'] as const;
export type InputType = (typeof inputTypes)[number];
/** What a part of a composed document is. */
export const partTypes = [...inputTypes, 'template', 'pdf'] as const;
export type PartType = (typeof partTypes)[number];

export const isOfficeType = (type: string): boolean => (officeTypes as readonly string[]).includes(type);
export const needsFile = (type: PartType): boolean => type === 'pdf' || isOfficeType(type);

/** A document: a text, or a file whose bytes are sent as they are. */
export type Source<Type extends PartType = PartType> = { type: Type; text: string; file: File | null };

export type Part = Source & {
  /** Distinguishes parts while they are moved. */
  key: number;
  templateId: string;
  title: string;
  isCover: boolean;
  startsRight: boolean;
};

export type Contents = { title: string; depth: '' | '1' | '2' | '3' | '4'; language: string };

/** What is to be rendered: one document, or several parts in one PDF. */
export type PlaygroundRequest = { options: RenderOptionValues } & (
  | { mode: 'CONVERT'; source: Source<InputType> }
  | { mode: 'COMPOSE'; parts: readonly Part[]; contents: Contents | null }
);

const typesByExtension: Record<string, Exclude<PartType, 'template' | 'url'>> = {
  ...inputTypesByExtension,
  pdf: 'pdf',
};

/** The kind of a file, by its name; null if the name does not tell. */
export const typeOfFile = (name: string) => {
  const extension = name.split('.').at(-1)!.toLowerCase();
  return Object.hasOwn(typesByExtension, extension) ? typesByExtension[extension]! : null;
};

/** A file of a form. `path` is its name on the computer, `name` that in the form. */
export type FormFile = { field: 'file' | 'files' | 'attachments'; name: string; path: string; content: Blob };
/** What is sent to POST /api/v1/render: JSON, or with files a form with the JSON as the field `options`. */
export type Call = { fields: Record<string, unknown>; files: readonly FormFile[] };

const withoutEmpty = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** Attached files are files of the form; the option keeps what is said about them. */
const withAttachedFiles = (options: RenderOptionValues): Call => {
  const { attachments: _, ...others } = options;
  const attached = attachedFiles(options);
  const described = attached
    .map(({ data: _data, mime_type: _type, ...about }) => about)
    .filter((about) => Object.keys(about).length > 1);
  return {
    fields: described.length === 0 ? others : { ...others, attachments: described },
    files: attached.map(({ name, data = '', mime_type: type }) => ({
      field: 'attachments',
      name,
      path: name,
      content: new Blob([bytesOf(data)], { type: type ?? 'application/octet-stream' }),
    })),
  };
};

const parsedJson = (text: string): unknown => {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
};

const fieldsOfPart = (
  { type, text, file, templateId, title, isCover, startsRight }: Part,
  name: string,
): Record<string, unknown> => {
  const kind =
    type === 'template'
      ? { mode: 'RENDER', template_id: templateId }
      : type === 'pdf'
        ? { mode: 'PDF' }
        : { mode: 'CONVERT', input_type: type };
  return withoutEmpty({
    ...kind,
    ...(file ? { file: name } : { data: type === 'template' ? parsedJson(text) : text }),
    title: title.trim(),
    cover: isCover || undefined,
    start_on: startsRight ? 'right' : undefined,
  });
};

const composeCall = (parts: readonly Part[], contents: Contents | null): Call => {
  const files: FormFile[] = [];
  const fields = parts.map((part, index) => {
    const { file } = part;
    if (!file) return fieldsOfPart(part, '');
    const name = files.some((other) => other.name === file.name) ? `${index + 1}-${file.name}` : file.name;
    files.push({ field: 'files', name, path: file.name, content: file });
    return fieldsOfPart(part, name);
  });
  const named =
    contents &&
    withoutEmpty({
      title: contents.title.trim(),
      depth: Number(contents.depth) || undefined,
      language: contents.language.trim(),
    });
  const page = named && Object.keys(named).length === 0 ? true : named;
  return { fields: { mode: 'COMPOSE', parts: fields, ...(page && { contents: page }) }, files };
};

const convertCall = ({ type, text, file }: Source<InputType>): Call =>
  file
    ? { fields: { input_type: type }, files: [{ field: 'file', name: file.name, path: file.name, content: file }] }
    : { fields: { mode: 'CONVERT', input_type: type, data: text }, files: [] };

/** What is sent for a request. */
export const callOf = (request: PlaygroundRequest): Call => {
  const document =
    request.mode === 'CONVERT' ? convertCall(request.source) : composeCall(request.parts, request.contents);
  const options = withAttachedFiles(request.options);
  return { fields: { ...document.fields, ...options.fields }, files: [...document.files, ...options.files] };
};

/** The body of the request. */
export const bodyOf = ({ fields, files }: Call): FormData | Record<string, unknown> => {
  if (files.length === 0) return fields;
  const form = new FormData();
  form.set('options', JSON.stringify(fields));
  for (const { field, content, name } of files) form.append(field, content, name);
  return form;
};
