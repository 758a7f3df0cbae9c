import fc from 'fast-check';
import Handlebars from 'handlebars';
import { describe, expect, it } from 'vitest';
import { expanded } from './testing/expand-template.ts';

// Every context that these templates open holds every name they use, for where one is missing the two part on purpose.
const plain = fc.constantFrom(
  'text',
  ' ',
  '\n',
  '  \n',
  '<p>',
  '{{name}}',
  '{{{name}}}',
  '{{~name~}}',
  '{{&name}}',
  '{{zero}}',
  '{{flag}}',
  '{{nothing}}',
  '{{tags}}',
  '{{tags.length}}',
  '{{inner.deep}}',
  '{{lookup inner "deep"}}',
  '{{lookup tags 1}}',
  '{{! note }}',
  '{{!-- {{note}} --}}',
  '\\{{name}}',
  '\\\\{{name}}',
  '{{@root.name}}',
  '{{"name"}}',
  '{{[a b]}}',
  '{{inner.[a b]}}',
  '{{this.name}}',
  '{{./name}}',
);
const test = fc.constantFrom(
  'name',
  'flag',
  'zero',
  'nothing',
  'empty',
  'tags',
  'inner',
  'absent',
  'absent.deeper',
  '@root.flag',
  '@first',
  'this.name',
  '(lookup inner "deep")',
  '(lookup inner "absent")',
  'null',
  '"text"',
  '0',
);
const round = '{{@index}}{{@key}}{{@first}}{{@last}}';

const { program } = fc.letrec<{ block: string; program: string }>((tie) => ({
  block: fc.oneof(
    fc
      .tuple(test, tie('program'), tie('program'), fc.constantFrom('', '~'))
      .map(([x, then, otherwise, strip]) => `{{#if ${x}${strip}}}${then}{{${strip}else}}${otherwise}{{/if}}`),
    fc
      .tuple(test, test, tie('program'))
      .map(([x, y, body]) => `{{#if ${x} includeZero=true}}${body}{{else if ${y}}}${body}{{^}}none{{/if}}`),
    fc.tuple(test, tie('program')).map(([x, body]) => `\n{{#unless ${x}}}\n${body}\n  {{/unless}}\n`),
    tie('program').map((body) => `{{#each items}}${round}${body}{{../name}}{{else}}none{{/each}}`),
    tie('program').map(
      (body) =>
        `{{#each @root.items as |one at|}}{{one.name}}{{at}}{{#each @root.tags}}{{@../index}}{{at}}{{this}}{{/each}}${body}{{/each}}`,
    ),
    fc
      .constantFrom('tags', 'nothing', 'absent', 'empty', 'name', 'zero')
      .map((list) => `{{#each ${list}}}${round}{{this}}{{.}}{{else}}none{{/each}}{{^each ${list}}}none{{/each}}`),
    fc.constant('{{#each inner}}{{@index}}{{@key}}{{@first}}{{@last}}{{this}};{{/each}}'),
    tie('program').map((body) => `{{#with @root as |top|}}{{top.name}}${body}{{/with}}`),
    fc
      .constantFrom('zero', 'nothing', 'absent', 'empty', 'inner')
      .map((what) => `{{#with ${what} as |it|}}{{#if it}}it{{/if}}{{else}}none{{/with}}{{^with ${what}}}none{{/with}}`),
  ),
  program: fc
    .array(fc.oneof({ withCrossShrink: true, depthSize: 'small' }, plain, tie('block')), { maxLength: 5 })
    .map((parts) => parts.join('')),
}));

const data = (name: string) => {
  const item = {
    name,
    flag: false,
    zero: 0,
    nothing: null,
    empty: [],
    tags: ['<t>', 'u', ''],
    inner: { deep: 'down', 'a b': 7 },
    'a b': true,
    items: [] as unknown[],
  };
  return { ...item, flag: true, items: [item, { ...item, name: 'second', zero: 1 }] };
};

describe('Handlebars and this service', () => {
  it('expand a template to the same text where no value is missing', () => {
    fc.assert(
      fc.property(program, fc.string(), (content, name) => {
        expect(expanded(content, data(name))).toBe(Handlebars.compile(content)(data(name)));
      }),
      { numRuns: 500 },
    );
  });
});
