import { Problem } from '#contracts/http/problem.ts';
import type { InputType } from './input-type.ts';

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
