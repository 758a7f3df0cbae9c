import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classify } from './classify.ts';
import { parseRefresh } from './refresh.ts';

const refreshOf = (html: string) => classify(html).classification.refresh;
const refreshOfContent = (content: string) => refreshOf(`<meta http-equiv=refresh content="${content}">`);

test.each([
  ['0', 0, 'about:blank'],
  ['0;', 0, 'about:blank'],
  [' 5 ; url=http://h/', 5, 'http://h/'],
  ['0,URL = http://h/', 0, 'http://h/'],
  ['1 http://h/', 1, 'http://h/'],
  ['2.5;http://h/', 2, 'http://h/'],
  ['.5;http://h/', 0, 'http://h/'],
  ["0;url='http://h/'x", 0, 'http://h/'],
  ['3;#part', 3, 'about:blank#part'],
  ['&#48;&#59;http://h/', 0, 'http://h/'],
])('content="%s" is a refresh', (content, seconds, url) => {
  expect(refreshOfContent(content)).toEqual({ seconds, url });
});

test.each([
  '',
  'x',
  '-1',
  '+0;url=http://h/',
  '0x;url=http://h/',
  '0;url=javascript:1',
  '0;url=relative',
  ';url=http://h/',
])('content="%s" is not a refresh', (content) => {
  expect(refreshOfContent(content)).toBeUndefined();
});

test.each([
  '<META HTTP-EQUIV=ReFresh CONTENT=0>',
  '<meta http-equiv="&#114;efresh" content=0>',
  '<p><table><meta content=0 http-equiv=refresh>',
  '<template><p></template><meta http-equiv=refresh content=0>',
])('%s is a document with a refresh', (html) => expect(refreshOf(html)?.seconds).toBe(0));

test.each([
  '<!--<meta http-equiv=refresh content=0>-->',
  '<title><meta http-equiv=refresh content=0></title>',
  '<template><meta http-equiv=refresh content=0></template>',
  '<meta name=refresh content=0>',
  '<meta http-equiv=refresh>',
  '<p http-equiv=refresh content=0>',
  '<svg><desc></desc></svg><noscript><meta http-equiv=refresh content=0></noscript>',
])('%s is a document without a refresh', (html) => expect(refreshOf(html)).toBeUndefined());

test('the first of several refreshes is used, with its URL resolved against the base', () => {
  expect(
    refreshOf(
      '<meta http-equiv=refresh content="9;http://a/"><meta http-equiv=refresh content="2;b"><base href="http://h/x/">',
    ),
  ).toEqual({ seconds: 2, url: 'http://h/x/b' });
});

test('a refresh is found in very long content', () => {
  const piece = fc.constantFrom('0', '12', '.', ';', ',', ' ', '\n', 'url', 'URL', '=', '"', "'", 'http://h/', 'x');
  fc.assert(
    fc.property(fc.array(piece), fc.nat(20_000), (pieces, times) => {
      const refresh = parseRefresh(pieces.map((text, index) => (index === 0 ? text.repeat(times) : text)).join(''));
      expect(refresh === undefined || refresh.seconds >= 0).toBe(true);
    }),
  );
});
