import { Problem } from '#contracts/http/problem.ts';
import type { Variable } from '#contracts/http/templates.ts';
import { expand, type Expansion } from '#libs/templating/expand.ts';
import { prepareHtml } from './html/convert.ts';
import type { Prepared } from './prepared.ts';
import type { InputType, TextType } from './input.ts';
import { decodeText } from './text/decode.ts';

/** `data` as the caller sent it, in UTF-8; `maxImages` null where there is no limit. */
export type PrepareInput = { inputType: InputType; data: Uint8Array; maxImages: number | null };

type Convert = (text: string, maxImages: number | null) => Prepared;

// The converters are loaded when first needed, so that a process which only ever sees HTML stays small.
const converters: Record<Exclude<TextType, 'html'>, () => Promise<Convert>> = {
  markdown: async () => (await import('./markdown/convert.ts')).convertMarkdown,
  csv: async () => (await import('./csv/convert.ts')).convertCsv,
  json: async () => (await import('./json/convert.ts')).convertJson,
  xml: async () => (await import('./xml/convert.ts')).convertXml,
};

/** Turns input into a document for the browser, in the calling process. Throws a Problem. */
export const prepareDocument = ({ inputType, data, maxImages }: PrepareInput): Prepared | Promise<Prepared> => {
  if (inputType === 'html') return prepareHtml(decodeText('html', data), maxImages);
  return inputType === 'docx' ? prepareDocx(data, maxImages) : prepareText(inputType, data, maxImages);
};

const prepareText = async (inputType: Exclude<TextType, 'html'>, data: Uint8Array, maxImages: number | null): Promise<Prepared> => {
  const text = decodeText(inputType, data);
  const convert = await converters[inputType]();
  return convert(text, maxImages);
};

const prepareDocx = async (data: Uint8Array, maxImages: number | null): Promise<Prepared> => {
  const { convertDocx } = await import('./docx/convert.ts');
  return convertDocx(data, maxImages);
};

export type TemplateInput = {
  content: string;
  /** Names the content: equal hashes mean equal contents. */
  contentHash: string;
  /** JSON in UTF-8. */
  data: Uint8Array;
  variables: Variable[];
  locale: string;
  timeZone: string;
  maxImages: number | null;
};

const maxOutputBytes = 32 * 1024 * 1024;

const readData = (data: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch (error) {
    throw Problem.of('invalid_request', `data is not JSON: ${(error as SyntaxError).message}`, { field: 'data' });
  }
};

type Sizes = Pick<Expansion, 'maxOutputBytes' | 'bounds'>;

/** The HTML that a template filled with data gives. Throws a Problem. */
export const expandTemplate = ({ data, maxImages: _, ...template }: TemplateInput, sizes: Sizes = { maxOutputBytes }): string =>
  expand({ ...template, data: readData(data), ...sizes });

/** Fills a template and makes a document for the browser of it, in the calling thread. Throws a Problem. */
export const prepareTemplate = (input: TemplateInput): Prepared => prepareHtml(expandTemplate(input), input.maxImages);
