import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from './analyse.ts';
import { expansionError, expanded } from './testing/expand-template.ts';

const inherited = Object.getOwnPropertyNames(Object.prototype);
const places = (name: string) => [
  `{{[${name}]}}`,
  `{{this.[${name}]}}`,
  `{{a.[${name}]}}`,
  `{{list.[${name}]}}`,
  `{{text.[${name}]}}`,
  `{{a.[${name}].[${name}]}}`,
  `{{lookup . "${name}"}}`,
  `{{lookup a "${name}"}}`,
  `{{lookup (lookup a "${name}") "${name}"}}`,
  `{{@root.[${name}]}}`,
  `{{#each list}}{{[${name}]}}{{/each}}`,
  `{{#each list}}{{../[${name}]}}{{/each}}`,
  `{{#each list as |item|}}{{item.[${name}]}}{{/each}}`,
  `{{#each list}}{{@key.[${name}]}}{{/each}}`,
  `{{#with a}}{{[${name}]}}{{/with}}`,
  `{{uppercase a.[${name}]}}`,
  `{{json (lookup a "${name}")}}`,
  `{{{json a.[${name}]}}}`,
];

describe('an inherited member', () => {
  it.each(inherited)('%s is a missing variable everywhere in a template', (name) => {
    for (const content of places(name)) {
      expect(expansionError(content, { a: {}, list: ['x', {}], text: 'x' })).toMatchObject({
        name: 'template_render_error',
        extra: { missing_variable: expect.stringContaining(name) },
      });
    }
  });

  it.each(inherited)('%s is false as a condition and empty as a loop', (name) => {
    const paths = [`[${name}]`, `a.[${name}]`, `(lookup a "${name}")`];
    for (const path of paths)
      expect(expanded(`{{#if ${path}}}x{{/if}}{{#each ${path}}}x{{/each}}{{#with ${path}}}x{{/with}}`, { a: {} })).toBe(
        '',
      );
  });

  it.each(inherited)('%s is a value like any other if the data has a field of this name', (name) => {
    const data: unknown = JSON.parse(`{"a": {"${name}": "Bob"}, "${name}": {"polluted": "yes"}}`);
    expect(expanded(`{{[${name}].polluted}} {{a.[${name}]}} {{lookup a "${name}"}}`, data)).toBe('yes Bob Bob');
    expect(expanded('{{#each a}}{{@key}}={{this}};{{/each}}', data)).toBe(`${name}=Bob;`);
    expect(expansionError(`{{[${name}].[${name}]}}`, data).extra).toHaveProperty('missing_variable');
    expect(expanded('{{#if polluted}}polluted{{/if}}', {})).toBe('');
  });

  it.each(['map', 'join', 'at', 'toLowerCase', 'trim', 'toFixed'])(
    '%s, a method of lists, texts or numbers, is a missing variable',
    (name) => {
      for (const content of [
        `{{list.${name}}}`,
        `{{text.${name}}}`,
        `{{number.${name}}}`,
        `{{lookup list "${name}"}}`,
      ]) {
        expect(expansionError(content, { list: [1], text: 'x', number: 1 }).extra).toHaveProperty('missing_variable');
      }
    },
  );

  it('of a prototype in the data is not reached', () => {
    expect(expansionError('{{added}}', Object.create({ added: 'to all' })).extra).toMatchObject({
      missing_variable: 'added',
    });
  });

  it('is missing, like a function in the data', () => {
    expect(expansionError('{{f}}', { f: () => 'called' }).extra).toMatchObject({ missing_variable: 'f' });
  });

  it('is not reached by any path over any data', () => {
    const name = fc.constantFrom(...inherited, 'length', 'a', 'b', '0');
    const path = fc.array(name, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(path, fc.jsonValue(), (parts, data) => {
        const json = expanded('{{#with @root}}{{{json (lookup box "value")}}}{{/with}}', { box: { value: data } });
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(data)));
        const reached = parts.reduce<unknown>(
          (holder, part) =>
            holder !== null && holder !== undefined && Object.hasOwn(holder, part)
              ? (holder as Record<string, unknown>)[part]
              : undefined,
          data,
        );
        const seen = expanded(
          `{{#with (lookup @root "data")}}{{#if ${parts.map((part) => `[${part}]`).join('.')}}}seen{{/if}}{{/with}}`,
          { data },
        );
        expect(seen === '' || Boolean(reached)).toBe(true);
      }),
    );
  });
});

describe('a helper of Handlebars that this service does not support', () => {
  it.each([
    '{{log "x"}}',
    '{{helperMissing "x"}}',
    '{{#blockHelperMissing x}}{{/blockHelperMissing}}',
    '{{constructor "x"}}',
    '{{__proto__ "x"}}',
    '{{#toString x}}{{/toString}}',
    '{{#if (hasOwnProperty "x")}}{{/if}}',
    '{{__defineGetter__ "x" y}}',
  ])('%s is a syntax error', (content) => {
    expect(analyse(content, []).errors).toEqual([
      expect.objectContaining({ type: 'syntax_error', line: 1, message: expect.stringContaining('no helper') }),
    ]);
    expect(expansionError(content, { x: 1, y: 2 }).name).toBe('invalid_template_syntax');
  });
});
