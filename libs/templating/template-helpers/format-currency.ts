import { LRUCache } from 'lru-cache';
import { describeValue } from '../messages.ts';
import { isDecimal } from './format-number.ts';
import { failCall, failCallForOption, type HelperFunction } from './helper-call.ts';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

// Creating a format costs as much as a thousand uses of it. The cache has room for every currency, so that one document
// creates none twice.
const formats = new LRUCache<string, Intl.NumberFormat>({ max: 400 });

const currencyFormat = (locale: string, currency: string): Intl.NumberFormat => {
  const key = `${locale} ${currency}`;
  const known = formats.get(key);
  if (known) return known;
  // signDisplay: an amount that is rounded to zero has no minus sign.
  const made = new Intl.NumberFormat([locale, 'en'], { style: 'currency', currency, signDisplay: 'negative' });
  formats.set(key, made);
  return made;
};

/**
 * Formats an amount (a number, or a decimal number as text, which keeps every digit) in the currency with this ISO 4217
 * code, for the locale. Null is empty.
 */
export const formatCurrency: HelperFunction = (call, subject, currency) => {
  const code = typeof currency.value === 'string' ? currency.value.toUpperCase() : '';
  if (!currencies.has(code)) {
    const reason = `${describeValue(currency.value)} is not a currency code; a code of ISO 4217 such as EUR, USD or JPY is allowed.`;
    return failCallForOption(call, subject, currency, reason);
  }
  if (subject.value === null) return '';
  if (!isDecimal(subject.value)) {
    const found = `"${subject.source}" is ${describeValue(subject.value)}`;
    return failCall(call, subject, `${found}, which is not an amount; a number such as 1234.5 is allowed.`);
  }
  return currencyFormat(call.locale, code).format(subject.value);
};
