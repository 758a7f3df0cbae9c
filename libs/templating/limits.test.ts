import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { analyse } from './analyse.ts';
import { expansionError, expanded } from './testing/expand-template.ts';
import { templateLimits } from './limits.ts';
import { handlebarsParser } from './limited-lexer.ts';
import { lineAt, parseTemplate } from './parse.ts';

const nested = (depth: number) => `${'{{#if x}}'.repeat(depth)}y${'{{/if}}'.repeat(depth)}`;
const nestedCalls = (depth: number) => `${'(json '.repeat(depth)}x${')'.repeat(depth)}`;
const fewSteps = { limits: { ...templateLimits, steps: 500_000 } };
const hundreds = Array.from({ length: 400 }, (_, at) => at);

describe('a template over a limit', () => {
  it.each([
    ['a megabyte of placeholders', '{{x}}'.repeat(200_000), 'placeholders'],
    ['a megabyte of escaped braces', '\\{{x'.repeat(200_000), 'placeholders'],
    ['a megabyte of arguments', `{{x${' y'.repeat(500_000)}}}`, 'characters in all'],
    ['a megabyte of path', `{{x${'.y'.repeat(500_000)}}}`, 'characters in all'],
    ['5,000 nested conditions', nested(5000), 'nested'],
    ['101 nested blocks', nested(101), 'nested'],
    ['a chain of 5,000 conditions', `{{#if a}}${'{{else if b}}'.repeat(5000)}{{/if}}`, 'nested'],
    ['nested inverse blocks', `${'{{^if x}}'.repeat(5000)}${'{{/if}}'.repeat(5000)}`, 'nested'],
    ['nested calls', `{{uppercase ${'(uppercase '.repeat(5000)}x${')'.repeat(5000)}}}`, 'parentheses'],
    ['nested calls after braces in "..."', `{{label "a" x="}}" y=${nestedCalls(5000)}}}`, 'parentheses'],
    ["nested calls after braces in '...'", `{{label 'a' x='\\'}}' y=${nestedCalls(5000)}}}`, 'parentheses'],
    ['nested calls after braces in [...]', `{{label [}}] y=${nestedCalls(5000)}}}`, 'parentheses'],
    ['nested blocks with ends in texts', '{{#if x}}{{label "}}{{/if}}"}}'.repeat(5000), 'nested'],
    ['nested blocks with ends in raw blocks', '{{#if x}}{{{{x}}}}{{/if}}{{{{/x}}}}'.repeat(5000), 'nested'],
    ['nested blocks after a short comment', `{{!--}}${nested(5000)}{{!-- --}}`, 'nested'],
    ['a megabyte of braces', '{'.repeat(1_000_000), 'never ended'],
    ['an endless comment', `{{!--${' {{x}}'.repeat(100_000)}`, 'never ended'],
  ])('is refused with the reason: %s', (_, content, reason) => {
    expect(analyse(content, []).errors).toEqual([
      { type: 'syntax_error', line: 1, message: expect.stringContaining(reason) },
    ]);
  });

  it('is refused by an expansion, too', () => {
    expect(expansionError(nested(101), { x: 1 })).toMatchObject({
      name: 'invalid_template_syntax',
      message: expect.stringContaining('nested'),
    });
  });

  it('differs from the largest allowed one, which is accepted', () => {
    expect(expanded(nested(100), { x: 1 })).toBe('y');
    expect(expanded('{{x}}'.repeat(templateLimits.tags), { x: 'z' })).toBe('z'.repeat(templateLimits.tags));
  });

  it('is not one with consecutive blocks', () => {
    expect(expanded('{{#if x}}{{else if y}}{{else}}{{/if}}'.repeat(500) + nested(99), { x: 1 })).toBe('y');
  });

  it('is not one with long comments', () => {
    expect(expanded(`{{!-- ${'(a) '.repeat(100_000)} --}}x`)).toBe('x');
  });

  it('is read once, whatever its comments', () => {
    const copies = vi.spyOn(handlebarsParser.lexer as unknown as { unput(): void }, 'unput');
    expect(expanded('a{{!-- b --}}c{{~!--}}d{{! e }}')).toBe('acd');
    expect(copies).not.toHaveBeenCalled();
  });

  it('is not one with parentheses in texts', () => {
    expect(expanded(`{{truncate "${'('.repeat(100)}" 1}}`)).toBe('(…');
  });

  it('is not one with blocks inside comments', () => {
    const [error] = analyse('{{!-- {{#if x}} --}}{{! {{#each y }}{{#if z}}\\{{#if w}}', []).errors;
    expect(error?.message).toBe('The block {{#if z}} is never closed.');
  });
});

describe('the depth of blocks', () => {
  const harmless = fc.constantFrom(
    ...['text', '\n', '{{x}}', '{{{x}}}', '{{#if y}}{{else}}{{/if}}', '\\{{/if}}', '\\\\{{x}}', '{{"}}{{/if}}"}}'],
    ...["{{label '}}{{/if}}' x=(json 'a')}}", '{{[}}{{/if}}]}}', '{{[\\]}}{{/if}}]}}', '{{x y="\\"}}{{/if}}"}}'],
    ...['{{!--}}', '{{! {{/if }}', '{{~!-- }}{{/if}} --~}}', '{{!-}}', '{{{{x}}}}{{/if}}{{{{/x}}}}'],
  );
  const opening = fc.constantFrom('{{#if x}}', '{{^x}}', '{{~#if "}}{{/if}}"}}', '{{#if x}}{{else}}', '{{#if [}}]}}');
  const parts = fc.array(harmless, { maxLength: 3 }).map((texts) => texts.join(''));

  it('is counted as the parser counts it', () => {
    const levels = fc.array(fc.record({ opening, before: parts, after: parts }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(levels, (nestedBlocks) => {
        const content = nestedBlocks.reduceRight(
          (inner, level) =>
            `${level.before}${level.opening}${inner}{{/${level.opening === '{{^x}}' ? 'x' : 'if'}}}${level.after}`,
          '',
        );
        const parsed = (depth: number) => parseTemplate(content, { ...templateLimits, depth });
        expect(parsed(nestedBlocks.length)).toHaveProperty('program');
        expect(parsed(nestedBlocks.length - 1)).toHaveProperty('error.message', expect.stringContaining('nested more'));
      }),
    );
  });
});

describe('an expansion over a limit', () => {
  it('stops while the document is written, as soon as it is too large', () => {
    const content = `{{#each x}}{{#each ../x}}{{#each ../../x}}${'a'.repeat(1000)}{{/each}}{{/each}}{{/each}}`;
    expect(expansionError(content, { x: hundreds }, { maxOutputBytes: 100_000 }).message).toContain('100000 bytes');
  });

  it('is measured in bytes of the document, after escaping', () => {
    expect(expanded('{{x}}', { x: 'é<' }, { maxOutputBytes: 6 })).toBe('é&lt;');
    expect(expansionError('{{x}}', { x: 'é<' }, { maxOutputBytes: 5 }).name).toBe('template_render_error');
    expect(expansionError('éé', {}, { maxOutputBytes: 3 }).name).toBe('template_render_error');
  });

  it.each([['{{#each ../../x}}{{/each}}'], ['{{#each ../../x}}{{#if ../y}}{{/if}}{{/each}}']])(
    'stops when loops have too many iterations, even without output: %s',
    (inner) => {
      const content = `{{#each x}}{{#each ../x}}${inner}{{/each}}{{/each}}`;
      expect(expansionError(content, { x: hundreds }, fewSteps).message).toContain('too many items');
    },
  );

  it('counts every character that truncate keeps', () => {
    expect(
      expansionError('{{#each x}}{{#if (truncate ../big 999999)}}{{/if}}{{/each}}', {
        x: Array(10).fill(1),
        big: 'x'.repeat(1_000_000),
      }).message,
    ).toContain('too many items');
  });

  it('counts what helpers return, even if it is not written', () => {
    expect(
      expansionError('{{#each x}}{{#if (uppercase ../big)}}{{/if}}{{/each}}', {
        x: Array(350).fill(1),
        big: 'x'.repeat(1_000_000),
      }).message,
    ).toContain('too many items');
  });

  it.each([
    ['truncate', '{{truncate big 1}}', 'reads no more of the text than it keeps', null],
    ['truncate', '{{truncate list 1}}', 'counts the list that it joins', 'too many items'],
    ['truncate', '{{truncate marks 1}}', 'counts a character with very many accents', 'too many items'],
    ['lowercase', '{{#if (lowercase big)}}{{/if}}', 'counts what it reads', 'too many items'],
    ['json', '{{#if (json list)}}{{/if}}', 'counts what it reads', 'too many items'],
  ])('with thousands of calls of %s over large data (%s) %s', (_, call, __, message) => {
    const data = {
      big: 'word '.repeat(1_000_000),
      list: Array(1_000_000).fill(1),
      marks: `e${'\u0301'.repeat(1_000_000)}`,
    };
    const content = call.repeat(9_000);
    if (message === null) expect(expanded(content, data)).toBe('w…'.repeat(9_000));
    else expect(expansionError(content, data).message).toContain(message);
  });

  it('counts the parts of very long paths and the members of very large objects', () => {
    const x = Array.from({ length: 100_000 }, () => ({ a: 1 }));
    expect(expansionError(`{{#each x}}{{#if a${'.a'.repeat(5_000)}}}{{/if}}{{/each}}`, { x }).message).toContain(
      'too many items',
    );
    const y = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 1]));
    expect(expansionError('{{#each y}}{{/each}}'.repeat(1_000), { y }).message).toContain('too many items');
  });

  it('keeps the order of many pieces', () => {
    const x = Array.from({ length: 10_000 }, (_, at) => at);
    expect(expanded('{{#each x}}{{this}},{{/each}}', { x })).toBe(`${x.join(',')},`);
  });
});

describe('a line number', () => {
  it('counts every kind of line ending once', () => {
    expect(lineAt('a\nb\r\nc\rd', 8)).toBe(4);
  });
});
