import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { parseCsv, detectDelimiter, delimiters } from './convert.ts';

const apiErrorFieldsOf = (text: string) => {
  try {
    parseCsv(text);
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
  }
  throw new Error('no ApiError was thrown');
};
const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`;

describe('CSV', () => {
  test('keeps every field, whatever it contains', () => {
    const table = fc.integer({ min: 2, max: 6 }).chain((width) =>
      fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: width, maxLength: width }), {
        minLength: 1,
        maxLength: 8,
      }),
    );
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(...delimiters),
        fc.infiniteStream(fc.constantFrom('\n', '\r\n', '\r')),
        (records, delimiter, lineEnds) => {
          const lines = records.map((record) => `${record.map(quoted).join(delimiter)}${lineEnds.next().value}`);
          const { header, rows } = parseCsv(lines.join(''));
          expect([header, ...rows]).toEqual(records);
        },
      ),
    );
  });

  test.each([
    ['commas', 'a,b\n1,2', ','],
    ['semicolons beside decimal commas', 'a;b\n1,5;2,5\n3,5;4,5', ';'],
    ['semicolons beside a comma in each field', 'Monat;Umsatz, EUR;Kosten, EUR\nJan;1,50;2,50', ';'],
    ['semicolons beside more commas', 'Name, Ort;Umsatz, EUR\nAnna, Ulm;1,50\nBert, Bonn;2,50', ';'],
    ['commas, with a semicolon in each row but the header', 'id,tags\n1,a;b\n2,c;d', ','],
    ['commas, with semicolons in the header only', 'Name; title,City\nAda,London', ','],
    ['tabs', 'a, b\tc\n1\t2', '\t'],
    ['bars', 'a|b|c\n1|2|3', '|'],
    ['bars where a comma would leave a quote inside a field', '"Name"|"Ada, Countess"\n""|", "', '|'],
    ['semicolons where commas would fit the first row only', 'a,b;c\n"1";"2,3"', ';'],
    ['semicolons before a text that is longer than what is sampled', `Net, gross;Text\n1;"${'x'.repeat(70_000)}"`, ';'],
    ['commas, with semicolons inside quotes', '"a;b;c",d\n"1;2;3",4', ','],
    ['what a spreadsheet announces', 'sep=;\na,b;c\n1,2;3', ';'],
    ['commas where there is one column', 'a\n1\n2', ','],
  ])('is delimited by %s', (_, text, delimiter) => {
    expect(detectDelimiter(text).delimiter).toBe(delimiter);
  });

  test('may have empty lines, and extra empty fields at the end of a row', () => {
    expect(parseCsv('a,b\n\n1,2,,\n\n')).toEqual({ header: ['a', 'b'], rows: [['1', '2']] });
  });

  test('may have lines that end in different ways', () => {
    expect(parseCsv('Name\r\nAnna\nBert\rCarl\n')).toEqual({ header: ['Name'], rows: [['Anna'], ['Bert'], ['Carl']] });
    expect(parseCsv('a,b\n1,"x"\r\n')).toEqual({ header: ['a', 'b'], rows: [['1', 'x']] });
    expect(parseCsv('sep=;\ra;b\r\n1;2\r')).toEqual({ header: ['a', 'b'], rows: [['1', '2']] });
  });

  test.each([
    ['a quote that is never closed', 'a,b\n1,"2\n3,4', 3],
    ['a quote in the midst of a field', 'a,b\n1,2"3', 2],
    ['text after a closing quote', 'a,b\n"1"x,2', 2],
    ['a row that is too long', 'a,b\n1,2\n3,4,5', 3],
    ['a row that is too long after other line ends', 'a,b\r\n1,2\n\r\n3,4\r5,6,7\n', 5],
    ['a row that is too short', 'a,b,c\n1,2,3\n4', 3],
    ['a row that is too long after an announced delimiter', 'sep=;\na;b\n1;2;3', 3],
    ['no rows', '\n\n', 1],
    ['only white space', '   \n ', 1],
    ['only white space after an announced delimiter', 'sep=;\n  ', 1],
  ])('with %s is refused with the line', (_, text, line) => {
    expect(apiErrorFieldsOf(text)).toMatchObject({ name: 'conversion_failed', extra: { line } });
  });

  test('with ten thousand columns is refused with the number and the limit', () => {
    expect(apiErrorFieldsOf(`${'a,'.repeat(9999)}a\n${'1,'.repeat(9999)}1`)).toMatchObject({
      name: 'conversion_failed',
      extra: { details: { columns: 10_000, limit: 500 } },
    });
  });

  test('with too many cells is refused with the number and the limit', () => {
    expect(apiErrorFieldsOf(`a,b\n${'1,2\n'.repeat(500_000)}`)).toMatchObject({
      extra: { details: { cells: 1_000_002, limit: 1_000_000 } },
    });
  });
});
