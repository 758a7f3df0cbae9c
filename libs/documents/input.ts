import type { NamedRenderOptions } from '#contracts/http/render-options.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import type { OfficeFormat } from '#libs/office/port.ts';

export type InputType = 'html' | 'markdown' | 'xml' | 'csv' | 'json' | OfficeFormat;

export type TextInputType = Exclude<InputType, OfficeFormat>;

/**
 * What a request says about its input beside the content. `locale` is a language tag, `defaultLocale`
 * one for a text whose language is not known; `textWidthMm` is the width of the
 * text on a page, in millimetres of the document (at scale 1); `namedOptions` are the options of the request, which win
 * over those of the document; `fileName` is the name of the input or of the PDF.
 */
export type ConversionContext = {
  locale?: string | undefined;
  defaultLocale?: string | undefined;
  baseUrl?: string | undefined;
  textWidthMm?: number | undefined;
  namedOptions?: NamedRenderOptions | undefined;
  fileName?: string | null | undefined;
};

/** The width of the text on A4 in portrait with default margins. */
export const defaultTextWidthMm = 180;

export const inputTypeTitles: Record<InputType, string> = {
  html: 'HTML',
  docx: 'DOCX',
  odt: 'ODT',
  rtf: 'RTF',
  doc: 'DOC',
  xlsx: 'XLSX',
  pptx: 'PPTX',
  markdown: 'Markdown',
  xml: 'XML',
  csv: 'CSV',
  json: 'JSON',
};

/** The error for invalid input of this type. `line` counts from 1 in the caller's text. */
export const inputError = (
  inputType: InputType,
  message: string,
  extra: { details?: unknown; line?: number } = {},
): ApiError => {
  switch (inputType) {
    case 'html':
      return ApiError.of('invalid_html', message, extra);
    case 'markdown':
      return ApiError.of('invalid_markdown', message, extra);
    case 'docx':
      return ApiError.of('invalid_docx', message, { details: extra.details });
    case 'odt':
    case 'rtf':
    case 'doc':
    case 'xlsx':
    case 'pptx':
      return ApiError.of('invalid_document', message, { details: extra.details });
    case 'xml':
    case 'csv':
    case 'json':
      return ApiError.of('conversion_failed', message, extra);
  }
};

/** The maximum nesting depth of JSON and XML. */
export const maxDepth = 256;

/** Deeper levels are not indented further, to leave room for their text; their level is printed as a number. */
export const maxIndent = 16;

export const nestedTooDeeplyError = (inputType: 'json' | 'xml', line: number): ApiError =>
  inputError(inputType, `The ${inputTypeTitles[inputType]} is nested deeper than ${maxDepth} levels on line ${line}.`, {
    details: { reason: 'nested too deeply', limit: maxDepth },
    line,
  });
