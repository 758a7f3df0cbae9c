import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertMarkdown } from './convert.ts';

const bodyOf = (text: string) => /<main[^>]*>([^]*)<\/main>/.exec(convertMarkdown(text, null).html)![1]!;
const formulasIn = (text: string) => (bodyOf(text).match(/<math/g) ?? []).length;

describe('A formula in Markdown', () => {
  test.each([
    ['in text', 'Energy is $E = mc^2$.', 1],
    ['at the end of the text', '$x$', 1],
    ['before a hyphen', 'the $x$-axis', 1],
    ['set apart in text', 'a $$x + y$$ b', 1],
    ['between lines', '$$\nx + y\n= z\n$$', 1],
    ['on one line', '$$ x + y $$', 1],
    ['in a fence', '```math\nx\n```', 1],
    ['in a list, a quotation and a table', '- $$\n  x\n  $$\n\n> $x$\n\n|a|\n|-|\n|$y$|', 3],
    ['with an escaped dollar sign', '$a = \\$5$', 1],
  ])('%s becomes MathML', (_, text, formulas) => expect(formulasIn(text)).toBe(formulas));

  test('has its source as alternative text, whatever is in it', () => {
    const body = bodyOf("```math\na < \\$'\n```");
    expect(body).toContain(`<math alttext="a &lt; \\$'"`);
    expect(body.match(/<\/math>/g)).toHaveLength(1);
  });

  test('may have backticks within its dollar signs, as on GitHub', () => {
    expect(bodyOf('a $`b_1 * c*d`$ e')).toContain('<math alttext="b_1 * c*d"');
  });

  test('of which many begin in one paragraph is found in linear time', () => {
    expect(formulasIn('$$a\n'.repeat(50_000))).toBe(25_000);
  });

  test.each([
    ['prices', 'It costs $5 and $10.'],
    ['a range of prices', 'from $5-$10 to $20'],
    ['an amount before words, and one after its sign', '$5 and mine 10$.'],
    ['currencies', 'US$5 and CA$6$'],
    ['escaped dollar signs', '\\$x\\$'],
    ['dollar signs with spaces', 'a $ b $ c'],
    ['code', '`$x$`\n\n    $$x$$'],
    ['a formula that is not closed', '$$\nx\n\n- y'],
  ])('is not found in %s', (_, text) => {
    expect(formulasIn(text)).toBe(0);
    expect(bodyOf(text).match(/\$/g)).toHaveLength(text.match(/\$/g)!.length);
  });

  test('that is wrong is printed as it is written, with a warning', () => {
    const { html, warnings } = convertMarkdown(
      '# A\n\nText\nwith $\\frac{1}{$ in it.\n\n```math\n\\unknown <x>\n```',
      null,
    );
    expect(html).toContain('<code class="math-error">\\frac{1}{</code>');
    expect(html).toContain('<pre class="math-error"><code>\\unknown &lt;x&gt;</code></pre>');
    expect(warnings).toEqual([
      { kind: 'invalid_formula', line: 3, source: '\\frac{1}{', reason: expect.stringContaining('end of input') },
      { kind: 'invalid_formula', line: 6, source: '\\unknown <x>', reason: expect.stringContaining('\\unknown') },
    ]);
  });

  test('is shown once in the contents and the heading, and a wrong one warned of once', () => {
    const { warnings, html } = convertMarkdown('[toc]\n\n## A $x^2$\n\n$\\frac$ text', null);
    expect(html.match(/<math/g)).toHaveLength(2);
    expect(warnings).toHaveLength(1);
  });

  const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
  const doubling = letters.slice(1).map((letter, index) => `\\def\\${letter}{\\${letters[index]}\\${letters[index]}}`);

  test.each([
    ['that calls itself', '\\def\\a{\\a\\a}\\a'],
    ['whose macros double', `\\def\\a{x}${doubling.join('')}\\z`],
    ['that is very long', `${'x+'.repeat(3_000)}x`],
  ])('%s is printed as it is written', (_, source) => {
    const { html, warnings } = convertMarkdown(`$${source}$`, null);
    expect(html).toContain(`<code class="math-error">${source}</code>`);
    expect(warnings).toHaveLength(1);
  });

  test('that is nested deeply is shown or printed', () => {
    expect(bodyOf(`$${'{'.repeat(1_900)}x${'}'.repeat(1_900)}$`)).toMatch(/<math|math-error/);
  });

  test('cannot contain links, images or styles of its own', () => {
    const body = bodyOf('$\\href{javascript:x}{a}$ $\\includegraphics{http://h/a.png}$ $\\style{color:red}{b}$');
    expect(body).not.toMatch(/<a |<img|style="color/);
  });

  test('of any characters is shown or printed as it is written', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '\\frac',
        '{',
        '}',
        '^',
        '_',
        '\\left(',
        '\\right)',
        '&',
        '\\\\',
        '\\begin{matrix}',
        '\\text{é}',
        '<b>',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
        const source = parts.join(' ').replace(/[$`\s]+/g, ' ');
        const body = bodyOf(`\`\`\`math\n${source}\n\`\`\``);
        expect(body).toMatch(/<math|class="math-error"/);
        expect(body).not.toContain('<b>');
      }),
    );
  });
});

test('A wrong formula in a heading of the table of contents is one error', () => {
  expect(convertMarkdown('[toc]\n\n# A\n\n## B $\\frac$\n\n## C', null).warnings).toHaveLength(1);
});

test('Formulas cannot become much larger than the text by macros', () => {
  const defined = (letters: number) => `$\\def\\a{${'x'.repeat(letters)}}${'\\a'.repeat(200)}$ `;
  expect(formulasIn(defined(1_000))).toBe(0);
  const { html, warnings } = convertMarkdown(defined(500).repeat(15), null);
  expect(html.length).toBeLessThan(10_000_000);
  expect(warnings).toContainEqual(expect.objectContaining({ reason: 'the formulas of the document are too large' }));
});
