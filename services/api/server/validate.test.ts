import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiError } from '#contracts/http/api-error.ts';
import { webhookFields } from '#contracts/http/webhook.ts';
import { validate } from './validate.ts';

const errorTextOf = (schema: z.ZodType, body: Record<string, unknown>) => {
  try {
    validate(schema, body);
  } catch (error) {
    return JSON.stringify((error as ApiError).fields);
  }
  throw new Error('the body is valid');
};
const strict = z.strictObject({
  page_size: z.enum(['A4']).optional(),
  names: z.record(z.string(), z.number()).optional(),
});
const long = 'k'.repeat(100_000);

describe('A validation error', () => {
  it.each([
    ['a long key', { [long]: 1 }],
    ['ten thousand keys', Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, 1]))],
    ['a long value', { page_size: long }],
    ['a long path', { names: { [long]: 'x' } }],
  ])('for %s stays short', (_, body) => {
    expect(errorTextOf(strict, body).length).toBeLessThan(1500);
  });

  it('names the first five unknown fields and the number of the others', () => {
    expect(errorTextOf(strict, { a: 1 })).toContain('\\"a\\" is not a field of this request.');
    expect(errorTextOf(strict, Object.fromEntries([...'abcdefgh'].map((key) => [key, 1])))).toContain(
      '\\"e\\" and 3 more are not fields of this request.',
    );
  });

  it('says whether a field is missing or has a wrong value', () => {
    const month = z.string().regex(/^\d{4}-\d\d$/, 'must be a month');
    const schema = z.object({ mode: z.enum(['CONVERT', 'RENDER']), month });
    expect(errorTextOf(schema, {})).toContain('"mode is missing; it must be one of CONVERT, RENDER."');
    expect(errorTextOf(z.object({ unit: z.enum(['mm']) }), { unit: 1 })).toContain('"unit must be one of mm."');
    expect(errorTextOf(schema, { mode: 'RENDER', month: 'May' })).toContain('"month must be a month."');
  });

  it('for too many callback headers reports nothing else', () => {
    const headers = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`no header ${at}`, '\n']));
    const { error } = z.object(webhookFields).safeParse({ webhook_headers: headers });
    expect(error?.issues.map(({ message }) => message)).toEqual(['at most 20 headers are allowed; there are 10000']);
  });
});
