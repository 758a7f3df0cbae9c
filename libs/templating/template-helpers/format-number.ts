import { LRUCache } from 'lru-cache';
import { type ExactNumber, isExactNumber, isFiniteNumber } from '#contracts/http/exact-numbers.ts';
import { describeValue } from '../messages.ts';
import { type Argument, failCall, failCallForOption, type HelperCall, type HelperFunction } from './helper-call.ts';

const decimal = /^-?\d{1,30}(?:\.\d{1,30})?$/;

/** Whether a value is a finite number, or a decimal number as text. */
const isDecimal = (value: unknown): value is number | ExactNumber | Intl.StringNumericLiteral =>
  typeof value === 'string' ? decimal.test(value) : isFiniteNumber(value);

// Creating a format costs as much as a thousand uses of it. The cache has room for every currency, so that one document
// creates none twice.
const formats = new LRUCache<string, Intl.NumberFormat>({ max: 800 });

const formatFor = (locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat => {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known) return known;
  // signDisplay: an amount that is rounded to zero has no minus sign.
  const made = new Intl.NumberFormat([locale, 'en'], { ...options, signDisplay: 'negative' });
  formats.set(key, made);
  return made;
};

/** The text of a number; null is empty. `kind` is what other values are not. */
const format = (
  call: HelperCall,
  subject: Argument,
  kind: 'a number' | 'an amount',
  options: Intl.NumberFormatOptions,
): string => {
  if (subject.value === null) return '';
  if (!isDecimal(subject.value)) {
    const found = `"${subject.source}" is ${describeValue(subject.value)}`;
    return failCall(call, subject, `${found}, which is not ${kind}; a number such as 1234.5 is allowed.`);
  }
  const { value } = subject;
  // A number in JSON is a numeric literal.
  const number = isExactNumber(value) ? (value.rawJSON as Intl.StringNumericLiteral) : value;
  return formatFor(call.locale, options).format(number);
};

const maxDecimals = 20;
const isDecimals = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxDecimals;

/**
 * Formats a number (or a decimal number as text, which keeps every digit) for the locale, with this number of decimals:
 * by default as many as it has. Null is empty.
 */
export const formatNumber: HelperFunction = (call, subject, argument) => {
  const { value: decimals } = argument;
  if (decimals !== undefined && !isDecimals(decimals)) {
    const found = `the number of decimals given to formatNumber is ${describeValue(decimals)}`;
    const reason = `${found}; a whole number from 0 to ${maxDecimals} is allowed.`;
    return failCallForOption(call, subject, argument, reason);
  }
  return format(call, subject, 'a number', {
    minimumFractionDigits: decimals ?? 0,
    maximumFractionDigits: decimals ?? maxDecimals,
  });
};

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Currencies that Intl rounds to whole amounts, as they are used, although ISO 4217 gives them decimals. */
const usuallyWhole = new Set('AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SLL SOS SYP YER'.split(' '));

/** An invoice shows the fraction that its attached XML has. */
const decimalsOf = (code: string): Intl.NumberFormatOptions =>
  usuallyWhole.has(code)
    ? { minimumFractionDigits: 2, maximumFractionDigits: 2, trailingZeroDisplay: 'stripIfInteger' }
    : {};

/**
 * Formats an amount (a number, or a decimal number as text, which keeps every digit) in the currency with this ISO 4217
 * code, for the locale. `maxDecimals` shows up to so many decimals, as unit prices need, and at least those of the
 * currency. A fraction has two decimals also in currencies that are usually written without any. Null is empty.
 */
export const formatCurrency: HelperFunction = (call, subject, currency) => {
  const code = typeof currency.value === 'string' ? currency.value.toUpperCase() : '';
  if (!currencies.has(code)) {
    const found = `${describeValue(currency.value)} is not a currency code`;
    return failCallForOption(
      call,
      subject,
      currency,
      `${found}; a code of ISO 4217 such as EUR, USD or JPY is allowed.`,
    );
  }
  const { maxDecimals: decimals } = call.named;
  if (decimals !== undefined && !isDecimals(decimals)) {
    const found = `maxDecimals given to formatCurrency is ${describeValue(decimals)}`;
    return failCall(call, subject, `${found}; a whole number from 0 to ${maxDecimals} is allowed.`);
  }
  const digits = decimals === undefined ? decimalsOf(code) : { maximumFractionDigits: decimals };
  return format(call, subject, 'an amount', { style: 'currency', currency: code, ...digits });
};
