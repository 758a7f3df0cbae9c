import { describe, expect, it } from 'vitest';
import { suggestionsAfter } from './completions.ts';

const sample = {
  number: 'A 1',
  seller: { name: 'Wray', address: { city: 'Wien' } },
  items: [
    { name: 'Paper', price: 4 },
    { name: 'Ink', unit: 'l' },
  ],
};
const known = {
  sample,
  variables: [{ name: 'due', type: 'date' as const, required: true }],
  labels: { en: { total: 'Total' }, de: { total: 'Summe', due: 'Zahlbar' } },
};
const namesAfter = (text: string): string[] | null =>
  suggestionsAfter(text, known)?.list.map(({ label }) => label) ?? null;

describe('Suggestions while a template is written', () => {
  it('are made in placeholders only', () => {
    for (const text of ['', '<p', '{{number}} ', '{{! note ', '{{formatDate due "'])
      expect([text, namesAfter(text)]).toEqual([text, null]);
  });

  it('are fields of the sample data, declared variables and helpers', () => {
    const names = namesAfter('<p title="{{n');
    expect(names).toEqual(expect.arrayContaining(['number', 'seller', 'items', 'due', 'formatDate', '@locale']));
    expect(names).not.toContain('@index');
    expect(suggestionsAfter('{{num', known)?.length).toBe(3);
  });

  it('follow a path', () => {
    expect(namesAfter('{{seller.')).toEqual(['name', 'address']);
    expect(namesAfter('{{uppercase seller.address.c')).toEqual(['city']);
    expect(namesAfter('{{unknown.')).toEqual([]);
  });

  it('are the fields of all entries inside each, and of the outer data behind ../', () => {
    const names = namesAfter('{{#each items}}<td>{{');
    expect(names).toEqual(
      expect.arrayContaining(['name', 'price', 'unit', '@index', '@number', 'this', '../', 'else']),
    );
    expect(names).not.toContain('number');
    expect(namesAfter('{{#each items}}{{this.')).toEqual(['name', 'unit', 'price']);
    expect(namesAfter('{{#each items}}{{../seller.')).toEqual(['name', 'address']);
    expect(namesAfter('{{#each items}}{{#if price}}{{else}}{{')).toContain('unit');
    expect(namesAfter('{{#each items}}{{name}}{{/each}}{{')).toContain('number');
  });

  it('know the names of a block, and with', () => {
    expect(namesAfter('{{#each items as |item at|}}{{item.')).toEqual(['name', 'unit', 'price']);
    expect(namesAfter('{{#with seller}}{{#with address}}{{')).toContain('city');
  });

  it('are labels in a call of label, blocks behind #, and the open block behind /', () => {
    expect(namesAfter('{{label "')).toEqual(['total', 'due']);
    expect(namesAfter('{{#')).toEqual(['if', 'unless', 'each', 'with']);
    expect(namesAfter('{{#each items}}{{#if x}}{{/')).toEqual(['if']);
    expect(namesAfter('{{/')).toEqual([]);
  });

  it('leave helpers out where a value must stand', () => {
    expect(namesAfter('{{uppercase n')).not.toContain('formatDate');
    expect(namesAfter('{{uppercase (')).toContain('formatDate');
  });
});
