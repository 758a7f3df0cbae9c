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
    ['a long key', { [long]: 1 }, 1500],
    ['ten thousand keys', Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, 1])), 18_000],
    ['a long value', { page_size: long }, 1500],
    ['a long path', { names: { [long]: 'x' } }, 1500],
    ['fifty long keys', Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}${long}`, 1])), 18_000],
  ])('for %s stays short', (_, body, maxBytes) => {
    expect(errorTextOf(strict, body).length).toBeLessThan(maxBytes);
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
