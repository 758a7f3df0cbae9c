import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault, Problem } from '#contracts/http/problem.ts';
import { outlineOf } from './json-outline.ts';
import { readJsonObject } from './read-json.ts';
import { dataBytes } from './written-data.ts';

const large = (json: string): Buffer => Buffer.from(json + ' '.repeat(100_000));
const read = (body: Buffer): Record<string, unknown> => readJsonObject(body)!;
const faultOf = (body: Buffer): Fault => {
  try {
    readJsonObject(body);
  } catch (error) {
    return (error as Problem).fault;
  }
  throw new Error('the body was read');
};
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',');

/** Bodies with `data` in any place, under any spelling of its name, with any content. */
const name = fc.constantFrom('"data"', '"d\\u0061ta"', '"\\u0064\\u0061\\u0074\\u0061"', '"data "', '"dat"', '"\\"data\\""', '"data\\\\"', '"__proto__"', '"mode"');
const text = fc.string({ unit: fc.constantFrom(...'{}[]":,\\ae\u00e9\n'), maxLength: 5 });
const value = fc.anything({ values: [text, fc.integer(), fc.constant(null)], key: text, maxDepth: 4 }).map((any) => JSON.stringify(any));
const space = fc.constantFrom('', ' ', '\n\t');
const member = fc.tuple(name, space, space, value, space).map(([key, before, after, json, end]) => `${before}${key}${after}:${before}${json}${end}`);
const objects = fc.array(member, { maxLength: 6 }).map((members) => `{${members.join(',')}}`);

describe('The body of a request', () => {
  it('is read as JSON.parse reads it, small or large, with the data that is stored for it', () => {
    fc.assert(
      fc.property(objects, (json) => {
        const whole = JSON.parse(json) as Record<string, unknown>;
        for (const body of [Buffer.from(json), large(json)]) {
          const object = read(body);
          const holdsMany = typeof whole.data === 'object' && whole.data !== null;
          if (holdsMany) expect(JSON.parse(dataBytes(object.data).toString())).toEqual(whole.data);
          expect({ ...object, data: holdsMany ? whole.data : object.data }).toEqual({ ...object, ...whole });
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps the digits and the repeated keys of data as the caller wrote them', () => {
    const data = '{ "n": 1.10, "n": 12345678901234567890 }';
    for (const body of [Buffer.from(`{"data":${data}}`), large(`{"data":${data}}`)]) expect(dataBytes(read(body).data).toString()).toBe(data);
  });

  it('says the place of a mistake as it is in the whole body', () => {
    const json = `{"data":{"a":[${'1,'.repeat(100)}1]},"mode"!}`;
    expect(faultOf(large(json)).message).toBe(faultOf(Buffer.from(json)).message);
  });

  it.each(['{"data":{"a":"}', '{"data":[', '{"data":[[}', '{"data":"\\', '{"data":{}', '"data"', '{"a\\', '[{"data":{}}]', '[[[', 'x', '{"data"', '{"data":', '}}{"data":{}'])('is refused when it is %s, small or large', (json) => {
    expect(faultOf(Buffer.from(json)).name).toBe('invalid_request');
    expect(faultOf(Buffer.from(' '.repeat(100_000) + json)).name).toBe('invalid_request');
  });

  it('is refused when it is not UTF-8', () => {
    expect(faultOf(Buffer.from('{"mode":"\xe9"}', 'latin1')).message).toMatch(/UTF-8/);
    expect(faultOf(Buffer.from('\ufeff{}')).name).toBe('invalid_request');
  });
});

describe('A large body', () => {
  it('is not searched for millions of values: those of data stay unread, and others are refused', () => {
    const many = keys(60_000);
    expect(read(Buffer.from(`{"mode":"RENDER","data":{${many}}}`))).toEqual({ mode: 'RENDER', data: {} });
    expect(faultOf(Buffer.from(`{"mode":"RENDER",${many}}`)).message).toMatch(/more than 50000 values outside of data/);
    expect(faultOf(Buffer.from(`{"options":{${many}},"data":{"a":1}}`)).name).toBe('invalid_request');
    expect(outlineOf(Buffer.from(`{"data":[${'[],'.repeat(1000)}[]],"a":1}`)).others).toBeLessThan(5);
  });
});
