import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertMarkdown } from './convert.ts';

const bodyOf = (text: string, locale = 'en') =>
  /<main[^>]*>\n([^]*)\n<\/main>/.exec(convertMarkdown(text, null, { locale }).html)![1]!;

describe('Typography in Markdown', () => {
  test.each([
    ['en', '“a ‘b’ c”'],
    ['de', '„a ‚b‘ c“'],
    ['de-CH', '«a ‹b› c»'],
    ['de-AT', '„a ‚b‘ c“'],
    ['fr', '«\u202fa “b” c\u202f»'],
    ['es', '«a “b” c»'],
    ['it', '«a “b” c»'],
    ['nl', '“a ‘b’ c”'],
    ['pl', '„a «b» c”'],
    ['und', '“a ‘b’ c”'],
    ['he', '"a \'b\' c"'],
  ])('has the quotation marks of %s', (language, expected) =>
    expect(bodyOf(`"a 'b' c"`, language)).toBe(`<p>${expected.replaceAll('"', '&quot;')}</p>\n`),
  );

  test('takes the language of the front matter, of the request, or of the text', () => {
    const german = 'Das ist "nicht" die Rechnung, und sie ist nicht zu bezahlen.';
    expect(convertMarkdown(german, null).html).toContain('„nicht“');
    expect(convertMarkdown(german, null, { locale: 'fr' }).html).toMatch(/<html lang="fr">[^]*«\u202fnicht/);
    const { html } = convertMarkdown(`---\nlang: en\n---\n${german}`, null, { locale: 'fr' });
    expect(html).toMatch(/<html lang="en">[^]*“nicht”/);
  });

  test('has apostrophes, dashes and dots', () => {
    expect(bodyOf(`don't -- 1990--2000 a---b wait...`)).toBe('<p>don’t – 1990–2000 a—b wait…</p>\n');
  });

  test('leaves code, options, paths, URLs and (c) as they are', () => {
    const kept = '`"a" -- b...` git --version ../a (c) (r) http://a/b--c';
    expect(bodyOf(kept)).toBe(
      '<p><code>&quot;a&quot; -- b...</code> git --version ../a (c) (r) <a href="http://a/b--c" class="verbatim">http://a/b--c</a></p>\n',
    );
    expect(bodyOf('```\n"a" -- b\n```')).toContain('&quot;a&quot; -- b');
  });

  test('keeps French spaces together with their marks', () => {
    expect(bodyOf('Oui ! « Non » : 5 ?', 'fr')).toBe('<p>Oui\u202f! «\u202fNon\u202f»\u202f: 5\u202f?</p>\n');
  });

  test('keeps all letters of any text', () => {
    const letters = (text: string) => text.match(/[a-z]/g)?.join('') ?? '';
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...`ab "'.-!\u00ab\u00bb`) }),
        fc.constantFrom('en', 'fr'),
        (text, language) => {
          const body = bodyOf(`x ${text}`, language).replace(/<[^>]*>|&[a-z]+;/g, '');
          expect(letters(body)).toBe(letters(`x${text}`));
        },
      ),
    );
  });
});

describe('A table of contents in Markdown', () => {
  test.each(['[toc]', '[TOC]', '[[toc]]', '[[_TOC_]]'])('stands in the place of %s', (marker) => {
    const body = bodyOf(
      `# T\n\n${marker}\n\n## A & *b* \`c\` [d](http://e)[^1]\n\n### B\n\n## A & *b* \`c\` [d](http://e)\n\n[^1]: n`,
    );
    expect(body).toContain(
      '<nav class="toc"><ul>\n' +
        '<li class="level-1"><a href="#a-b-c-d">A &amp; <em>b</em> <code>c</code> d</a></li>\n' +
        '<li class="level-2"><a href="#b">B</a></li>\n' +
        '<li class="level-1"><a href="#a-b-c-d-1">A &amp; <em>b</em> <code>c</code> d</a></li>\n</ul></nav>',
    );
  });

  test('stands after the title if the front matter asks for it', () => {
    expect(bodyOf('---\ntoc: true\n---\n# T\n\n## A\n')).toMatch(/^<h1[^]*<nav[^]*<h2/);
    expect(bodyOf('---\ntoc: true\n---\n# T\n\ntext\n\n[[toc]]\n\n## A\n').match(/<p>text|<nav/g)).toEqual([
      '<p>text',
      '<nav',
    ]);
    expect(bodyOf('---\ntoc: true\ntitle: T\n---\n\n## A\n')).toMatch(/^<header[^]*<nav[^]*<h2/);
  });

  test('keeps the line ends of headings, but no other tags', () => {
    expect(bodyOf('[toc]\n\n## Report<br>2026 <small id="x">draft</small>\n\n## B\n')).toContain(
      '<a href="#report2026-draft">Report<br>2026 draft</a>',
    );
  });

  test('has headings of several documents in one, and nothing without headings', () => {
    expect(bodyOf('[toc]\n\n# A\n\n# B\n').match(/<li/g)).toHaveLength(2);
    expect(bodyOf('[toc]\n\ntext')).toBe('<p>text</p>\n');
    expect(bodyOf('text [toc] text')).toContain('[toc]');
  });
});

test('A definition list keeps its terms and definitions', () => {
  expect(bodyOf('Term "a"\n:   One\n\n    More\n\nOther\n: Two\n: Three').replace(/\s+/g, ' ')).toContain(
    '<dl dir="ltr"> <dt>Term “a”</dt> <dd> <p>One</p> <p>More</p> </dd> <dt>Other</dt> <dd>Two</dd> <dd>Three</dd> </dl>',
  );
});

test('A title block has the front matter, unless the text has a title', () => {
  const yaml = '---\ntitle: A <b>\nauthor: [C, D]\ndate: 2026-01-02\n---\n';
  const { html } = convertMarkdown(`${yaml}text`, null);
  expect(html).toContain('<h1>A &lt;b&gt;</h1>\n<p class="byline">C, D · 2026-01-02</p>');
  expect(html).toContain(
    '<title>A &lt;b&gt;</title>\n<meta name="author" content="C">\n<meta name="author" content="D">',
  );
  expect(convertMarkdown(`${yaml}# Own`, null).html).toMatch(/<title>A &lt;b&gt;<[^]*<main dir="ltr">\n+<h1 id="own">/);
});

test('Footnotes have no links back to the text', () => {
  expect(bodyOf('a[^1]\n\n[^1]: b')).not.toMatch(/↩|backref/);
});

test('A document has at most ten tables of contents, each of which is as long as all its headings', () => {
  const body = bodyOf(`${'[toc]\n\n'.repeat(12)}## A\n\n## B`);
  expect([body.match(/<nav/g)?.length, body.match(/\[toc\]/g)?.length]).toEqual([10, 2]);
});
