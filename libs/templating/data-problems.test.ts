import { describe, expect, it } from 'vitest';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { templateLimits } from './limits.ts';
import { expansionError } from './testing/expand-template.ts';

const variables: VariableDeclaration[] = [
  { name: 'number', type: 'string', required: true },
  { name: 'total', type: 'number', required: true },
  { name: 'due', type: 'date', required: false },
  { name: 'unused', type: 'string', required: true },
];
const content = `<h1>{{number}}</h1>
{{#each items}}<p>{{this.name}}
{{formatCurrency price @root.currency}} {{uppercase (lookup this "unit")}}</p>{{/each}}
{{formatDate due "short"}} {{formatCurrency total "EUR"}} {{customer.name}} {{truncate note 5}} {{customer.name}}`;

describe('the problems of the data', () => {
  it('are all reported at once: each path once, with the line of the template', () => {
    const data = { items: [{ name: 'a', unit: 'h' }, { price: 'cheap' }], due: 'soon', note: {} };
    const { name, message, extra } = expansionError(content, data, { variables });
    expect(name).toBe('template_render_error');
    expect(message).toContain('"number"');
    expect(extra).toMatchObject({ missing_variable: 'number', line: 1 });
    expect(extra['missing_variables']).toEqual([
      'number',
      'total',
      'unused',
      'items[0].price',
      'currency',
      'items[1].name',
      'items[1].unit',
      'customer.name',
    ]);
    expect(extra['errors']).toEqual(
      [
        { missing_variable: 'number', line: 1 },
        { missing_variable: 'total', line: 4 },
        { variable: 'due', line: 4 },
        { missing_variable: 'unused' },
        { missing_variable: 'price', line: 3 },
        { missing_variable: '@root.currency', line: 3 },
        { missing_variable: 'this.name', line: 2 },
        { missing_variable: 'lookup this "unit"', line: 3 },
        { missing_variable: 'customer.name', line: 4 },
        { variable: 'note', line: 4 },
      ].map((fields) => ({ error: 'template_render_error', message: expect.any(String), ...fields })),
    );
  });

  it('include the unsuitable values of each item', () => {
    const { message, extra } = expansionError('{{#each items}}\n{{formatCurrency price "EUR"}}{{this.x}}{{/each}}', {
      items: [
        { price: 1, x: {} },
        { price: 'cheap', x: 1 },
      ],
    });
    expect(message).toContain('Line 2 of the template, for items[0].x:');
    expect(JSON.stringify(extra['errors'])).toContain('for items[1].price:');
    expect(extra['errors']).toHaveLength(2);
  });

  it('do not include a helper that only fails because its argument is missing', () => {
    expect(expansionError('{{formatCurrency 5 code}}{{#if (uppercase note)}}{{note}}{{/if}}').extra).toMatchObject({
      missing_variables: ['code', 'note'],
    });
  });

  it('are at most 50', () => {
    const { extra } = expansionError('{{#each x}}{{y}}{{/each}}', { x: Array.from({ length: 100_000 }, () => ({})) });
    expect(extra['missing_variables']).toHaveLength(50);
    expect(extra['errors']).toHaveLength(50);
  });

  it('with long paths take no more space than an event has', () => {
    const key = 'k'.repeat(400);
    const data = { x: Array.from({ length: 60 }, () => ({ [key]: {} })) };
    const { extra } = expansionError(`{{#each x}}{{#each this}}{{missing}}{{/each}}{{/each}}`, data);
    expect(JSON.stringify(extra).length).toBeLessThan(24_000);
    expect(extra['omitted_errors']).toBeUndefined();
  });

  it('are reported although the expansion reaches a limit afterwards', () => {
    const big = { x: Array.from({ length: 1000 }, () => 'y'.repeat(1000)) };
    const { extra } = expansionError('{{gone}}{{#each x}}{{this}}{{/each}}', big, { maxOutputBytes: 1000 });
    expect(extra).toEqual({ missing_variable: 'gone', missing_variables: ['gone'], line: 1 });
  });

  it('count as work, also those that are already known', () => {
    const limits = { ...templateLimits, steps: 30 };
    const data = { x: Array.from({ length: 10 }, () => 1) };
    const { extra } = expansionError('{{#each x}}{{@root.gone}}{{/each}}{{last}}', data, { limits });
    expect(extra).toMatchObject({ missing_variables: ['gone'] });
  });
});
