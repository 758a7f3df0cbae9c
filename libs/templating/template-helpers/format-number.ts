import { LRUCache } from 'lru-cache';
import { describeValue } from '../messages.ts';
import { failCall, failCallForOption, type HelperFunction } from './helper-call.ts';

const decimal = /^-?\d{1,30}(?:\.\d{1,30})?$/;

/** Whether a value is a finite number, or a decimal number as text. */
export const isDecimal = (value: unknown): value is number | Intl.StringNumericLiteral =>
  typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && decimal.test(value);

const formats = new LRUCache<string, Intl.NumberFormat>({ max: 400 });

const numberFormat = (locale: string, decimals: number | undefined): Intl.NumberFormat => {
  const key = `${locale} ${decimals}`;
  const known = formats.get(key);
  if (known) return known;
  const digits =
    decimals === undefined
      ? { maximumFractionDigits: 20 }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const made = new Intl.NumberFormat([locale, 'en'], { ...digits, signDisplay: 'negative' });
  formats.set(key, made);
  return made;
};

const maxDecimals = 20;
const isDecimals = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxDecimals;

/**
 * Formats a number (or a decimal number as text, which keeps every digit) for the locale, with this number of decimals:
 * by default as many as it has. Null is empty.
 */
export const formatNumber: HelperFunction = (call, subject, decimals) => {
  if (decimals.value !== undefined && !isDecimals(decimals.value)) {
    const found = `the number of decimals given to formatNumber is ${describeValue(decimals.value)}`;
    return failCallForOption(call, subject, decimals, `${found}; a whole number from 0 to ${maxDecimals} is allowed.`);
  }
  if (subject.value === null) return '';
  if (!isDecimal(subject.value)) {
    const found = `"${subject.source}" is ${describeValue(subject.value)}`;
    return failCall(call, subject, `${found}, which is not a number; a number such as 1234.5 is allowed.`);
  }
  return numberFormat(call.locale, decimals.value).format(subject.value);
};
