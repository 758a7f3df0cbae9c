import type { z } from 'zod';
import { truncateForMessage } from '#contracts/http/api-error.ts';
import { typeNameOf } from '#contracts/http/type-names.ts';

/** A received value for an error, never a long text. */
export const describeReceived = (received: unknown): unknown => {
  if (typeof received === 'string') return truncateForMessage(received);
  if (Array.isArray(received)) return 'array';
  return typeof received === 'object' && received !== null ? 'object' : received;
};

/** Texts and lists have a length, numbers are compared. */
const limitOf = ({ origin }: { origin: string }, comparison: string, limit: number | bigint): string => {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'entry' : null;
  if (unit === null) return `must be ${comparison} ${limit}`;
  const units = unit === 'entry' ? 'entries' : 'characters';
  return `must have ${comparison} ${limit} ${Number(limit) === 1 ? unit : units}`;
};

/** What is wrong with the value of a field, as a sentence that ends with a full stop. */
export const messageOf = (issue: z.core.$ZodIssue, field: string): string => {
  const isOwnText = issue.message.startsWith('must ');
  switch (issue.code) {
    case 'too_small': {
      const limit = limitOf(issue, issue.inclusive ? 'at least' : 'more than', issue.minimum);
      return `${field} ${isOwnText ? issue.message : limit}.`;
    }
    case 'too_big': {
      const limit = limitOf(issue, issue.inclusive ? 'at most' : 'less than', issue.maximum);
      return `${field} ${isOwnText ? issue.message : limit}.`;
    }
    case 'invalid_value': {
      const allowed = `must be one of ${issue.values.map(String).join(', ')}.`;
      return issue.input === undefined ? `${field} is missing; it ${allowed}` : `${field} ${allowed}`;
    }
    case 'invalid_type': {
      const type = typeNameOf(issue.expected);
      return issue.input === undefined ? `${field} is missing; it must be ${type}.` : `${field} must be ${type}.`;
    }
    case 'invalid_key':
      return `The name of ${field || 'the entry'} ${issue.issues[0]?.message ?? 'is not allowed'}.`;
    default:
      if (issue.input === undefined && isOwnText) return `${field} is missing; it ${issue.message}.`;
      return `${field}${/^(?:must|is) /.test(issue.message) ? '' : ':'} ${issue.message}.`;
  }
};
