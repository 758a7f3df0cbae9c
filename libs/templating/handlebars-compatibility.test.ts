import fc from 'fast-check';
import Handlebars from 'handlebars';
import { describe, expect, it } from 'vitest';
import { expanded } from './testing/expand-template.ts';

// Every context in these templates holds every name in use, and `each` is given no texts: missing values and texts in
// place of lists are handled differently on purpose.
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
  '{{!--}}',
  '{{!-}}',
  '{{~!-- }} --~}}',
  '{{~! note -- ~}}',
  '\\{{name}}',
  '\\\\{{name}}',
  '{{@root.name}}',
  '{{"name"}}',
  '{{[a b]}}',
  '{{inner.[a b]}}',
  '{{this.name}}',
  '{{./name}}',
);
const condition = fc.constantFrom(
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
const loopVariables = '{{@index}}{{@key}}{{@first}}{{@last}}';

const { program } = fc.letrec<{ block: string; program: string }>((tie) => ({
  block: fc.oneof(
    fc
      .tuple(condition, tie('program'), tie('program'), fc.constantFrom('', '~'))
      .map(([x, thenBody, elseBody, strip]) => `{{#if ${x}${strip}}}${thenBody}{{${strip}else}}${elseBody}{{/if}}`),
    fc
      .tuple(condition, condition, tie('program'))
      .map(([x, y, body]) => `{{#if ${x} includeZero=true}}${body}{{else if ${y}}}${body}{{^}}none{{/if}}`),
    fc.tuple(condition, tie('program')).map(([x, body]) => `\n{{#unless ${x}}}\n${body}\n  {{/unless}}\n`),
    tie('program').map((body) => `{{#each items}}${loopVariables}${body}{{../name}}{{else}}none{{/each}}`),
    tie('program').map(
      (body) =>
        `{{#each @root.items as |one at|}}{{one.name}}{{at}}{{#each @root.tags}}{{@../index}}{{at}}{{this}}{{/each}}${body}{{/each}}`,
    ),
    fc
      .constantFrom('tags', 'nothing', 'absent', 'empty')
      .map(
        (list) => `{{#each ${list}}}${loopVariables}{{this}}{{.}}{{else}}none{{/each}}{{^each ${list}}}none{{/each}}`,
      ),
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

describe('this service and Handlebars', () => {
  it('expand a template to the same text if no value is missing', () => {
    fc.assert(
      fc.property(program, fc.string(), (content, name) => {
        expect(expanded(content, data(name))).toBe(Handlebars.compile(content)(data(name)));
      }),
      { numRuns: 500 },
    );
  });
});
