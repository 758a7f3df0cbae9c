import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { isBase64 } from '#contracts/http/attachments.ts';
import { topLevelFields } from './top-level-fields.ts';
import { openBodyReader } from './body-reader.ts';
import { type RequestBody, readJson } from './read-json.ts';

const bodies = openBodyReader();
const withoutHash = { boundary: null, wantsHash: false };
afterAll(() => bodies.close());

const large = (json: string): Buffer => Buffer.from(json + ' '.repeat(100_000));
const errorFieldsOf = (body: Buffer): ApiErrorFields => {
  try {
    readJson(body);
  } catch (error) {
    return (error as ApiError).fields;
  }
  throw new Error('the body was accepted');
};
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',');

/** Members of an object with names in several spellings and values of any kind. */
const name = fc.constantFrom(
  '"data"',
  '"d\\u0061ta"',
  '"\\u0064\\u0061\\u0074\\u0061"',
  '"data "',
  '"dat"',
  '"\\"data\\""',
  '"data\\\\"',
  '"__proto__"',
  '"constructor"',
  '"mode"',
  '"header_html"',
  '""',
);
const text = fc.string({ unit: fc.constantFrom(...'{}[]":,\\ae\u00e9\n'), maxLength: 5 });
const value = fc
  .anything({
    values: [text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)],
    key: text,
    maxDepth: 4,
  })
  .map((any) => JSON.stringify(any));
const space = fc.constantFrom('', ' ', '\n\t');
const member = fc.tuple(name, space, space, value, space).map(([key, before, after, json, end]) => ({
  key: JSON.parse(key) as string,
  text: `${before}${key}${after}:${before}${json}${end}`,
}));
const members = fc.array(member, { maxLength: 6 });
const textOf = (some: { text: string }[]): string => `{${some.map((one) => one.text).join(',')}}`;
const hasRepeats = (some: { key: string }[]): boolean => new Set(some.map(({ key }) => key)).size < some.length;
const bytesAsText = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString();
/** All entries of a body. */
const entriesOf = ({ fields, longTexts: { data } }: RequestBody): [string, unknown][] =>
  Object.entries(fields).map(([key, any]) => [
    key,
    key === 'data' && data ? JSON.parse(Buffer.from(data).toString()) : any,
  ]);

describe('The fields of a body', () => {
  it('are the ones that JSON.parse finds, with the same names and values', () => {
    fc.assert(
      fc.property(members, space, (some, end) => {
        const json = Buffer.from(`${end}${textOf(some)}${end}`);
        const found = [...topLevelFields(json)];
        expect(found.map((field) => field.name)).toEqual(some.map(({ key }) => key));
        const values = found.map((field): [string, unknown] => [
          field.name,
          JSON.parse(json.subarray(field.start, field.end).toString()),
        ]);
        expect(new Map(values)).toEqual(new Map(Object.entries(JSON.parse(json.toString()) as object)));
      }),
      { numRuns: 1000 },
    );
  });

  it('end within the text, also in text that is not JSON', () => {
    fc.assert(
      fc.property(
        members,
        fc.nat(),
        fc.constantFrom('', '"', '{', '}', ']', ',', ':', '\\', 'x', '\u0000'),
        (some, at, change) => {
          const json = textOf(some);
          const position = at % (json.length + 1);
          const body = Buffer.from(json.slice(0, position) + change + json.slice(position + 1));
          let counted = 0;
          for (const field of topLevelFields(body)) {
            expect(field.end).toBeLessThanOrEqual(body.length);
            counted += 1;
          }
          expect(counted).toBeLessThanOrEqual(body.length);
        },
      ),
    );
  });
});

describe('The body of a request', () => {
  it('gives the same fields as JSON.parse, small or large, and is rejected if a field is repeated', () => {
    fc.assert(
      fc.property(members, (some) => {
        const json = textOf(some);
        for (const body of [Buffer.from(json), large(json)]) {
          if (hasRepeats(some))
            expect(errorFieldsOf(body)).toMatchObject({
              name: 'invalid_request',
              message: expect.stringMatching(/more than once/),
            });
          else expect(entriesOf(readJson(body))).toEqual(Object.entries(JSON.parse(json) as object));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['data', '{"data":[1],"data":{}}'],
    ['data', '{"data":[1],"d\\u0061ta":{}}'],
    ['mode', '{"mode":"RENDER","data":{},"mode":"CONVERT"}'],
    ['__proto__', '{"__proto__":1,"__proto__":2}'],
    ['', '{"":1,"":2}'],
  ])('is rejected for the repeated field %j in %s, small or large', (field, json) => {
    for (const body of [Buffer.from(json), large(json)])
      expect(errorFieldsOf(body)).toMatchObject({ name: 'invalid_request', extra: { field } });
  });

  it('may repeat keys within data, and digits and keys of data stay as written', () => {
    const data = '{ "n": 1.10, "n": 12345678901234567890 }';
    for (const body of [Buffer.from(`{"data":${data}}`), large(`{"data":${data}}`)])
      expect(Buffer.from(readJson(body).longTexts.data!).toString()).toBe(data);
  });

  it('reports the position of a syntax error in the whole body', () => {
    const json = `{"data":{"a":[${'1,'.repeat(100)}1]},"mode"!}`;
    expect(errorFieldsOf(large(json)).message).toBe(errorFieldsOf(Buffer.from(json)).message);
  });

  it.each([
    '{"data":{"a":"}',
    '{"data":[',
    '{"data":[[}',
    '{"data":"\\',
    '{"data":{}',
    '"data"',
    '{"a\\',
    '[{"data":{}}]',
    '[[[',
    'x',
    '{"data"',
    '{"data":',
    '}}{"data":{}',
    '{} x',
    '{},',
    '{"a":1,}',
    '{"a":1 "b":2}',
    ' \ufeff{}',
  ])('is rejected if it is %s, small or large', (json) => {
    expect(errorFieldsOf(Buffer.from(json)).name).toBe('invalid_request');
    expect(errorFieldsOf(large(json)).name).toBe('invalid_request');
    expect(errorFieldsOf(Buffer.from(' '.repeat(100_000) + json)).name).toBe('invalid_request');
  });

  it('may begin with a byte order mark', () => {
    expect(readJson(Buffer.from('\ufeff{"mode":"CONVERT"}')).fields).toEqual({ mode: 'CONVERT' });
  });

  it('is rejected if it is not UTF-8', () => {
    expect(errorFieldsOf(Buffer.from('{"mode":"\xe9"}', 'latin1')).message).toMatch(/UTF-8/);
  });
});

describe('A large body', () => {
  it('leaves the values of data unparsed, and is rejected for too many values of another field, which the error names', () => {
    const many = keys(60_000);
    expect(readJson(Buffer.from(`{"mode":"RENDER","data":{${many}}}`)).fields).toEqual({ mode: 'RENDER', data: {} });
    for (const [field, json] of [
      ['webhook_headers', `{"webhook_headers":{${many}},"data":{"a":1}}`],
      ['variables', `{"variables":[${'[],'.repeat(10_000)}1]}`],
      ['content', `{"content":${'['.repeat(20_000)}`],
      ['header_html', `{"header_html":[${'{},'.repeat(5_000)}1]}`],
    ])
      expect(errorFieldsOf(Buffer.from(json!))).toMatchObject({
        message: expect.stringMatching(/at most 10000 values in 1 MB are allowed/),
        extra: { field },
      });
  });

  it('has no more fields than an object of a request may have', () => {
    expect(Object.keys(readJson(Buffer.from(`{${keys(200)}}`)).fields)).toHaveLength(200);
    expect(errorFieldsOf(Buffer.from(`{${keys(201)}}`)).message).toBe(
      'The body has more than 200 fields. Data of templates belongs in the field "data".',
    );
    expect(errorFieldsOf(Buffer.from(`{"parts":[{},{${keys(201)}}]}`)).message).toMatch(
      /^parts\[1\] has more than 200/,
    );
    expect(errorFieldsOf(Buffer.from(`{${keys(201)},"parts":[1]}`)).message).toMatch(/^The body has more than 200/);
    expect(readJson(Buffer.from('{"parts":{"a":1}}')).fields).toEqual({ parts: { a: 1 } });
  });

  it('may not have many values or deep nesting in the parts of a part', () => {
    const partsOfPart = (text: string) => Buffer.from(`{"mode":"COMPOSE","parts":[{"parts":[${text}]}]}`);
    expect(errorFieldsOf(partsOfPart(`${'{"a":1},'.repeat(100_000)}{}`))).toMatchObject({
      message: expect.stringContaining('too large at'),
      extra: { field: 'parts[0].parts' },
    });
    expect(errorFieldsOf(partsOfPart('['.repeat(1000) + ']'.repeat(1000)))).toMatchObject({
      extra: { field: 'parts[0].parts' },
    });
  });

  it('may have parts with few values together, though each may have many', () => {
    const partsWith = (count: number, part: string) => Buffer.from(`{"parts":[${`${part},`.repeat(count)}{}]}`);
    const large = `{"x":{${keys(9_000)}}}`;
    expect((readJson(partsWith(5, large)).fields['parts'] as object[]).length).toBe(6);
    expect(errorFieldsOf(partsWith(6, large))).toMatchObject({
      message: expect.stringMatching(
        /^The parts together are too large at .* at most 50000 values in 4 MB are allowed/,
      ),
      extra: { field: expect.stringMatching(/^parts\[5\]\./) },
    });
    const text = `{"x":"${'x'.repeat(900_000)}"}`;
    expect(errorFieldsOf(partsWith(5, text))).toMatchObject({ extra: { field: 'parts[4].x' } });
    expect((readJson(partsWith(9, text.replace('x', 'data'))).fields['parts'] as object[]).length).toBe(10);
  });

  it('may have long texts only in data, content, header_html and footer_html', () => {
    const long = 'x'.repeat(1_100_000);
    const html = '<p>\u00e9"\\'.repeat(20_000);
    const { fields, longTexts } = readJson(
      Buffer.from(JSON.stringify({ data: html, header_html: html, footer_html: html, content: long })),
    );
    expect(
      [longTexts.data, longTexts.header_html, longTexts.footer_html].map((bytes) => Buffer.from(bytes!).toString()),
    ).toEqual([html, html, html]);
    expect(fields.content).toBe(long);
    for (const name of ['name', 'webhook_url', 'default_options', 'unknown'])
      expect(errorFieldsOf(Buffer.from(JSON.stringify({ [name]: [long] })))).toMatchObject({ extra: { field: name } });
    expect(errorFieldsOf(Buffer.from(JSON.stringify({ [long]: 1 }))).name).toBe('invalid_request');
  });

  it('has the files of attachments as bytes, and a short text in place of each', () => {
    const file = Buffer.alloc(300_000, 'Colophon');
    const attachments = [
      { name: 'a', data: file.toString('base64') },
      { name: 'b', data: `${file.toString('base64')}*` },
      { name: 'c', data: '' },
      { name: 'd' },
      null,
    ];
    const { fields, longTexts } = readJson(Buffer.from(JSON.stringify({ attachments })));
    expect(longTexts.attachments).toEqual([file, null, null, null, null]);
    const [valid, invalid, ...others] = fields['attachments'] as ({ data?: string } | null)[];
    expect([valid, invalid].map((entry) => isBase64(entry!.data!))).toEqual([true, false]);
    expect(JSON.stringify([valid, invalid]).length).toBeLessThan(100);
    expect(others).toEqual(attachments.slice(2));
  });

  it('gives the same fields, texts, hash and errors in a worker thread as on the main thread', async () => {
    const object = {
      mode: 'RENDER',
      template_id: 'tpl_\u00e9',
      data: { a: [1] },
      footer_html: '<p>\u4e2d'.repeat(30_000),
      wait_time: 1,
      webhook_headers: { a: 'b' },
      attachments: [{ name: 'a.txt', data: 'YQ==' }, { name: 'b.txt', data: 'no base64' }, null],
    };
    for (const filling of [0, 2_000_000]) {
      const json = JSON.stringify({ ...object, content: 'y'.repeat(filling) }).replace(
        '"mode"',
        '"__proto__":{"polluted":true},"mode"',
      );
      const expected = readJson(Buffer.from(json), true);
      const body = await bodies.read(Buffer.from(json), { boundary: null, wantsHash: true }, 'account');
      const asText = ({ longTexts, ...rest }: RequestBody) => ({
        ...rest,
        longTexts: Object.entries(longTexts).map(([key, texts]) => [key, [texts].flat().map(bytesAsText)]),
      });
      expect(asText(body)).toEqual(asText(expected));
      expect(Object.keys(body.fields)).toContain('__proto__');
      expect((body.fields as { polluted?: unknown }).polluted).toBeUndefined();
      await expect(
        bodies.read(Buffer.from(json.replace('"wait_time"', '"mode"')), withoutHash, 'account'),
      ).rejects.toMatchObject({ fields: { name: 'invalid_request', extra: { field: 'mode' } } });
    }
  });

  it.each([100_000, 2_000_000])(
    'of one account waits for at most two bodies of an account that sends many (%i bytes)',
    async (filling) => {
      const read: string[] = [];
      const send = async (accountId: string): Promise<void> => {
        await bodies.read(Buffer.from(JSON.stringify({ data: 'x'.repeat(filling) })), withoutHash, accountId);
        read.push(accountId);
      };
      await Promise.all([...Array.from({ length: 6 }, () => send('many')), send('one')]);
      expect(read.indexOf('one')).toBeLessThanOrEqual(2);
    },
  );
});

describe('A field that is nested thousands of times', () => {
  const nested = '['.repeat(9_000) + ']'.repeat(9_000);
  const form = (...parts: [string, string][]): Buffer =>
    Buffer.from(
      parts.map(([name, text]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`).join('') +
        '--b--\r\n',
    );
  const readForm = (...parts: [string, string][]) =>
    bodies.read(
      form(['file', 'x'.repeat(100_000)], ['input_type', 'html'], ...parts),
      { boundary: 'b', wantsHash: false },
      'a',
    );

  it('is rejected, and the next body is read', async () => {
    const message = '"webhook_headers" is nested too deeply: at most 32 levels are allowed.';
    const read = (json: string) => bodies.read(large(json), withoutHash, 'a');
    await expect(read(`{"webhook_headers":${nested}}`)).rejects.toMatchObject({ fields: { message } });
    expect((await read(`{"data":${nested}}`)).fields).toEqual({ data: [] });
    expect((await read('{"mode":"CONVERT"}')).fields).toEqual({ mode: 'CONVERT' });
  });

  it('stays a text in a form, as does a name of JavaScript', async () => {
    const { fields } = await readForm(['webhook_headers', nested], ['keep_pdf', 'constructor']);
    expect(fields).toMatchObject({ webhook_headers: nested, keep_pdf: 'constructor' });
  });

  it('may be the data of a template in a form', async () => {
    const data = `{"a":${nested}}`;
    for (const part of [
      ['data', data],
      ['options', `{"data":${data}}`],
    ] as [string, string][]) {
      const body = form(['template_id', 'tpl_1'], part, ['header_html', 'x'.repeat(100_000)]);
      const { fields, longTexts } = await bodies.read(body, { boundary: 'b', wantsHash: false }, 'a');
      expect(fields.data).toEqual({});
      expect(Buffer.from(longTexts.data!).toString()).toBe(data);
    }
  });

  it('may be beside parts in the options of a form which another thread reads', async () => {
    const options = `{"parts":[{"mode":"CONVERT"}],"data":{"a":1}}`;
    const body = form(['options', options], ['header_html', 'x'.repeat(100_000)]);
    const { fields } = await bodies.read(body, { boundary: 'b', wantsHash: false }, 'a');
    expect(fields).toMatchObject({ mode: 'COMPOSE', parts: [{ mode: 'CONVERT' }], data: {} });
  });

  it('may be that of a part in a form which another thread reads', async () => {
    const data = `{"a":${nested}}`;
    const body = form(['parts', `[{"template_id":"tpl_1","data":${data}}]`], ['header_html', 'x'.repeat(100_000)]);
    const { fields, partTexts } = await bodies.read(body, { boundary: 'b', wantsHash: false }, 'a');
    expect(fields['parts']).toEqual([{ template_id: 'tpl_1', data: {} }]);
    expect(bytesAsText(partTexts![0]!.data!)).toBe(data);
  });
});
