import { describe, expect, it } from 'vitest';
import { analyse } from './analyse.ts';
import type { Example } from './examples.ts';
import { exampleNames, readExample, readExamples } from './examples.ts';
import { expanded } from './testing/expand-template.ts';

const fill = ({ template }: Example, data: unknown) =>
  expanded(template.content, data, { variables: template.variables });

const requiredOf = ({ template, sample }: Example) => {
  const required = new Set(template.variables.filter((variable) => variable.required).map(({ name }) => name));
  return Object.fromEntries(Object.entries(sample).filter(([name]) => required.has(name)));
};

describe('the shipped templates', () => {
  it('have names of their own and a category each', async () => {
    const examples = await readExamples();
    expect(examples.map(({ template }) => template.category)).toEqual([...exampleNames]);
    expect(new Set(examples.map(({ template }) => template.name)).size).toBe(exampleNames.length);
  });

  it.each(exampleNames)('%s declares each variable it uses, and uses each it declares', async (name) => {
    const { template } = await readExample(name);
    const { errors, names } = analyse(template.content, template.variables);
    expect(errors).toEqual([]);
    expect(names.toSorted()).toEqual(template.variables.map((variable) => variable.name).toSorted());
  });

  it.each(exampleNames)('%s is filled by its sample, and by the required variables alone', async (name) => {
    const example = await readExample(name);
    expect(fill(example, example.sample)).toMatch(/^<!doctype html>/);
    expect(fill(example, requiredOf(example)).length).toBeLessThan(fill(example, example.sample).length);
  });

  it.each(exampleNames)('%s is whole in itself: no script, nothing to load', async (name) => {
    const example = await readExample(name);
    expect(fill(example, example.sample)).not.toMatch(/<script|<link|<iframe|@import|url\(|https?:|\bon\w+=/i);
  });

  it.each(exampleNames)('%s takes its texts as text, never as markup', async (name) => {
    const example = await readExample(name);
    const marked = JSON.parse(
      JSON.stringify(example.sample, (_, value: unknown) =>
        typeof value === 'string' && !/^[A-Z]{3}$|^\d{4}-\d\d-\d\d/.test(value) ? `${value}<b x='">` : value,
      ),
    ) as unknown;
    expect(fill(example, marked)).not.toContain('<b x=');
  });
});
