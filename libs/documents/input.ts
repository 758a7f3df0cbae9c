import { ApiError } from '#contracts/http/api-error.ts';

export type InputType = 'html' | 'docx' | 'markdown' | 'xml' | 'csv' | 'json';

/** The input types that are text. */
export type TextInputType = Exclude<InputType, 'docx'>;

/** How a type is called in a message to the caller. */
export const inputTypeTitles: Record<InputType, string> = {
  html: 'HTML',
  docx: 'DOCX',
  markdown: 'Markdown',
  xml: 'XML',
  csv: 'CSV',
  json: 'JSON',
};

/** The Problem under which input of this type is refused. `line` counts from 1 in the caller's text. */
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

/** How deep JSON and XML may be nested. */
export const maxDepth = 256;

/**
 * Levels beyond this are no longer moved in, so that their text keeps room; the number of the level is shown instead.
 */
export const maxIndent = 16;

export const nestedTooDeeplyError = (inputType: 'json' | 'xml', line: number): ApiError =>
  inputError(inputType, `The ${inputTypeTitles[inputType]} is nested deeper than ${maxDepth} levels on line ${line}.`, {
    details: { reason: 'nested too deeply', limit: maxDepth },
    line,
  });
