import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { convertMarkdown } from './convert.ts';

const bodyOf = (text: string) => /<main[^>]*>([^]*)<\/main>/.exec(convertMarkdown(text, 50).html)?.[1] ?? '';
const apiErrorFieldsOf = (text: string) => {
  try {
    convertMarkdown(text, 50);
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
  }
  throw new Error('no ApiError was thrown');
};

describe('Markdown', () => {
  test('has tables, strike-through, footnotes, task lists, anchors and highlighted code', () => {
    const body = bodyOf(
      '# Héllo, World\n\n~~gone~~[^1]\n\n[^1]: note\n\n- [x] done\n- [ ] open\n\n|a|b|\n|-|-:|\n|1|2|\n\n```js\nlet x = 1;\n```',
    );
    expect(body).toContain('<h1 id="héllo-world">');
    expect(body).toContain('<s>gone</s>');
    expect(body).toContain('class="footnotes"');
    expect(body).toContain('<span class="task done"></span>done');
    expect(body).toContain('<span class="task"></span>open');
    expect(body).toContain('<td style="text-align:right">2</td>');
    expect(body).toContain('<span class="hljs-keyword">let</span>');
  });

  test('has different anchors for repeated headings', () => {
    expect(bodyOf('# A\n\n# A\n\n# A\n').match(/id="[^"]*"/g)).toEqual(['id="a"', 'id="a-1"', 'id="a-2"']);
    expect(bodyOf('# A\n')).toContain('id="a"');
  });

  test('has its first heading as title', () => {
    expect(convertMarkdown('text\n\n## The *first*', 50).html).toContain('<title>The first</title>');
  });

  test.each([
    ['a heading of two lines', 'Annual\nReport\n=====', 'Annual Report'],
    ['a line end after two spaces', 'Annual  \nReport\n=====', 'Annual Report'],
    ['a line end after a backslash', 'Annual\\\nReport\n=====', 'Annual Report'],
    ['a <br>', '# Annual<br>Report <BR/> 2026', 'Annual Report 2026'],
    ['tags', '# Report <small>2026</small><!-- draft -->', 'Report 2026'],
    ['code and characters that look like tags', '# The `<br>` of A &lt;br&gt; B', 'The &lt;br&gt; of A &lt;br&gt; B'],
  ])('has a title in one line, without tags, from %s', (_, markdown, title) => {
    expect(convertMarkdown(markdown, 50).html).toContain(`<title>${title}</title>`);
  });

  test('has warnings of CSS for printing that has no effect', () => {
    const text = '<style>\n.n { float: footnote }\n</style>\n\n# T\n\n<p style="string-set: a content()">b</p>\n';
    const warnings = convertMarkdown(text, 50).warnings ?? [];
    expect(warnings.map((one) => one.kind === 'feature_ignored' && one.feature)).toEqual([
      'string-set',
      'float: footnote',
    ]);
    expect(convertMarkdown('# T\n\n<style>p { color: red }</style>', 50).warnings).toBeUndefined();
  });

  test('has no scripts, unless HTML in it may run', () => {
    expect(convertMarkdown('# a <b>b</b>', 50).classification.scripts).toBe(false);
    expect(convertMarkdown('a <b onclick="x()">b</b>', 50)).toMatchObject({
      classification: { scripts: true, reason: 'onclick attribute on line 1' },
    });
    expect(convertMarkdown('[a](javascript:x())', 50).classification.scripts).toBe(false);
  });

  test('shows images that are absolute or embedded, and refuses relative ones', () => {
    expect(convertMarkdown('![a](https://h/a.png)', 50).classification.external).toBe(true);
    expect(bodyOf('![a](data:image/svg+xml;base64,PHN2Zy8+)')).toContain('<img src="data:image/svg+xml');
    for (const [text, where] of [
      ['# x\n\n\nfoo\n\n![a](a.png)', ' on line 6'],
      ['---\ntitle: T\n---\n\n![a](a.png)', ' on line 5'],
      ['x\n\n<img src="a.png">', ''],
    ])
      expect(apiErrorFieldsOf(text!).message).toContain(`The image "a.png"${where} cannot be loaded`);
    expect(apiErrorFieldsOf('# x\n\n![a](data:image/png;base64,AAAA)').message).toContain('on line 3 cannot be loaded');
    expect(apiErrorFieldsOf('![a](a.png)')).toMatchObject({ name: 'image_load_failed', extra: { image_url: 'a.png' } });
  });

  test.each([
    ['a code fence', 'a\n\n```js\ncode\n\nmore', 3],
    ['a code fence without content', 'a\n\n~~~', 3],
    ['an HTML comment', 'a\n\n<!-- b\n\nc', 3],
    ['an HTML comment within a block that ends before it', '<div>\n<!-- b\n\nc -->\n</div>', 2],
    ['a script', 'a\n\n<script>\nx', 3],
    ['a tag', 'a\n\n<div class="x\n\nb', 3],
  ])('that never closes %s is refused with the line', (_, text, line) => {
    expect(apiErrorFieldsOf(text)).toMatchObject({ name: 'invalid_markdown', extra: { line } });
  });

  test.each([
    ['closed fences', '```\na\n```\n\n~~~~\n```\n~~~~'],
    ['a fence without content', '```\n```'],
    ['a fence that its list item ends', '- a\n\n  ```\n  b\n\nc'],
    ['closed comments', '<!-- a\n\nb --> c\n\nd <!-- e --> f'],
  ])('with %s is accepted', (_, text) => {
    expect(bodyOf(text)).not.toBe('');
  });
});
