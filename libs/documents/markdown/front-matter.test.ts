import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { readFrontMatter } from './front-matter.ts';

const metadataOf = (yaml: string) => readFrontMatter(`---\n${yaml}\n---\ntext`).metadata;
const optionsOf = (yaml: string) => readFrontMatter(`---\n${yaml}\n---\ntext`).options;
const errorOf = (text: string) => {
  try {
    readFrontMatter(text);
  } catch (error) {
    if (error instanceof ApiError && error.fields.name === 'invalid_markdown') return error.fields;
    throw error;
  }
  throw new Error('no error');
};

describe('Front matter', () => {
  test('is metadata of the document', () => {
    const yaml = [
      'title: "A: b"',
      'subtitle: c',
      'author:',
      '  - Ada',
      '  - name: Grace',
      '    email: g@h',
      'date: 2026-11-22',
      'lang: de-at',
      'description: About it',
      'keywords: a, b; c',
      'toc: true',
    ].join('\n');
    expect(metadataOf(yaml)).toEqual({
      title: 'A: b',
      subtitle: 'c',
      authors: ['Ada', 'Grace'],
      date: '2026-11-22',
      language: 'de-AT',
      subject: 'About it',
      keywords: ['a', 'b', 'c'],
      contents: true,
    });
    expect(metadataOf('author: Ada\nkeywords: [x, 2]')).toMatchObject({ authors: ['Ada'], keywords: ['x', '2'] });
  });

  test('keeps each text as it is written by an alias, too, and a number of an option stays one', () => {
    const yaml =
      'version: &v 1.10\ntitle: *v\nsubtitle: Release\nauthor: &n 007\nkeywords: [*v, *n]\nsubject: &s 0.50\nscale: *s';
    expect(metadataOf(yaml)).toMatchObject({
      title: '1.10',
      authors: ['007'],
      keywords: ['1.10', '007'],
      subject: '0.50',
    });
    expect(optionsOf(yaml)).toEqual({ scale: 0.5 });
    expect(metadataOf('version: &v 1.10\nother: &v [2.0, 1.10]\nkeywords: *v\nauthor: *v')).toMatchObject({
      keywords: ['2.0', '1.10'],
      authors: ['2.0', '1.10'],
    });
    expect(metadataOf('version: &v 1.10\nother: &v text\ntitle: *v')).toMatchObject({ title: 'text' });
  });

  test('keeps each text as it is written, also if YAML reads it as a number or a boolean', () => {
    const yaml = [
      'title: 1.10',
      'subtitle: 2026.10',
      'author: 007',
      'date: 22.10',
      'subject: 0x1F # a number',
      'keywords: [3.0, True, ~1, "4.0"]',
    ].join('\n');
    expect(metadataOf(yaml)).toMatchObject({
      title: '1.10',
      subtitle: '2026.10',
      authors: ['007'],
      date: '22.10',
      subject: '0x1F',
      keywords: ['3.0', 'True', '~1', '4.0'],
    });
    expect(metadataOf('author: [{name: 1.50}, 2.0]\ntitle: ~').authors).toEqual(['1.50', '2.0']);
    expect(metadataOf('title: ~\ntoc: true')).toEqual({ authors: [], keywords: [], contents: true });
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toFixed(3));
    fc.assert(
      fc.property(number, (text) => {
        expect(metadataOf(`title: ${text}`).title).toBe(text);
      }),
    );
  });

  test('has the page options, and ignores what it does not know', () => {
    const yaml =
      'page_size: a5\norientation: landscape\nmargin_top: 2cm\nlayout: post\ntags: [x]\nfile_name: x\naliases: {a: b}';
    expect(optionsOf(yaml)).toEqual({ page_size: 'A5', orientation: 'landscape', margin_top: '2cm' });
    expect(optionsOf('page_size:\nmargin_left: ~')).toEqual({});
    expect(optionsOf('page_ranges: 2\nmargin_top: 5')).toEqual({ page_ranges: '2', margin_top: 5 });
  });

  test('keeps the number of each line after it', () => {
    const { markdown } = readFrontMatter('---\ntitle: x\nlayout: y\n---\nfirst\nsecond');
    expect(markdown.split('\n')).toEqual(['', '', '', '', 'first', 'second']);
    expect(readFrontMatter('---\r\ntitle: x\r\n...\r\nfirst').markdown.split('\n')).toEqual(['', '', '', 'first']);
    expect(readFrontMatter('\ufeff---\ntitle: x\n---').metadata.title).toBe('x');
  });

  test.each([
    ['a rule and a heading', '---\nText\n---\n'],
    ['two rules', '---\n\na: b\n\n---\n'],
    ['a rule', '---\n'],
    ['front matter that is not closed', '---\na: b\n'],
    ['front matter after the beginning', '\n---\na: b\n---\n'],
    ['a longer rule', '----\na: b\n----\n'],
    ['very long front matter', `---\na: ${'b'.repeat(70_000)}\n---\n`],
  ])('is not what only looks like it: %s', (_, text) => expect(readFrontMatter(text).markdown).toBe(text));

  test.each([
    ['YAML that is wrong', 'title: x\nauthor: [a', 3],
    ['a tab', 'title: x\n\tauthor: a', 3],
    ['a key twice', 'title: x\ntitle: y', 3],
    ['a wrong page size', 'title: x\npage_size: A99', 3],
    ['a margin that is too large', 'margin_top: 5m\ntitle: x', 2],
    ['a width without height', 'title: x\nwidth: 10cm', 3],
    ['a wrong language', 'a: b\nlang: "???"', 3],
    ['a title that is a list', 'title: [a]', 2],
    ['an unknown alias', 'title: *x', 2],
  ])('with %s is refused with the line', (_, yaml, line) => {
    expect(errorOf(`---\n${yaml}\n---\ntext`).extra).toMatchObject({ line });
  });

  test.each([
    ['page_size: A99', 'page_size on line 2: must be one of A0, A1,'],
    ['scale: large', 'scale on line 2: must be a number'],
    ['scale: 9', 'scale on line 2: must be at most 2'],
    ['toc: "yes"', 'toc on line 2: must be true or false'],
    ['title: {a: 1}', 'title on line 2: must be text.'],
    ['date: {a: 1}', 'date on line 2: must be text.'],
    ['author: {a: 1}', 'author on line 2: must be text, a map with a name, or a list of them.'],
    ['authors: [{a: 1}]', 'authors on line 2: must be text, a map with a name, or a list of them.'],
    ['keywords: {a: 1}', 'keywords on line 2: must be text, or a list of texts.'],
    ['keywords: [[a]]', 'keywords on line 2: must be text, or a list of texts.'],
  ])('says what %s must be', (yaml, message) => {
    expect(errorOf(`---\n${yaml}\n---\ntext`).message).toContain(message);
  });

  test('warns of keys that look like a misspelt option', () => {
    const warnedOf = (keys: string[]) =>
      readFrontMatter(`---\n${keys.map((key) => `${key}: 1`).join('\n')}\n---\n`).warnings.map((warning) =>
        warning.kind === 'option_ignored' ? `${warning.option}: ${/mean (\w+)/.exec(warning.reason)?.[1]}` : '',
      );
    expect(warnedOf(['heigth', 'page-size', 'orientaton', 'page_range', 'margin-left'])).toEqual([
      'heigth: height',
      'page-size: page_size',
      'orientaton: orientation',
      'page_range: page_ranges',
      'margin-left: margin_left',
    ]);
    // Keys of Hugo, Jekyll, Pandoc, Quarto, Marp and Eisvogel.
    expect(
      warnedOf([
        'weight',
        'style',
        'state',
        'share',
        'format',
        'header-right',
        'page_type',
        'papersize',
        'size',
        'url',
      ]),
    ).toEqual([]);
    expect(warnedOf('abcdefghijklm'.split('').map((letter) => `scale${letter}`))).toHaveLength(10);
  });

  test('warns of options of other programs, and says what to write', () => {
    const adviceOf = (yaml: string) =>
      readFrontMatter(`---\n${yaml}\n---\n`).warnings.map((warning) =>
        warning.kind === 'option_ignored' ? warning.reason.replace(/^.*matter: /, '') : '',
      );
    expect(adviceOf('landscape: true\nformat: A5\npapersize: a5\nmargin: {top: 2cm}')).toEqual([
      'write orientation instead. Example: orientation: landscape.',
      'write page_size instead. Example: page_size: A5.',
      'write page_size instead. Example: page_size: A5.',
      'write margin_top, margin_right, margin_bottom, margin_left instead. ' +
        'Example: margin_top: 20, margin_right: 20, margin_bottom: 20, margin_left: 20.',
    ]);
    // Quarto, Marp, R Markdown, Hugo, Gatsby, reveal.js.
    const ofOthers = ['format: {revealjs: {}}', 'size: 16:9', 'output: pdf_document', 'thumbnail: a.png', 'path: /a'];
    expect(adviceOf([...ofOthers, 'landscape:'].join('\n'))).toEqual([]);
    expect(adviceOf('format: html\nbackground: black\nname: x\nurl: /x\nversion: 2\ntype: post')).toEqual([]);
  });

  test('warns of options that only a request can have', () => {
    const yaml = [
      ...['conformance: pdf/a-3b', 'watermark: {text: x}', 'keep_pdf: true', 'fileName: x', 'encryption: {}'],
      ...['output: png', 'webhook_url: https://example.com/'],
    ];
    expect(readFrontMatter(`---\n${yaml.join('\n')}\n---\n`).warnings).toEqual(
      ['conformance', 'watermark', 'keep_pdf', 'file_name', 'encryption', 'output', 'webhook_url'].map(
        (name, index) => ({
          kind: 'option_ignored',
          option: yaml[index]!.replace(/:.*/, ''),
          reason: `Line ${index + 2} of the front matter: send ${name} in the request.`,
        }),
      ),
    );
  });

  test('that expands or nests without limit is refused', () => {
    const bomb = [
      'a: &a [x, x]',
      ...Array.from('bcdefghij', (letter, n) => `${letter}: &${letter} [*${'abcdefghij'[n]}, *${'abcdefghij'[n]}]`),
    ];
    expect(errorOf(`---\n${bomb.join('\n')}\n---\n`).message).toContain('aliases');
    expect(errorOf(`---\na: ${'['.repeat(30_000)}\n---\n`).extra).toHaveProperty('line');
  });

  test('reads plain data only', () => {
    const { metadata } = readFrontMatter(
      '---\ntitle: !!js/function "x"\n__proto__: {authors: [z]}\nconstructor: y\n---\n',
    );
    expect(metadata).toEqual({ title: 'x', authors: [], keywords: [], contents: false });
  });

  test('of any text is read, ignored or refused with a line of the text', () => {
    const line = fc.oneof(
      fc.constantFrom('a: b', '- c', 'title: {', '"x": &a', '*a', '# d', '---', 'page_size: A4', ' : ', '? k'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const text = ['---', ...lines, '---', 'text'].join('\n');
        try {
          expect(readFrontMatter(text).markdown.split('\n')).toHaveLength(text.split('\n').length);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(error.fields.extra['line']).toBeGreaterThan(1);
          expect(error.fields.extra['line']).toBeLessThanOrEqual(text.split('\n').length);
        }
      }),
    );
  });
});

test.each(['author: {given: Ada}', 'author: [{name: {given: Ada}}]', 'author: [{1: Ada}]'])(
  'An author without a name is an error: %s',
  (yaml) => expect(errorOf(`---\n${yaml}\n---\ntext`).message).toContain('author'),
);

test('Keywords with many spaces are split in linear time', () => {
  const keywords = `a${' '.repeat(60_000)}b`;
  for (let count = 0; count < 50; count += 1)
    expect(metadataOf(`keywords: "${keywords}; c"`).keywords).toEqual([keywords, 'c']);
});
