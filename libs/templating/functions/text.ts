import { textOf } from '../text-of.ts';
import type { Argument, Call, ValueHelper } from './argument.ts';
import { quoted, refuseOption } from './argument.ts';

const text = (call: Call, { value, written }: Argument) => textOf(value, written, call.line);

export const uppercase: ValueHelper = (call, subject) => text(call, subject).toLocaleUpperCase(call.locale);

export const lowercase: ValueHelper = (call, subject) => text(call, subject).toLocaleLowerCase(call.locale);

const characters = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The first `length` characters as a reader counts them (an emoji or an accented letter is one), and an ellipsis where more follow. */
export const truncate: ValueHelper = (call, subject, length) => {
  if (typeof length.value !== 'number' || !Number.isInteger(length.value) || length.value < 0) {
    return refuseOption(call, subject, length, `the length given to truncate is ${quoted(length.value)}; a whole number from 0 is allowed.`);
  }
  const whole = text(call, subject);
  if (whole.length <= length.value) return whole;
  let kept = 0;
  for (const { index } of characters.segment(whole)) {
    if (kept === length.value) return `${whole.slice(0, index).trimEnd()}…`;
    kept += 1;
  }
  return whole;
};
