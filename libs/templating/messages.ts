import { isExactNumber } from '#contracts/http/exact-numbers.ts';
import { templateLimits } from './limits.ts';

export const truncateForMessage = (text: string): string =>
  text.length > templateLimits.messageCharacters ? `${text.slice(0, templateLimits.messageCharacters)}…` : text;

/** A value in a message: its truncated JSON, or `a list` or `an object`. */
export const describeValue = (value: unknown): string => {
  const text =
    typeof value === 'object' && value !== null && !isExactNumber(value)
      ? Array.isArray(value)
        ? 'a list'
        : 'an object'
      : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
