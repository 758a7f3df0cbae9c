import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine } from './csv.ts';

it('Every text can be read back, but for the apostrophe in front of a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 5 }), (values) => {
      const [read] = parse(csvLine(values), { record_delimiter: '\r\n' });
      expect(read!.map((text, index) => (text === `'${values[index]}` ? values[index] : text))).toEqual(values);
    }),
  );
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '  =1', '＝1', '\n=1'])(
  'A spreadsheet does not run %j',
  (text) => {
    const [[read]] = parse(csvLine([text, 'x']), { record_delimiter: '\r\n' }) as [[string]];
    expect(read).toBe(`'${text}`);
  },
);

it('Numbers are not texts, and null is empty', () => {
  expect(csvLine([-1, 0.5, null, true, 'a "b", c'])).toBe('-1,0.5,,true,"a ""b"", c"\r\n');
});
