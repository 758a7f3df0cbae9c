import { describe, expect, it } from 'vitest';
import { externalNamesOf, withStoredValues } from './stored-values.ts';

const workbook =
  '<definedNames><definedName name="Price">[1]List!$A$1</definedName><definedName name="Own">A1</definedName></definedNames>';
const names = externalNamesOf(new Map([['xl/workbook.xml', Buffer.from(workbook)]]));
const cell = (formula: string): string => `<c r="A1" t="str">${formula}<v>stored</v></c>`;
const stored = (sheet: string): string => withStoredValues(sheet, names);

describe('A formula with a stored value', () => {
  it.each([
    "'[1]Sheet &quot;1&quot;'!A1",
    '[1]Sheet!A1*2',
    'SUM(1,[12]Sheet!A1:A3)',
    '[1]!Name',
    'IF(&quot;a&quot;=[1]List!A1,1,2)',
    '2*price',
  ])('goes if it refers to another workbook: %s', (formula) => {
    expect(stored(cell(`<f>${formula}</f>`))).toBe(cell(''));
    expect(stored(cell(`<x:f ca="1">${formula}</x:f >`).replace('<v', '<x:v'))).toBe(cell('').replace('<v', '<x:v'));
  });

  it.each([
    '&quot;[1]List!&quot;&amp;A1',
    'Table1[1]',
    'SUM(Tabelle_ä[[#This Row],[1]])',
    'Table1[[1]:[2]]',
    "'Price list'!A1+'Price'!A1",
    'Own',
  ])('stays if it does not: %s', (formula) => {
    const sheet = cell(`<f>${formula}</f>`);
    expect(stored(sheet)).toBe(sheet);
  });

  it('goes with the formulas that share it, and no others', () => {
    const other = cell('<f t="shared" ref="B1" si="1">A1</f>') + cell('<f t="shared" si="1"/>');
    const sheet = cell('<f t="shared" ref="A1:A2" si="0">[1]A!A1</f>') + cell('<f t="shared" si="0"/>') + other;
    expect(stored(sheet)).toBe(cell('') + cell('') + other);
  });
});

it('A formula without a stored value stays, because its cell would be empty', () => {
  const sheet = '<c><f>[1]A!A1</f></c><c><v>1</v></c>';
  expect(stored(sheet)).toBe(sheet);
});
