import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { analyse } from './analyse.ts';
import { expansionError } from './testing/expand-template.ts';

const declared = (...names: string[]): VariableDeclaration[] =>
  names.map((name) => ({ name, type: 'string', required: false }));
const syntaxErrors = (content: string) => analyse(content, []).errors;

describe('the analysis of a correct template', () => {
  it('has no errors and lists the names used', () => {
    const content =
      '{{title}}{{#if note}}{{note}}{{/if}}{{#each items as |item|}}{{name}}{{item.price}}{{../sign}}{' +
      '{@root.total.net}}{{/each}}{{formatDate due "DD"}}';
    expect(analyse(content, [])).toEqual({ errors: [], names: ['title', 'note', 'items', 'sign', 'total', 'due'] });
  });
});

describe('a syntax error', () => {
  it.each([
    ['a\n{{#if x}}\nb\n\nc\n', 2, 'never closed'],
    ['{{#if x}}\n{{#each y}}\n{{/each}}\n', 1, '{{#if x}} is never closed'],
    ['a\n\n{{x y=}}\n', 3, 'ends too early'],
    ['a\n{{x}}\0\n', 2, 'NUL character'],
    ['{{x}}\n\n{{/if}}\n', 3, 'without a block'],
    ['\n{{#if x}}\n{{/each}}', 2, '{{#if}} is closed by {{/each}}'],
    ['a\n{{x\n\n y', 2, 'never ended'],
    ['\n{{!-- a comment\n\n', 2, 'never ended'],
    ['{{#if a}}\n{{else}}\n{{else}}\n{{/if}}', 3, '{{else}}'],
    ['\n\n{{else}}', 3, '{{else}}'],
    ['\n{{{x}}\n\n', 2, 'ends too early'],
    ['\n\n{{x}}\n{{}}\n', 4, 'ends too early'],
    ['\n{{x {{y}}', 2, '"{{"'],
    ['\n{{a/../b}}', 2, 'Invalid path'],
    ['\n{{a.0}}', 2, 'Unexpected "0" in a placeholder; at the end of a path, the number of an item is in brackets'],
    ['\n{{#each a.b.10}}{{/each}}', 2, 'as in {{items.[0]}}'],
    ['\n{{a..b}}', 2, '"a..b" is not a path: each dot must stand between two names.'],
    ['\n{{a.b.}}', 2, '"a.b." is not a path'],
    ['\n{{#if (lookup x a..b 1)}}{{/if}}', 2, '"a..b" is not a path'],
    ['\n{{{{raw}}}}\nx', 2, ''],
    ['\n{{> header}}', 2, 'partials'],
    ['\n{{#> layout}}{{/layout}}', 2, 'partials'],
    ['\n{{#*inline "a"}}{{/inline}}', 2, 'inline partials'],
    ['\n{{* decorator}}', 2, 'Decorators'],
    ['\n{{shout name}}', 2, 'no helper "shout"'],
    ['\n{{#section}}x{{/section}}', 2, 'no helper "section"'],
    ['\n{{name size=2}}', 2, 'no helper "name"'],
    ['\n{{#if (shout x)}}{{/if}}', 2, 'no helper "shout"'],
    ['\n{{a.b c}}', 2, 'no helper "a.b"'],
    ['\n{{"a" b}}', 2, 'no helper'],
    ['\n{{#if}}{{/if}}', 2, '"if" takes 1 argument'],
    ['\n{{#each a b}}{{/each}}', 2, '"each" takes 1 argument'],
    ['\n{{formatDate due}}', 2, '"formatDate" takes 2 arguments'],
    ['\n{{json}}', 2, '{{this.json}}'],
    ['\n{{if x}}', 2, 'is used as {{#if x}}'],
    ['\n{{#uppercase x}}{{/uppercase}}', 2, 'is used as {{uppercase text}}'],
    ['\n{{uppercase x loud=true}}', 2, 'no argument named "loud"'],
    ['\n{{@partial-block}}', 2, '{{@partial-block}} does not exist'],
    ['\n{{#if x as |y|}}{{/if}}', 2, 'as |...|'],
  ])('in %j is reported on line %i', (content, line, message) => {
    expect(syntaxErrors(content)).toEqual([{ type: 'syntax_error', line, message: expect.stringContaining(message) }]);
    expect(expansionError(content)).toMatchObject({ name: 'invalid_template_syntax', extra: { line } });
  });

  it('is reported on its own line in any template', () => {
    const valid = fc.array(
      fc.constantFrom('', 'text', '{{a}}', '{{#if a}}{{/if}}', '{{!-- {{#if}} --}}', '\\{{#if x}}'),
    );
    const invalid = fc.constantFrom(
      '{{/if}}',
      '{{}}',
      '{{shout a}}',
      '{{> part}}',
      '{{#if a}}',
      '{{else}}',
      '{{#if}}{{/if}}',
    );
    fc.assert(
      fc.property(valid, invalid, valid, fc.constantFrom('\n', '\r\n'), (before, wrong, after, newline) => {
        expect(syntaxErrors([...before, wrong, ...after].join(newline))[0]?.line).toBe(before.length + 1);
      }),
    );
  });

  it('is not found where no space is between two arguments', () => {
    expect(syntaxErrors('{{lookup (lookup a "b")"c"}}')).toEqual([]);
  });

  it('does not hide the next one, if the template can be parsed', () => {
    expect(syntaxErrors('{{shout a}}\n{{> b}}').map(({ line }) => line)).toEqual([1, 2]);
  });

  it('is reported at most 50 times', () => {
    expect(syntaxErrors('{{shout a}}'.repeat(100))).toHaveLength(50);
  });
});

describe('a placeholder that no variable declares', () => {
  const missing = (content: string, ...names: string[]) =>
    analyse(content, declared(...names)).errors.map(({ variable, line }) => `${variable}:${line}`);

  it('is a missing variable, reported once, on its first line', () => {
    expect(missing('{{a}}\n{{b}} {{c.d}}\n{{b}}', 'a')).toEqual(['b:2', 'c.d:2']);
  });

  it('is found in helpers, conditions and loops, and after them', () => {
    expect(
      missing(
        '{{formatDate due "DD"}}{{#if flag}}{{/if}}{{#each list}}{{own}}{{../outer}}{{@root.top}}{{' +
          '/each}}{{truncate (uppercase text) length}}',
        'a',
      ).map((found) => found.split(':')[0]),
    ).toEqual(['due', 'flag', 'list', 'outer', 'top', 'text', 'length']);
  });

  it('is not reported for names that a loop, a with or a block parameter sets', () => {
    expect(
      missing('{{#each a as |b|}}{{name}}{{b.c}}{{this}}{{@index}}{{/each}}{{#with a}}{{x}}{{/with}}', 'a'),
    ).toEqual([]);
  });

  it('is not reported for a part of a declared variable, nor for a prefix of it', () => {
    expect(
      missing('{{a.deep.down}}{{#with customer}}{{name}}{{/with}}{{customer.name}}', 'a', 'customer.name'),
    ).toEqual([]);
  });

  it('is found at the end of a very long path', () => {
    expect(analyse(`{{x${'.y'.repeat(90_000)}}}`, declared('a')).errors).toHaveLength(1);
  });

  it('is not reported if no variables are declared', () => {
    expect(missing('{{a}}')).toEqual([]);
  });
});
