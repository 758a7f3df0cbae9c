import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPlaceholderProblem, placeholderNames, replacePlaceholders } from './placeholders.ts';

const replaced = (source: string) => replacePlaceholders(source, (name) => `[${name}]`);

describe('Placeholders', () => {
  it.each([
    ['{{page}}/{{ total }}', '[page]/[total]'],
    ['{{\n date\n}}', '[date]'],
    ['<b title="{{title}}">{{section}}</b>', '<b title="[title]">[section]</b>'],
    ['<style>a::after{content:"{{date}}"}</style>{{page}}', '<style>a::after{content:"[date]"}</style>[page]'],
    ['<style>@media print{a{b:c}}</style>', '<style>@media print{a{b:c}}</style>'],
    ['<!-- {{x}} {{page -->{{page}}', '<!-- {{x}} {{page -->[page]'],
    ['<script>a = {{b: 1}}</script>{{page}}', '<script>a = {{b: 1}}</script>[page]'],
    ['{page} }} &#123;&#123;page}}', '{page} }} &#123;&#123;page}}'],
    ['<!-- never closed {{x}}', '<!-- never closed {{x}}'],
  ])('in %j are found', (source, expected) => {
    expect(findPlaceholderProblem(source)).toBeUndefined();
    expect(replaced(source)).toBe(expected);
  });

  it.each([
    ['a\nb {{pageNumber}}', /\{\{pageNumber\}\} \(line 2\)/, '{{page}}'],
    ['{{page_number}}', /line 1/, '{{page}}'],
    ['{{Page}}', /\{\{Page\}\}/, '{{page}}'],
    ['{{totalPages}}', /\{\{page\}\}, \{\{total\}\}, \{\{date\}\}, \{\{title\}\}, \{\{section\}\}/, '{{total}}'],
    ['{{ total_pages }}', /total_pages/, '{{total}}'],
    ['{{pages}}', /pages/, '{{total}}'],
    ['{{sections}}', /sections/, '{{section}}'],
    ['{{now}}', /now/, '{{date}}'],
    ['{{url}}', /url/, '{{title}}'],
    ['{{customer.name}}', /customer\.name/, undefined],
    ['{{constructor}}', /constructor/, undefined],
    ['{{#if page}}x{{/if}}', /#if page/, undefined],
    ['{{}}', /\{\{\}\}/, undefined],
    ['{{page', /without \}\}/, undefined],
    ['{{page}', /without \}\}/, undefined],
    ['{{<b>page</b>}}', /without \}\}/, undefined],
    ['{{{page}}}', /three braces/, '{{page}}'],
    ['<style>a{b:{{page}}}</style>', /style element/, undefined],
    ['{{' + 'x'.repeat(60) + '}}', /x{40}…/, undefined],
  ])('in %j have a problem', (source, message, didYouMean) => {
    const problem = findPlaceholderProblem(source);
    expect(problem?.message).toMatch(/^must not contain/);
    expect(problem?.message).toMatch(message);
    expect(problem?.didYouMean).toBe(didYouMean);
  });

  it('of any text without problems are all replaced, and the other text stays', () => {
    const piece = fc.oneof(
      fc.constantFrom(...placeholderNames).map((name) => ({ source: `{{ ${name} }}`, text: `[${name}]` })),
      fc.constantFrom('{', '}', '}}', ' ', '<b>', 'a', '\n', '&').map((text) => ({ source: text, text })),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const source = pieces.map((one) => one.source).join('');
        const placeholders = pieces.filter(({ source: own, text }) => own !== text).length;
        fc.pre(!source.includes('{{{') && source.split('{{').length - 1 === placeholders);
        expect(findPlaceholderProblem(source)).toBeUndefined();
        expect(replaced(source)).toBe(pieces.map(({ text }) => text).join(''));
      }),
    );
  });
});
