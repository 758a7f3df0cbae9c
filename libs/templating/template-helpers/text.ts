import { describeValue } from '../messages.ts';
import { valueToText } from '../values.ts';
import { directionOf } from '../labels.ts';
import { type Argument, type HelperCall, failCall, failCallForOption, type HelperFunction } from './helper-call.ts';

const placeholder = /\{([^{}]+)\}/g;

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

const subjectText = (call: HelperCall, { value, source }: Argument): string => {
  const whole = valueToText(value, source, call.line);
  // A list is joined again for each call; the helpers count the characters of texts themselves.
  if (typeof value === 'object') call.countCharacters(whole.length);
  return whole;
};

export const uppercase: HelperFunction = (call, subject) => subjectText(call, subject).toLocaleUpperCase(call.locale);

export const lowercase: HelperFunction = (call, subject) => subjectText(call, subject).toLocaleLowerCase(call.locale);

let characters: Intl.Segmenter | undefined;

/**
 * The index after the first `count` characters, or undefined if there are fewer. If more text follows the part read,
 * the end is certain only once another character follows.
 */
const endOfFirst = (text: string, count: number, hasMore: boolean): number | undefined => {
  // Created at first use, because that takes long.
  characters ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  let [position, end]: [number, number | undefined] = [0, undefined];
  for (const { index } of characters.segment(text)) {
    if (end !== undefined) return end;
    if (position === count) end = index;
    position += 1;
  }
  return hasMore ? undefined : end;
};

/**
 * The first `length` characters as a reader counts them (an emoji or an accented letter is one), with an ellipsis if
 * more follow.
 */
export const truncate: HelperFunction = (call, subject, length) => {
  if (typeof length.value !== 'number' || !Number.isInteger(length.value) || length.value < 0) {
    return failCallForOption(
      call,
      subject,
      length,
      `the length given to truncate is ${describeValue(length.value)}; a whole number from 0 is allowed.`,
    );
  }
  const whole = subjectText(call, subject);
  if (whole.length <= length.value) return whole;
  // The whole text may be much longer than the part to keep.
  for (let read = 2 * length.value + 16; ; read *= 2) {
    const part = whole.slice(0, read);
    const hasMore = read < whole.length;
    call.countCharacters(part.length);
    const end = endOfFirst(part, length.value, hasMore);
    if (end !== undefined) return `${whole.slice(0, end).trimEnd()}…`;
    if (!hasMore) return whole;
  }
};

const unsafeInMarkup: Record<string, string> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
};

/**
 * A value as JSON. Within triple braces it is safe in a script element: characters that could end the element or begin
 * a comment are written as JSON escapes.
 */
export const json: HelperFunction = (call, subject) => {
  try {
    const text = JSON.stringify(subject.value);
    return call.raw ? text.replace(/[<>&]/g, (character) => unsafeInMarkup[character] ?? character) : text;
  } catch {
    return failCall(call, subject, `"${subject.source}" cannot be written as JSON; plain data is allowed.`);
  }
};
