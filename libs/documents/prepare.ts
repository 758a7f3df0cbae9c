import { invalidField } from '#contracts/http/api-error.ts';
import { isOfficeInputType } from '#contracts/http/office-types.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { type AssetInliner, createAssetInliner } from './assets/inline.ts';
import type { OfficeFormat } from '#libs/office/port.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { expand, type ExpansionRequest } from '#libs/templating/expand.ts';
import type { Labels } from '#libs/templating/labels.ts';
import { withBaseUrl } from './html/base-url.ts';
import { prepareHtml } from './html/convert.ts';
import type { PreparedDocument } from './prepared-document.ts';
import type { ConversionContext, InputType, TextInputType } from './input.ts';
import { decodeText } from './text/decode.ts';

/**
 * `data` is UTF-8 as the caller sent it; `maxImages` is null for no limit; `locale` is the language tag of the request.
 * With `isFile`, `data` is the bytes of a file, never base64. `assets` is a bundle, see assets/bundle.ts.
 * Relative URLs of html and markdown are resolved against `baseUrl`.
 */
export type DocumentInput = ConversionContext & {
  inputType: InputType;
  data: Uint8Array;
  maxImages: number | null;
  isFile?: boolean;
  assets?: Uint8Array;
  /** LibreOffice lays the document out. Office documents other than docx need it. */
  isLaidOutByOffice?: boolean;
};

type Assets = { assets?: AssetInliner };
type Converter = (text: string, maxImages: number | null, context: ConversionContext & Assets) => PreparedDocument;

// Converters are loaded on first use, so that a process that only prepares HTML stays small.
const converters: Record<Exclude<TextInputType, 'html'>, () => Promise<Converter>> = {
  markdown: async () => (await import('./markdown/convert.ts')).convertMarkdown,
  csv: async () => (await import('./csv/convert.ts')).convertCsv,
  json: async () => (await import('./json/convert.ts')).convertJson,
  xml: async () => (await import('./xml/convert.ts')).convertXml,
};

/** Prepares a document with its assets, if it has any. */
const withAssets = async (
  bundle: Uint8Array | undefined,
  prepare: (assets: Assets) => PreparedDocument | Promise<PreparedDocument>,
): Promise<PreparedDocument> => {
  if (!bundle) return prepare({});
  const assets = createAssetInliner(bundle);
  const prepared = await prepare({ assets });
  return { ...prepared, html: assets.complete(prepared.html), assets: assets.use() };
};

/** Converts input to a document for the browser, in the calling process. @throws ApiError */
export const prepareDocument = (input: DocumentInput): Promise<PreparedDocument> => {
  const { inputType, data, maxImages, isFile, baseUrl } = input;
  return withAssets(input.assets, ({ assets }) => {
    if (inputType === 'html')
      return prepareHtml(withBaseUrl(decodeText('html', data, isFile), baseUrl), maxImages, undefined, assets);
    if (isOfficeInputType(inputType)) return prepareOfficeInput(inputType, input);
    return prepareText(inputType, input, assets);
  });
};

const prepareText = async (
  inputType: Exclude<TextInputType, 'html'>,
  { data, maxImages, isFile, locale, defaultLocale, baseUrl, textWidthMm, namedOptions, fileName }: DocumentInput,
  assets: AssetInliner | undefined,
): Promise<PreparedDocument> => {
  const text = decodeText(inputType, data, isFile);
  const convert = await converters[inputType]();
  const context = { locale, defaultLocale, baseUrl, textWidthMm, namedOptions, fileName };
  return convert(text, maxImages, { ...context, ...(assets ? { assets } : {}) });
};

const prepareOfficeInput = async (format: OfficeFormat, input: DocumentInput): Promise<PreparedDocument> => {
  if (format === 'docx' && !input.isLaidOutByOffice) return prepareDocx(input);
  const { prepareOffice } = await import('./office/prepare.ts');
  const onePagePerSheet = input.namedOptions?.one_page_per_sheet ?? false;
  return prepareOffice(format, input.data, input.isFile ?? false, { onePagePerSheet });
};

const prepareDocx = async (input: DocumentInput): Promise<PreparedDocument> => {
  const { data, maxImages, isFile, locale, defaultLocale } = input;
  const { convertDocx } = await import('./docx/convert.ts');
  return convertDocx(data, maxImages, isFile, { locale, defaultLocale });
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
  /** The labels in the language of the document. */
  labels?: Labels | undefined;
  maxImages: number | null;
  /** A bundle, see assets/bundle.ts. */
  assets?: Uint8Array;
  baseUrl?: string | undefined;
};

const maxOutputBytes = 32 * 1024 * 1024;

const readData = (data: Uint8Array): unknown => {
  try {
    return parseExactJson(new TextDecoder().decode(data));
  } catch (error) {
    // Only data with long numbers is parsed by a function that calls itself.
    if (error instanceof RangeError) throw invalidField('data', 'data is nested too deeply.');
    throw invalidField('data', `data is not JSON: ${(error as SyntaxError).message}`);
  }
};

type ExpansionLimits = Pick<ExpansionRequest, 'maxOutputBytes' | 'limits'>;

/** The HTML of a template expanded with data. @throws ApiError */
export const expandTemplate = (
  { data, maxImages: _maxImages, assets: _assets, ...template }: TemplateInput,
  limits: ExpansionLimits = { maxOutputBytes },
): string => expand({ ...template, data: readData(data), ...limits });

/** Expands a template and prepares the document, in the calling process. @throws ApiError */
export const prepareTemplate = (input: TemplateInput): Promise<PreparedDocument> =>
  withAssets(input.assets, ({ assets }) =>
    prepareHtml(withBaseUrl(expandTemplate(input), input.baseUrl), input.maxImages, undefined, assets),
  );
