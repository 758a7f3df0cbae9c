import { describe, expect, it } from 'vitest';
import { analyse } from './analyse.ts';
import type { Example } from './examples.ts';
import { exampleNames, readExample, readExamples } from './examples.ts';
import { labelsFor } from './labels.ts';
import { expanded } from './testing/expand-template.ts';

const expandExample = ({ template }: Example, data: unknown) =>
  expanded(template.content, data, { variables: template.variables, labels: labelsFor(template.labels, 'en') });

const requiredOf = ({ template, sample }: Example) => {
  const required = new Set(template.variables.filter((variable) => variable.required).map(({ name }) => name));
  return Object.fromEntries(Object.entries(sample).filter(([name]) => required.has(name)));
};

describe('the example templates', () => {
  it('have different names and one category each', async () => {
    const examples = await readExamples();
    expect(examples.map(({ template }) => template.category)).toEqual([...exampleNames, 'invoice']);
    expect(new Set(examples.map(({ template }) => template.name)).size).toBe(examples.length);
  });

  it.each(exampleNames)('%s declares each variable it uses, and uses each it declares', async (name) => {
    const { template } = await readExample(name);
    const { errors, names } = analyse(template.content, template.variables, template.labels);
    expect(errors).toEqual([]);
    expect(names.toSorted()).toEqual(template.variables.map((variable) => variable.name).toSorted());
  });

  it.each(exampleNames)('%s expands with its sample, and with the required variables alone', async (name) => {
    const example = await readExample(name);
    expect(expandExample(example, example.sample)).toMatch(/^<!doctype html>/);
    expect(expandExample(example, requiredOf(example)).length).toBeLessThan(
      expandExample(example, example.sample).length,
    );
  });

  it.each(exampleNames)('%s has all labels in each language, with the arguments that it gives them', async (name) => {
    const { content, labels } = (await readExample(name)).template;
    const expected = Object.fromEntries(Object.keys(labels['en']!).map((label) => [label, [] as string[]]));
    for (const [, label, args] of content.matchAll(/\blabel "(\w+)"((?: \w+=(?:\([^()]*\)|\w+))*)/g))
      expected[label!] = [...args!.matchAll(/ (\w+)=/g)].map(([, argument]) => `{${argument}}`).toSorted();
    expect(Object.keys(labels)).toEqual(['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'cs', 'ar']);
    for (const texts of Object.values(labels)) {
      const found = Object.entries(texts).map(([label, text]) => [label, (text.match(/\{[^}]+\}/g) ?? []).toSorted()]);
      expect(Object.fromEntries(found)).toEqual(expected);
    }
  });

  it.each(exampleNames)('%s contains no script and loads nothing', async (name) => {
    const example = await readExample(name);
    expect(expandExample(example, example.sample)).not.toMatch(/<script|<link|<iframe|@import|url\(|https?:|\bon\w+=/i);
  });

  it.each(exampleNames)('%s escapes the texts of its data', async (name) => {
    const example = await readExample(name);
    const withMarkup = JSON.parse(
      JSON.stringify(example.sample, (_, value: unknown) =>
        typeof value === 'string' && !/^[A-Z]{3}$|^\d{4}-\d\d-\d\d/.test(value) ? `${value}<b x='">` : value,
      ),
    ) as unknown;
    expect(expandExample(example, withMarkup)).not.toContain('<b x=');
  });

  it.each(['invoice', 'receipt', 'e-invoice'] as const)('%s shows all decimals of a unit price', async (name) => {
    const example = await readExample(name);
    const items = (example.sample['items'] as object[]).map((item) => ({
      ...item,
      quantity: 4000,
      unit_price: 0.2875,
    }));
    expect(expandExample(example, { ...example.sample, currency: 'EUR', items })).toContain('€0.2875');
  });
});
