import { describe, expect, test } from 'vitest';
import { isNumericColumn, isQuantity } from './cells.ts';

describe('a quantity', () => {
  test.each([
    '0',
    '12',
    '-3.5',
    '+1',
    '1,234.50',
    '1.234,50',
    "1'234",
    '1 234,5',
    '12 %',
    '99.5%',
    '€ 12.00',
    '12,00 €',
    '$-5',
    '(120.00)',
    'EUR 5',
    '5 USD',
    '1e6',
    '−7',
    '0.25',
  ])('is %s', (text) => {
    expect(isQuantity(text)).toBe(true);
  });

  test.each([
    '',
    'abc',
    '0042',
    '2024-01-31',
    '31.12.2024',
    '12:30',
    '+49 421 1234',
    '1-2',
    '12 pieces',
    'v1.2',
    '1.2.3',
    'true',
  ])('is not "%s"', (text) => {
    expect(isQuantity(text)).toBe(false);
  });
});

test('a column is numeric if all its filled cells are quantities', () => {
  expect(isNumericColumn(['1', '', null, '2.5'])).toBe(true);
  expect(isNumericColumn(['1', 'n/a'])).toBe(false);
  expect(isNumericColumn(['', null])).toBe(false);
});
