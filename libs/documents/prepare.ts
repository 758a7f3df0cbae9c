import { ApiError } from '#contracts/http/api-error.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { expand, type ExpansionRequest } from '#libs/templating/expand.ts';
import { prepareHtml } from './html/convert.ts';
import type { PreparedDocument } from './prepared-document.ts';
import type { InputType, TextInputType } from './input.ts';
import { decodeText } from './text/decode.ts';

/** `data` is UTF-8 as the caller sent it; `maxImages` is null for no limit. */
export type DocumentInput = { inputType: InputType; data: Uint8Array; maxImages: number | null };

type Converter = (text: string, maxImages: number | null) => PreparedDocument;

// Converters are loaded on first use, so that a process that only prepares HTML stays small.
const converters: Record<Exclude<TextInputType, 'html'>, () => Promise<Converter>> = {
  markdown: async () => (await import('./markdown/convert.ts')).convertMarkdown,
  csv: async () => (await import('./csv/convert.ts')).convertCsv,
  json: async () => (await import('./json/convert.ts')).convertJson,
  xml: async () => (await import('./xml/convert.ts')).convertXml,
};

/** Converts input to a document for the browser, in the calling process. @throws ApiError */
export const prepareDocument = ({
  inputType,
  data,
  maxImages,
}: DocumentInput): PreparedDocument | Promise<PreparedDocument> => {
  if (inputType === 'html') return prepareHtml(decodeText('html', data), maxImages);
  return inputType === 'docx' ? prepareDocx(data, maxImages) : prepareText(inputType, data, maxImages);
};

const prepareText = async (
  inputType: Exclude<TextInputType, 'html'>,
  data: Uint8Array,
  maxImages: number | null,
): Promise<PreparedDocument> => {
  const text = decodeText(inputType, data);
  const convert = await converters[inputType]();
  return convert(text, maxImages);
};

const prepareDocx = async (data: Uint8Array, maxImages: number | null): Promise<PreparedDocument> => {
  const { convertDocx } = await import('./docx/convert.ts');
  return convertDocx(data, maxImages);
};

export type TemplateInput = {
  content: string;
  /** Identifies the content: equal hashes mean equal contents. */
  contentHash: string;
  /** JSON in UTF-8. */
  data: Uint8Array;
  variables: VariableDeclaration[];
  locale: string;
  timeZone: string;
  maxImages: number | null;
};

const maxOutputBytes = 32 * 1024 * 1024;

const readData = (data: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch (error) {
    throw ApiError.of('invalid_request', `data is not JSON: ${(error as SyntaxError).message}`, { field: 'data' });
  }
};

type ExpansionLimits = Pick<ExpansionRequest, 'maxOutputBytes' | 'limits'>;

/** The HTML of a template expanded with data. @throws ApiError */
export const expandTemplate = (
  { data, maxImages: _, ...template }: TemplateInput,
  limits: ExpansionLimits = { maxOutputBytes },
): string => expand({ ...template, data: readData(data), ...limits });

/** Expands a template and prepares the document, in the calling process. @throws ApiError */
export const prepareTemplate = (input: TemplateInput): PreparedDocument =>
  prepareHtml(expandTemplate(input), input.maxImages);
