import fc from 'fast-check';
import { parseFragment } from 'parse5';
import { expect, test } from 'vitest';
import { placeholderNames } from '#contracts/http/placeholders.ts';
import { fillPlaceholders } from './marks.ts';
import { sanitiseHeaderFooter } from './parse.ts';

const contentOf = (source: string) => sanitiseHeaderFooter('header', source, '2026-02-03');
const filled = (source: string) =>
  fillPlaceholders(contentOf(source).html, { page: '7', total: '9', title: 'T & <t> "q"', section: '{{page}}' });
const inner = (html: string) => html.replaceAll(/<\/?(?:div|span|tspan)[^>]*>/g, '');

test('placeholders in texts, attributes and SVG are filled with escaped values', () => {
  expect(inner(filled('{{page}}/{{total}} {{title}} {{section}}'))).toBe(
    '7/9 T &amp; &lt;t&gt; &quot;q&quot; {{page}}',
  );
  expect(filled('<b title="{{title}} {{page}}">x</b>')).toContain('<b title="T &amp; &lt;t&gt; &quot;q&quot; 7">x</b>');
  expect(filled('<svg><text>{{section}}</text></svg>')).toContain(
    '<text><tspan class="colophon-section">{{page}}</tspan></text>',
  );
});

test('a header differs by page if it has a section, or a page number in an attribute', () => {
  expect(contentOf('{{page}} {{total}} {{title}} <b title="{{title}} {{date}}">').differsByPage).toBe(false);
  expect(contentOf('{{section}}').differsByPage).toBe(true);
  expect(contentOf('<b title="{{page}}">').differsByPage).toBe(true);
  expect(contentOf('<body style="width:{{total}}mm">x').differsByPage).toBe(true);
});

test.each(['src', 'href', 'srcset', 'xlink:href', 'poster'])('a URL in %s has no placeholders', (name) => {
  expect(() => contentOf(`<a ${name}="{{section}}">x</a>`)).toThrow(`{{section}} in the attribute ${name}`);
  expect(contentOf(`<a ${name}="https://x/{{date}}">x</a>`).html).toContain('https://x/2026-02-03');
});

test('no value becomes markup, and no character of a source is taken for a placeholder', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(...placeholderNames), (value, name) => {
      fc.pre(name !== 'date');
      const html = fillPlaceholders(contentOf(`<b title="{{${name}}}">{{${name}}}</b>`).html, { [name]: value });
      const [block] = parseFragment(html).childNodes;
      const [bold, ...others] = block && 'childNodes' in block ? block.childNodes : [];
      expect(others).toEqual([]);
      expect(bold && 'attrs' in bold && bold.attrs.map((attribute) => attribute.name)).toEqual(['title']);
    }),
  );
  const ownMark = '\u{f0000}page\u{f0001}';
  expect(contentOf(ownMark)).toMatchObject({ html: '<div>page</div>', placeholders: [] });
});
