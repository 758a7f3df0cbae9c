/** Digits before and after the point together, without zeros at the ends. */
export const maxDigits = 40;

/** One in the units of `readDecimal`. With a common scale for all numbers, sums and comparisons are exact. */
export const one = 10n ** BigInt(maxDigits);

type Parts = { isNegative: boolean; whole: string; fraction: string };

/** A regular expression that ends in zeros takes quadratic time for zeros that are not at the end. */
const withoutZerosAtEnd = (digits: string): string => {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
};

const splitDecimal = (text: string): Parts => {
  const match = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(text.trim());
  if (!match) throw new RangeError('The text is not a decimal.');
  const [, sign, whole = '', fraction = ''] = match;
  return { isNegative: sign === '-', whole: whole.replace(/^0+/, ''), fraction: withoutZerosAtEnd(fraction) };
};

/** Whether `readDecimal` can read an xs:decimal. Without a limit, the sums of long numbers would take hours. */
export const hasTooManyDigits = (text: string): boolean => {
  const { whole, fraction } = splitDecimal(text);
  return whole.length + fraction.length > maxDigits;
};

/**
 * The exact value of an xs:decimal (XML Schema 1.1 part 2, section 3.3.3), in units of 1 / `one`.
 * @throws RangeError if the text is no xs:decimal, or has too many digits
 */
export const readDecimal = (text: string): bigint => {
  if (hasTooManyDigits(text)) throw new RangeError(`The decimal has more than ${maxDigits} digits.`);
  const { isNegative, whole, fraction } = splitDecimal(text);
  const units = BigInt(whole + fraction.padEnd(maxDigits, '0'));
  return isNegative ? -units : units;
};

/** The decimal with all its digits, at least two of them after the point. */
export const decimalText = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(maxDigits + 1, '0');
  const fraction = withoutZerosAtEnd(digits.slice(-maxDigits)).padEnd(2, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -maxDigits)}.${fraction}`;
};

/** The nearest number with two digits after the point, a half rounded up as by `round` of XPath. */
export const roundToCents = (units: bigint): bigint => {
  const cent = one / 100n;
  const shifted = units + cent / 2n;
  const rest = shifted % cent;
  return shifted - (rest < 0n ? rest + cent : rest);
};
