const decimal = /^-?\d{1,30}(?:\.\d{1,30})?$/;

/** Whether a value is a finite number, or a decimal number as text. */
export const isDecimal = (value: unknown): value is number | Intl.StringNumericLiteral =>
  typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && decimal.test(value);
