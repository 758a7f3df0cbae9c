import { describe, expect, it } from 'vitest';
import { sampleProblems, schemaOf } from './sample-schema.ts';

const variables = [
  { name: 'number', type: 'string', required: true },
  { name: 'due', type: 'date', required: false },
  { name: 'seller.name', type: 'string', required: true },
] as const;

it('The schema of the sample data follows from the declared variables', () => {
  expect(schemaOf(variables)).toEqual({
    type: 'object',
    required: ['number'],
    properties: {
      number: { type: 'string' },
      due: { type: 'string', format: 'date' },
      seller: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  });
});

describe('Problems of the sample data', () => {
  const textsOf = (data: unknown): string[] => {
    const text = JSON.stringify(data, null, 2);
    return sampleProblems(text, variables).map(({ from, to }) => text.slice(from, to));
  };

  it('are none if they fit', () => {
    expect(textsOf({ number: '1', due: '2026-01-31', seller: { name: 'x' } })).toEqual([]);
    expect(textsOf({ number: null, seller: { name: 'x' } })).toEqual([]);
    expect(sampleProblems('{', variables)).toEqual([]);
  });

  it('are none for a number with more digits than JavaScript has, which is not an object', () => {
    const text = '{"a": 12345678901234567890, "b": 12345678901234567890}';
    const declared = [
      { name: 'a', type: 'number', required: true },
      { name: 'b', type: 'object', required: true },
    ] as const;
    expect(sampleProblems(text, declared).map(({ from, to }) => text.slice(from, to))).toEqual([
      '"b": 12345678901234567890',
    ]);
  });

  it('are marked at the property with a wrong type, or at the object without it', () => {
    expect(textsOf({ number: 1, due: 'soon', seller: { name: 2 } })).toEqual([
      '"number": 1',
      '"due": "soon"',
      '"name": 2',
    ]);
    expect(textsOf({ seller: {} })).toEqual(['{', '"seller": {}']);
    expect(textsOf([])).toEqual(['[]']);
  });
});
