import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import type { InputType, TextInputType } from './input.ts';
import { prepareDocument, prepareTemplate } from './prepare.ts';

const outcome = async (inputType: InputType, data: Uint8Array): Promise<'prepared' | 'refused'> => {
  try {
    const { html } = await prepareDocument({ inputType, data, maxImages: 50 });
    expect(html).toBeTypeOf('string');
    return 'prepared';
  } catch (error) {
    if (error instanceof ApiError) return 'refused';
    throw error;
  }
};

const sharp = fc.constantFrom(
  '<',
  '>',
  '&',
  '"',
  "'",
  '<!--',
  '-->',
  '<a ',
  '</a>',
  '<![CDATA[',
  ']]>',
  '```',
  '|',
  '[x](',
  '![',
  ')',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  ';',
  '\n',
  '\r',
  '\t',
  '\0',
  '\ufeff',
  '\ud800',
  'sep=;',
  '#',
  '- [ ] ',
  '[^1]',
  '1',
  'ا',
  '漢',
  '<!DOCTYPE a [',
  '<?x',
  'url(',
  '\\',
);
const untidy = fc
  .array(fc.oneof(sharp, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 30 })
  .map((pieces) => pieces.join(''));

describe('any input', () => {
  test.each<TextInputType>(['html', 'markdown', 'csv', 'json', 'xml'])(
    'as %s is prepared or refused with an ApiError',
    async (inputType) => {
      await fc.assert(
        fc.asyncProperty(untidy, async (text) => {
          expect(await outcome(inputType, Buffer.from(text))).toMatch(/^(prepared|refused)$/);
        }),
        { numRuns: 400 },
      );
    },
  );

  test.each<InputType>(['html', 'markdown', 'csv', 'json', 'xml', 'docx'])(
    'as bytes of type %s is prepared or refused with an ApiError',
    async (inputType) => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
          expect(await outcome(inputType, bytes)).toMatch(/^(prepared|refused)$/);
        }),
      );
    },
  );
});

describe('the sample documents', () => {
  const folder = new URL('../../test/fixtures/documents/', import.meta.url);
  const types: Record<string, InputType> = {
    '.html': 'html',
    '.md': 'markdown',
    '.csv': 'csv',
    '.json': 'json',
    '.xml': 'xml',
    '.docx': 'docx',
  };
  const samples = readdirSync(folder).filter((name) => extname(name) in types);

  test.each(samples)('%s is prepared without scripts and fetches nothing', async (name) => {
    const inputType = types[extname(name)] ?? 'html';
    const file = readFileSync(new URL(name, folder));
    const data = inputType === 'docx' ? Buffer.from(file.toString('base64')) : file;
    expect(await prepareDocument({ inputType, data, maxImages: 50 })).toMatchObject({
      classification: { scripts: false, external: false },
    });
  });
});

test('a template with data that is not JSON is refused with the reason', async () => {
  const filled = (data: string) =>
    prepareTemplate({
      content: '<p>{{a}}',
      contentHash: 'a',
      data: Buffer.from(data),
      variables: [],
      locale: 'en',
      timeZone: 'UTC',
      maxImages: null,
    });
  expect((await filled('{"a":1}')).html).toContain('<p>1');
  await expect(filled('{"a":}')).rejects.toMatchObject({
    fields: {
      name: 'invalid_request',
      message: expect.stringMatching(/^data is not JSON: /),
      extra: { field: 'data' },
    },
  });
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  await expect(filled(`{"a":12345678901234567890,"deep":${deep}}`)).rejects.toMatchObject({
    fields: { name: 'invalid_request', message: 'data is nested too deeply.', extra: { field: 'data' } },
  });
});
