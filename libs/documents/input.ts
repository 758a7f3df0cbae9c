import { ApiError } from '#contracts/http/api-error.ts';

export type InputType = 'html' | 'docx' | 'markdown' | 'xml' | 'csv' | 'json';

export type TextInputType = Exclude<InputType, 'docx'>;

export const inputTypeTitles: Record<InputType, string> = {
  html: 'HTML',
  docx: 'DOCX',
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
