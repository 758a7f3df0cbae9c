import { describe, expect, it } from 'vitest';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { expansionError, expanded } from './testing/expand-template.ts';

const variable = (name: string, type: VariableDeclaration['type'], required = false): VariableDeclaration => ({
  name,
  type,
  required,
});

describe('a declared variable', () => {
  it('that is required must be present, even if no placeholder uses it', () => {
    const error = expansionError('text', {}, { variables: [variable('total', 'number', true)] });
    expect(error).toMatchObject({ name: 'template_render_error', extra: { missing_variable: 'total' } });
  });

  it('may be absent or null, if its type is declared', () => {
    const variables = [variable('a', 'number'), variable('b', 'date', true), variable('c.d', 'array', true)];
    expect(expanded('text', { b: null, 'c.d': null }, { variables })).toBe('text');
  });

  it.each<[VariableDeclaration['type'], unknown[], unknown[]]>([
    ['string', ['', 'a'], [1, true, [], {}]],
    ['number', [0, -1.5], ['1', true, [], {}, Number.NaN]],
    ['boolean', [true, false], ['true', 0, [], {}]],
    ['array', [[], [1]], ['a', 1, {}, { length: 0 }]],
    ['object', [{}, { a: 1 }], ['a', 1, []]],
    [
      'date',
      ['2026-03-31', '2024-02-29', '2026-03-31T14:30:00Z', '2026-03-31T14:30:00.123+02:00', '2026-03-31T14:30'],
      [
        '2026-02-29',
        '2026-02-30',
        '31/03/2026',
        '2026-3-1',
        'today',
        '',
        20260331,
        true,
        '2026-03-31T25:00:00Z',
        `2026-03-31T14:30:00.${'0'.repeat(100)}Z`,
      ],
    ],
  ])('of type %s is checked', (type, valid, invalid) => {
    for (const x of valid) expect(expanded('ok', { x }, { variables: [variable('x', type)] })).toBe('ok');
    for (const x of invalid)
      expect(expansionError('ok', { x }, { variables: [variable('x', type)] })).toMatchObject({
        name: 'template_render_error',
        extra: { variable: 'x' },
      });
  });

  it('may be a path into the data', () => {
    const variables = [variable('customer.name', 'string', true)];
    expect(expanded('ok', { customer: { name: 'Ada' } }, { variables })).toBe('ok');
    expect(expansionError('ok', { customer: {} }, { variables }).extra).toEqual({
      missing_variable: 'customer.name',
      missing_variables: ['customer.name'],
    });
  });

  it('is not an inherited member', () => {
    expect(
      expansionError('ok', {}, { variables: [variable('constructor.name', 'string', true)] }).extra,
    ).toHaveProperty('missing_variable');
  });

  it('is reported with its value shortened', () => {
    expect(
      expansionError('ok', { x: 'y'.repeat(1_000_000) }, { variables: [variable('x', 'number')] }).message.length,
    ).toBeLessThan(300);
  });
});
