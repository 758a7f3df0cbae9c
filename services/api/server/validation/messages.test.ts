import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { conformance } from '#contracts/http/conformance.ts';
import { messageOf } from './messages.ts';

describe('The message about a value', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['an empty text', z.string().min(1), '', 'x must have at least 1 character.'],
    ['a long text', z.string().max(2), 'abc', 'x must have at most 2 characters.'],
    ['an empty list', z.array(z.number()).min(1), [], 'x must have at least 1 entry.'],
    ['a long list', z.array(z.number()).max(2), [1, 2, 3], 'x must have at most 2 entries.'],
    ['a small number', z.number().min(1), 0, 'x must be at least 1.'],
    ['a flag', z.boolean(), 'ja', 'x must be true or false.'],
    ['a missing text', z.string(), undefined, 'x is missing; it must be text.'],
    ['an object', z.record(z.string(), z.string()), ['a: b'], 'x must be an object.'],
    ['a whole number', z.int(), 1.5, 'x must be a whole number.'],
    [
      'an unknown standard',
      conformance,
      'pdf/a-1b',
      'x must be one of pdf/a-2b, pdf/a-2u, pdf/a-3b, pdf/a-3u, pdf/ua-1, or an array of one PDF/A level and pdf/ua-1.',
    ],
  ])('says what %s must be', (_, schema, value, message) => {
    const [issue] = schema.safeParse(value, { reportInput: true }).error!.issues;
    expect(messageOf(issue!, 'x')).toBe(message);
  });
});
