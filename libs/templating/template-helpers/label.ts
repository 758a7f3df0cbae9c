import { directionOf } from '../labels.ts';
import { valueToText } from '../values.ts';
import { failCall, type HelperFunction } from './helper-call.ts';

const placeholder = /\{(\w+)\}/g;

/** Marks a text (FSI, PDI) so that a number or a foreign word keeps its own order in a text from right to left. */
const isolated = (text: string): string => `\u2068${text}\u2069`;

/**
 * The label with this name in the language of the document. Each `{name}` in its text is replaced by the named argument
 * of that name.
 */
export const label: HelperFunction = (call, subject) => {
  const name = subject.value;
  if (typeof name !== 'string' || !Object.hasOwn(call.labels, name))
    return failCall(call, subject, `the template has no label ${JSON.stringify(name).slice(0, 60)}.`);
  const text = call.labels[name]!;
  if (!text.includes('{')) return text;
  const isolate = directionOf(call.locale) === 'rtl' ? isolated : (value: string) => value;
  return text.replace(placeholder, (found, argument: string) => {
    if (!Object.hasOwn(call.named, argument)) return found;
    const value = valueToText(call.named[argument], argument, call.line);
    // Counted before they are joined: a long value for many placeholders can be more than a text may have.
    call.countCharacters(value.length);
    return isolate(value);
  });
};
