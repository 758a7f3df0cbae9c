import { describeValue } from '../messages.ts';
import { valueToText } from '../values.ts';
import { type Argument, type HelperCall, failCall, failCallForOption, type HelperFunction } from './helper-call.ts';

const subjectText = (call: HelperCall, { value, source }: Argument): string => {
  const whole = valueToText(value, source, call.line);
  // A list is read anew for each call; what a helper reads of a text it counts by itself.
  if (typeof value === 'object') call.countCharacters(whole.length);
  return whole;
};

export const uppercase: HelperFunction = (call, subject) => subjectText(call, subject).toLocaleUpperCase(call.locale);

export const lowercase: HelperFunction = (call, subject) => subjectText(call, subject).toLocaleLowerCase(call.locale);

const characters = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Where the character after the first `count` begins in the text; undefined where there is none. Of a text that goes
 * on, an end is certain only once another character follows.
 */
const endOfFirst = (text: string, count: number, goesOn: boolean): number | undefined => {
  let [position, end]: [number, number | undefined] = [0, undefined];
  for (const { index } of characters.segment(text)) {
    if (end !== undefined) return end;
    if (position === count) end = index;
    position += 1;
  }
  return goesOn ? undefined : end;
};

/**
 * The first `length` characters as a reader counts them (an emoji or an accented letter is one), and an ellipsis where
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
  // The whole text may be very much longer than what is kept of it.
  for (let read = 2 * length.value + 16; ; read *= 2) {
    const part = whole.slice(0, read);
    const goesOn = read < whole.length;
    call.countCharacters(part.length);
    const end = endOfFirst(part, length.value, goesOn);
    if (end !== undefined) return `${whole.slice(0, end).trimEnd()}…`;
    if (!goesOn) return whole;
  }
};

const unsafeInMarkup: Record<string, string> = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
};

/**
 * A value as JSON. Within triple braces it may stand in a script element: what could end the element or begin a comment
 * is written as an escape, which is the same JSON.
 */
export const json: HelperFunction = (call, subject) => {
  try {
    const text = JSON.stringify(subject.value);
    return call.raw ? text.replace(/[<>&]/g, (sign) => unsafeInMarkup[sign] ?? sign) : text;
  } catch {
    return failCall(call, subject, `"${subject.source}" cannot be written as JSON; plain data is allowed.`);
  }
};
