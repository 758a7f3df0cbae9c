import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { attachments } from '#contracts/http/attachments.ts';
import { conformance } from '#contracts/http/conformance.ts';
import { renderOptionFields } from '#contracts/http/render-options.ts';
import { pdfMetadata } from '#contracts/http/pdf-metadata.ts';
import { messageOf } from './messages.ts';

describe('The message about a value', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['an empty text', z.string().min(1), '', 'x must have at least 1 character.'],
    ['a long text', z.string().max(2), 'abc', 'x must have at most 2 characters.'],
    ['an empty list', z.array(z.number()).min(1), [], 'x must have at least 1 entry.'],
    ['a long list', z.array(z.number()).max(2), [1, 2, 3], 'x must have at most 2 entries.'],
    ['a small number', z.number().min(1), 0, 'x must be at least 1.'],
    ['a small page', renderOptionFields.width, 8.5, 'x must be at least 10 mm.'],
    ['a wide margin', renderOptionFields.margin_top, 101, 'x must be at most 100 mm.'],
    ['a high header', renderOptionFields.header_height, 101, 'x must be at most 100 mm.'],
    ['a flag', z.boolean(), 'ja', 'x must be true or false.'],
    ['a missing text', z.string(), undefined, 'x is missing; it must be text.'],
    ['an object', z.record(z.string(), z.string()), ['a: b'], 'x must be an object.'],
    ['a whole number', z.int(), 1.5, 'x must be a whole number.'],
    [
      'the name of an entry',
      pdfMetadata,
      { custom: { 'Case No': '1' } },
      'The name of x must begin with a letter (A to Z) and have only letters, digits, ".", "-" and "_", at most 100 characters.',
    ],
    [
      'a reserved name',
      pdfMetadata,
      { custom: { Title: '1' } },
      'The name of x is reserved: a PDF has this entry of its own.',
    ],
    [
      'a time',
      attachments,
      [{ name: 'a', data: 'YQ==', modified_at: 'yesterday' }],
      'x must be an ISO 8601 time with an offset, such as 2026-05-31T09:30:00Z.',
    ],
    [
      'an unknown standard',
      conformance,
      'pdf/a-1b',
      'x must be one of pdf/a-2b, pdf/a-2u, pdf/a-3b, pdf/a-3u, pdf/ua-1, or an array of one PDF/A level and pdf/ua-1.',
    ],
  ])('says what %s must be', (_, schema, value, message) => {
    const { issues } = schema.safeParse(value, { reportInput: true }).error!;
    expect(issues.map((issue) => messageOf(issue, 'x'))).toEqual([message]);
  });
});
