import type { ValueHelper } from './argument.ts';
import { refuse } from './argument.ts';

const unsafeInMarkup: Record<string, string> = { '<': String.raw`\u003c`, '>': String.raw`\u003e`, '&': String.raw`\u0026` };

/**
 * A value as JSON. Within triple braces it may stand in a script element: what could end the element or begin a comment is
 * written as an escape, which is the same JSON.
 */
export const json: ValueHelper = (call, subject) => {
  try {
    const text = JSON.stringify(subject.value);
    return call.raw ? text.replace(/[<>&]/g, (sign) => unsafeInMarkup[sign] ?? sign) : text;
  } catch {
    return refuse(call, subject, `"${subject.written}" cannot be written as JSON; plain data is allowed.`);
  }
};
