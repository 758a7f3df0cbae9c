import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { boundaryOf } from '../register-body-parser.ts';
import { hashParts } from './read-multipart.ts';
import { parseDisposition } from './read-parts.ts';
import { type Part, readParts } from './read-parts.ts';

const quote = (name: string): string =>
  name.replaceAll(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

const partBytes = ({ name, fileName, type, bytes }: Part, boundary: string): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"` +
        `${fileName === null ? '' : `; filename="${quote(fileName)}"`}\r\n` +
        `${type === null ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
const bodyOf = (parts: readonly Part[], boundary: string): Buffer =>
  Buffer.concat([...parts.map((part) => partBytes(part, boundary)), Buffer.from(`--${boundary}--\r\n`)]);

// Clients write a backslash and a percent sign as they are, so a name that looks like an escape reads as one.
const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/\\|%(?:22|0a|0d)|\0/i.test(text));
const part = fc.record({
  name,
  fileName: fc.option(name),
  type: fc.option(fc.constantFrom('text/plain', 'image/png')),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .constantFrom('\r\n', '\r\n--', '\r\n--X', '--XX', '-', '\r\n\r\n', '\r')
      .map((text) => new Uint8Array(Buffer.from(text))),
  ),
});
const boundary = 'XX-boundary';

describe('A multipart body', () => {
  it('is read as the parts that it was made of', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        expect(await readParts(bodyOf(parts, boundary), boundary)).toEqual(parts);
      }),
    );
  });

  it('that was cut off, or has any other bytes, is refused or read, and never fails otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        fc.nat(255),
        async (parts, at, byte) => {
          const body = bodyOf(parts, boundary);
          const outcome = (bytes: Buffer) => readParts(bytes, boundary).catch((error: unknown) => error);
          // The line break after the last boundary may be missing.
          expect(await outcome(body.subarray(0, at % (body.length - 3)))).toBeInstanceOf(ApiError);
          body[at % body.length] = byte;
          const changed = await outcome(body);
          expect(Array.isArray(changed) || changed instanceof ApiError).toBe(true);
        },
      ),
    );
  });

  it('has the same hash with another boundary, and another one with other parts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4 }), fc.array(part, { maxLength: 4 }), async (parts, others) => {
        const hash = hashParts(await readParts(bodyOf(parts, boundary), boundary));
        expect(hashParts(await readParts(bodyOf(parts, 'other'), 'other'))).toBe(hash);
        const isEqual = JSON.stringify(parts) === JSON.stringify(others);
        expect(hashParts(others) === hash).toBe(isEqual);
      }),
    );
  });
});

it.each<[string, ReturnType<typeof parseDisposition>]>([
  ['form-data; name="a"; filename="b.png"', { name: 'a', fileName: 'b.png' }],
  ['Form-Data;NAME=a;FileName=b.png', { name: 'a', fileName: 'b.png' }],
  [String.raw`form-data; name="a\"b"; filename="C:\dir\b.png"`, { name: 'a"b', fileName: String.raw`C:\dir\b.png` }],
  ['form-data; name="a%22b"; filename="100%.png"', { name: 'a"b', fileName: '100%.png' }],
  ['form-data; name="a"; filename="x.png"; filename*=UTF-8\'\'%C3%BC.png', { name: 'a', fileName: 'ü.png' }],
  ['form-data; name="a"; filename*=iso-8859-1\'\'%FC.png', { name: 'a', fileName: null }],
  [`form-data; name="${Buffer.from('ü').toString('latin1')}"`, { name: 'ü', fileName: null }],
  ['form-data; name="\xfc"', { name: 'ü', fileName: null }],
  ['form-data; name="a; filename=b"', { name: 'a; filename=b', fileName: null }],
  ['form-data; name=""; filename=""', { name: null, fileName: null }],
  ['form-data', { name: null, fileName: null }],
  ['attachment; name="a"', undefined],
  // A pattern that tries all ways to read the backslashes would never end.
  [`form-data; name="${'\\'.repeat(8000)}`, { name: null, fileName: null }],
])('The header "Content-Disposition: %s" is read', (header, expected) => {
  expect(parseDisposition(header)).toEqual(expected);
});

it.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['multipart/form-data; charset=utf-8; Boundary="a b:c"', 'a b:c'],
  ['multipart/form-data; boundary=----WebKitFormBoundary7MA4; x=y', '----WebKitFormBoundary7MA4'],
])('The boundary of "%s" is found', (contentType, expected) => {
  expect(boundaryOf(contentType)).toBe(expected);
});
