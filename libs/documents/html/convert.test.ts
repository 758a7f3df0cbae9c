import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { prepareHtml } from './convert.ts';

const apiErrorFieldsOf = (html: string, maxImages: number | null = 50) => {
  try {
    prepareHtml(html, maxImages);
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
  }
  throw new Error('no ApiError was thrown');
};

describe('HTML', () => {
  test('stays unchanged, even if it is untidy', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '<p>',
            '</p>',
            '<b>',
            '<table>',
            '<td>',
            'text',
            '&amp;',
            '<br/>',
            '</x>',
            '<!-- c -->',
            '\n',
            '<a href="#x">',
          ),
        ),
        (pieces) => {
          const html = pieces.join('');
          expect(prepareHtml(html, 50).html).toBe(html);
        },
      ),
    );
  });

  test.each([
    ['a tag', '<p>one\n<p class="x', 2],
    ['an attribute', '<p>one\n\n<a href="x>two\nthree', 3],
    ['a comment', 'one\n<!-- two\nthree', 2],
    ['a declaration', '<p>a</p>\n<!important text', 2],
    ['an instruction', '<p>a</p>\n\n<?php echo 1;\ntext', 3],
    ['a CDATA section', '\n<p>a</p><![CDATA[ text', 2],
    ['a closing tag without a name', '<p>a</p>\n</3 text', 2],
    ['a script', '<p>\n\n<script>\nlet x = 1;', 3],
    ['a style', '<style>\np { color: red }\n<p>text', 1],
    ['a title', '<html>\n<title>x\n<body>', 2],
    ['a textarea', '<form>\n<textarea>\n</form>', 2],
  ])('that ends inside %s is refused with the line where that begins', (_, html, line) => {
    expect(apiErrorFieldsOf(html)).toMatchObject({ name: 'invalid_html', extra: { line } });
  });

  test.each(['a style', 'an iframe'])('that ends inside %s element is refused with its name', (named) => {
    const html = `<${named.split(' ')[1]}>`;
    expect(apiErrorFieldsOf(html).message).toContain(`ends inside ${named} element`);
  });

  test.each(['<p>a <', '<p>1 <3', '<p>a <!b>', '<p>a <?b>', '<p>a </3>', '<p>a <!-- b -->', '<p>a </'])(
    '%s loses nothing and is accepted',
    (html) => {
      expect(prepareHtml(html, 50).html).toBe(html);
    },
  );

  test('with too many different external images is refused with both numbers', () => {
    const images = (count: number) =>
      Array.from({ length: count }, (_, index) => `<img src="https://h/${index}">`).join('');
    expect(apiErrorFieldsOf(images(51))).toMatchObject({
      name: 'conversion_failed',
      extra: { details: { images: 51, limit: 50 } },
    });
    expect(prepareHtml(images(50) + images(50), 50).classification.scripts).toBe(false);
    expect(
      prepareHtml('<img src="https://h/a#1"><img src="https://h/a#2"><img src="https://H/a">', 1).classification
        .scripts,
    ).toBe(false);
    expect(prepareHtml(images(500), null).classification.scripts).toBe(false);
  });

  test('may have any number of embedded images', () => {
    expect(prepareHtml('<img src="data:image/gif;base64,R0lGODlh">'.repeat(60), 1).classification.external).toBe(false);
  });

  test('with an image that can never load is refused with its URL', () => {
    expect(apiErrorFieldsOf('<p>\n<img src="images/logo.png">')).toMatchObject({
      name: 'image_load_failed',
      extra: { image_url: 'images/logo.png' },
    });
    expect(apiErrorFieldsOf('<img src="http://a b.example/logo.png">')).toMatchObject({
      extra: { reason: expect.stringContaining('the URL is not valid') },
    });
    expect(apiErrorFieldsOf('<img src="file:///etc/logo.png">')).toMatchObject({
      name: 'image_load_failed',
      extra: { image_url: 'file:///etc/logo.png' },
    });
    expect(apiErrorFieldsOf('<p style="background: url(bg.png)">')).toMatchObject({
      name: 'image_load_failed',
      extra: { image_url: 'bg.png' },
    });
  });

  test.each([
    '<img src="DATA">',
    '<input type=image src="DATA">',
    '<video poster="DATA"></video>',
    '<svg><image xlink:href="DATA" /></svg>',
    '<table background="DATA"><td>x</table>',
  ])('with bytes in %s that are no image is refused with their line', (html) => {
    const url = 'data:image/png;base64,Z2FyYmFnZQ==';
    expect(apiErrorFieldsOf(`<p>\n${html.replace('DATA', url)}`)).toMatchObject({
      name: 'image_load_failed',
      message: `The image "${url}" on line 2 cannot be loaded: its data: URL is not an image in a known format.`,
      extra: { image_url: url },
    });
  });

  test.each([
    ['scripts, which may replace it', '<img src="data:image/png;base64,AAAA" onerror="fix(this)">'],
    ['templates', '<template><img src="data:image/png;base64,AAAA"></template>'],
    ['other sources', '<img src="data:image/png;base64,AAAA" srcset="data:image/gif;base64,R0lGODlh 1x">'],
    [
      'pictures',
      '<picture><source srcset="data:image/gif;base64,R0lGODlh"><img src="data:image/png;base64,AAAA"></picture>',
    ],
    ['links', '<a href="data:image/png;base64,AAAA">x</a>'],
  ])('may have such bytes with %s', (_, html) => {
    expect(prepareHtml(html, 50).html).toBe(html);
  });

  test('may have relative images with a base, and in templates, which are never loaded', () => {
    expect(prepareHtml('<base href="https://h/"><img src="logo.png">', 50).classification.external).toBe(true);
    expect(prepareHtml('<template><img src="logo.png"></template>', 50).classification.external).toBe(true);
  });
});

describe('CSS for printing that the browser ignores', () => {
  const featuresOf = (html: string) =>
    (prepareHtml(html, 50).warnings ?? []).map((warning) => warning.kind === 'feature_ignored' && warning.feature);

  test('is a warning, once for each feature', () => {
    const html =
      '<style>h1{break-before:right}.a::after{content:counter(page)}</style><style>@page{size:A6}</style>' +
      '<style media="screen">h1{string-set:a content()}</style><p style="float:footnote">1<p style="float:footnote">2';
    expect(featuresOf(html)).toEqual([
      'float: footnote',
      'break-before: right',
      'counter(page) outside of @page',
      'size: a6',
    ]);
    expect(featuresOf('<style>@page{size:A5}h1{break-before:page}</style>')).toEqual([]);
  });

  test('is a warning also for elements of MathML, unless a script may draw them', () => {
    const formula = '<math><mfenced><mi>x</mi></mfenced><mfrac><menclose>a</menclose><mi>b</mi></mfrac></math>';
    expect(featuresOf(formula + formula)).toEqual(['mfenced', 'menclose']);
    expect(featuresOf(`${formula}<script src="https://h/mathjax.js"></script>`)).toEqual([]);
    expect(featuresOf(`<template>${formula}</template><math><msqrt><mi>x</mi></msqrt></math>`)).toEqual([]);
  });

  test('is found in the style sheet of a link with a data: URL', () => {
    const link = (attributes: string) =>
      `<link rel="stylesheet" href="data:text/css,.n%7Bfloat:footnote%7D" ${attributes}>`;
    const encoded = Buffer.from('@page{size:A6}').toString('base64');
    expect(featuresOf(link('') + `<link rel=stylesheet href="data:text/css;charset=utf-8;base64,${encoded}">`)).toEqual(
      ['float: footnote', 'size: a6'],
    );
    expect(featuresOf(link('media=screen') + link('disabled') + `<template>${link('')}</template>`)).toEqual([]);
    expect(featuresOf('<link rel=icon href="data:text/css,.n%7Bfloat:footnote%7D">')).toEqual([]);
    expect(featuresOf('<link rel=stylesheet href="data:text/css,#n%7Bfloat:footnote%7D">')).toEqual([]);
  });

  test('is none where a script or an own counter gives it an effect', () => {
    expect(featuresOf('<script src="https://a.example/paged.polyfill.js"></script><p style="float:footnote">')).toEqual(
      [],
    );
    expect(featuresOf('<script>chart()</script><p style="float:footnote">')).toEqual(['float: footnote']);
    const numbered = '<style>.a::after{content:counter(page)}</style><ol style="counter-reset: page 4">';
    expect(featuresOf(numbered)).toEqual([]);
  });
});
