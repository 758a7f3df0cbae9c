import { Problem } from '#contracts/http/problem.ts';

export type InputType = 'html' | 'docx' | 'markdown' | 'xml' | 'csv' | 'json';

/** The input types that are text. */
export type TextType = Exclude<InputType, 'docx'>;

/** How a type is called in a message to the caller. */
export const typeTitles: Record<InputType, string> = { html: 'HTML', docx: 'DOCX', markdown: 'Markdown', xml: 'XML', csv: 'CSV', json: 'JSON' };

/** The Problem under which input of this type is refused. `line` counts from 1 in the caller's text. */
export const refusal = (inputType: InputType, message: string, extra: { details?: unknown; line?: number } = {}): Problem => {
  switch (inputType) {
    case 'html':
      return Problem.of('invalid_html', message, extra);
    case 'markdown':
      return Problem.of('invalid_markdown', message, extra);
    case 'docx':
      return Problem.of('invalid_docx', message, { details: extra.details });
    case 'xml':
    case 'csv':
    case 'json':
      return Problem.of('conversion_failed', message, extra);
  }
};

/** How deep JSON and XML may be nested. */
export const maxDepth = 256;

/**
 * Levels beyond this are no longer moved in, so that their text keeps room; the number of the level is shown instead.
 */
export const deepestIndent = 16;

export const tooDeep = (inputType: 'json' | 'xml', line: number): Problem =>
  refusal(inputType, `The ${typeTitles[inputType]} is nested deeper than ${maxDepth} levels on line ${line}.`, { details: { reason: 'nested too deeply', limit: maxDepth }, line });
