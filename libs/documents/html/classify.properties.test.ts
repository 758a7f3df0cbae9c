import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Classification, classify } from './classify.ts';

const classificationOf = (html: string) => classify(html).classification;

/** Markup that contains nothing but text for a browser, whatever follows. */
const plain = fc.constantFrom(
  'text ',
  '<p>',
  '<b>x</b>',
  '<table><tr><td>1</table>',
  '<!-- c -->',
  '<!-- <style>',
  '--> ',
  '&lt;script&gt;',
  '<textarea><meta http-equiv=refresh></textarea>',
  '<div class=a>',
  '</div>',
  '</p>',
  '<svg><g></g></svg>',
  '<math><mi>x</mi></math>',
  '<ul><li>',
  '<select><option>1</select>',
  '<meta charset=utf-8>',
  '<br/>',
  '\n',
  '<a href="#x">y</a>',
  '<template><p></template>',
  '<h1>T</h1>',
);
// An open comment contains all that follows, for this parser and for browsers.
const around = fc.array(plain, { maxLength: 12 }).map((pieces) => `${pieces.join('')}-->`);

const references = (text: string, chosen: readonly boolean[]): string =>
  Array.from(text, (character, index) =>
    chosen[index % chosen.length] ? `&#x${character.charCodeAt(0).toString(16)};` : character,
  ).join('');
const cased = (text: string, chosen: readonly boolean[]): string =>
  Array.from(text, (character, index) =>
    chosen[index % chosen.length] ? character.toUpperCase() : character.toLowerCase(),
  ).join('');
const disguise = fc.record({
  cases: fc.array(fc.boolean(), { minLength: 1 }),
  hidden: fc.array(fc.boolean(), { minLength: 1 }),
  gap: fc.constantFrom(' ', '\n', '\t', '/', '  '),
});
type Disguise = { cases: boolean[]; hidden: boolean[]; gap: string };

/** Writes a tag like a careless author, or like one who hides something. */
const tag = ({ cases, hidden, gap }: Disguise, name: string, attributes: Record<string, string> = {}): string =>
  `<${cased(name, cases)}${Object.entries(attributes)
    .map(([key, value]) => `${gap}${cased(key, cases)}="${references(value, hidden)}"`)
    .join('')}>`;

type Feature = { expected: Partial<Classification>; write: (disguise: Disguise) => string };
const style = (css: string) => ({
  expected: { needsStabilising: true },
  write: (how: Disguise) => `${tag(how, 'style')}${cased(css, how.cases)}${cased('</style>', how.cases)}`,
});
const features: Feature[] = [
  { expected: { scripts: true }, write: (how) => `${tag(how, 'script')}1</script>` },
  { expected: { scripts: true }, write: (how) => tag(how, 'p', { onclick: 'x()' }) },
  { expected: { scripts: true }, write: (how) => `${tag(how, 'iframe', { srcdoc: 'x' })}</iframe>` },
  {
    expected: { scripts: true, needsFrames: true },
    write: (how) => tag(how, 'body', { onload: 'requestAnimationFrame(x)' }),
  },
  {
    expected: { scripts: true, needsFrames: true },
    write: (how) =>
      `${tag(how, 'i', { title: 'requestAnimationFrame' })}</i>${tag(how, 'script')}window[i.title](x)</script>`,
  },
  { expected: { scripts: true, external: true }, write: (how) => tag(how, 'img', { onerror: "fetch('//h/')" }) },
  { expected: { external: true }, write: (how) => tag(how, 'img', { src: 'https://h/a.png' }) },
  { expected: { external: true }, write: (how) => tag(how, 'p', { style: 'background:url(https://h/a.png)' }) },
  {
    expected: { external: true, needsStabilising: true },
    write: (how) => tag(how, 'link', { rel: 'stylesheet', href: 'https://h/a.css' }),
  },
  {
    expected: { scripts: true, leavesPageState: true },
    write: (how) => tag(how, 'meta', { 'http-equiv': 'Content-Security-Policy', content: 'x' }),
  },
  { expected: { leavesPageState: true }, write: (how) => tag(how, 'meta', { name: 'color-scheme', content: 'dark' }) },
  { expected: { leavesPageState: true }, write: (how) => tag(how, 'meta', { content: '>', name: 'theme-color' }) },
  { expected: { leavesPageState: true }, write: (how) => tag(how, 'link', { media: '>', title: 'x' }) },
  { expected: { leavesPageState: true }, write: (how) => tag(how, 'body', { vlink: 'red' }) },
  style('@page{size:A5}'),
  style('@keyframes x{}'),
  style('@font-face{src:local(x)}'),
  style(String.raw`@\6beyframes x{}`),
  {
    expected: { needsStabilising: true },
    write: (how) => `<svg>${tag(how, 'style')}@key<!-- -->frames x{}</style></svg>`,
  },
  {
    expected: { needsStabilising: true },
    write: (how) => `<svg>${tag(how, 'style')}@key<![CDATA[frames]]> x{}</style></svg>`,
  },
  { expected: { needsStabilising: true }, write: (how) => `<svg>${tag(how, 'animateTransform')}</svg>` },
  { expected: { needsStabilising: true }, write: (how) => tag(how, 'marquee') },
  {
    expected: { refresh: { seconds: 0, url: 'http://h/' } },
    write: (how) => tag(how, 'meta', { content: '0;url=http://h/', 'http-equiv': 'refresh' }),
  },
  { expected: { scripts: true }, write: (how) => `<select>${tag(how, 'meta', { name: 'color-scheme' })}</select>` },
  {
    expected: { scripts: true },
    write: (how) => `<table><tr><td><select>${tag(how, 'title')}<!--</title>${tag(how, 'p')}<!-- --></select></table>`,
  },
];

describe('the classification of any document', () => {
  test.each(features.map((feature, index) => ({ ...feature, index })))(
    'finds what it needs: $expected ($index)',
    ({ expected, write }) => {
      fc.assert(
        fc.property(around, around, disguise, (before, after, how) => {
          expect(classificationOf(`${before}${write(how)}${after}`)).toMatchObject(expected);
        }),
        { numRuns: 60 },
      );
    },
  );

  test('is the fastest one if it needs nothing', () => {
    fc.assert(
      fc.property(around, around, (before, after) => {
        expect(classificationOf(`${before}${after}`)).toMatchObject({
          scripts: false,
          external: false,
          needsFrames: false,
          leavesPageState: false,
          needsStabilising: false,
          refresh: undefined,
        });
      }),
    );
  });

  test('exists for any text', () => {
    const piece = fc.oneof(
      plain,
      fc.string(),
      fc.constantFrom(
        '<script>',
        '</script>',
        '<select>',
        '<style>',
        '<frameset>',
        '<plaintext>',
        '<noscript>',
        '<![CDATA[',
        ']]>',
        '<svg>',
        '<template>',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(classificationOf(pieces.join(''))).toHaveProperty('reason');
      }),
    );
  });
});

test.each([
  '<p>plain',
  '<meta charset="utf-8">',
  '<META CHARSET=utf-8 >',
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  '<meta content="a > b" name=author />',
  '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">',
  '<meta property="og:title" content=\'x\'>',
  '<metadata>',
  '<style media=print>p{color:red}</style>',
  '<link rel=stylesheet href="data:text/css,x">',
  '<title>x</title>',
])('%s does not change the page for the next document', (html) =>
  expect(classificationOf(html).leavesPageState).toBe(false),
);

test.each([
  '<meta http-equiv=refresh content=0>',
  '<meta http-equiv="&#114;efresh">',
  '<meta charset=utf-8 name=color-scheme content=dark>',
  '<meta content=">" name="referrer">',
  '<meta\thttp-equiv="Content-Security-Policy">',
  '<meta name="viewport"http-equiv=refresh>',
  '<meta/name=color-scheme>',
  '<meta name="content-language" http-equiv="content-language">',
  '<style title=a></style>',
  '<link media=">" title="x" rel=stylesheet>',
  '<meta name=viewports>',
  '<p><meta name=theme-color><meta charset=utf-8>',
  '<body link=red>',
  '<p>x<BODY Alink=red>',
])('%s may change the page for the next document', (html) => expect(classificationOf(html).leavesPageState).toBe(true));

test.each([
  'requestAnimationFrame(x)',
  'new IntersectionObserver(x)',
  'p.animate([],10)',
  'image.decode()',
  'eval(x)',
  'new Function(x)',
  'onscroll=x',
  "p.innerHTML='<i onclick=&#97;>'",
  '"\\u0072equest"',
])('the script %s may wait for screen frames', (script) =>
  expect(classificationOf(`<script>${script}</script>`)).toMatchObject({ needsFrames: true }),
);

test('a script that only writes does not wait for screen frames', () => {
  expect(
    classificationOf('<p id=p></p><script>p.textContent=[3,1,2].sort().join("-");setTimeout(()=>{},1)</script>'),
  ).toMatchObject({ scripts: true, needsFrames: false, external: false });
});

const boxes = (css: string) => classificationOf(`<style>${css}</style>`).needsStabilising;

test.each([
  '@page{@top-left{content:"x"}}',
  '@page :first { @bottom-right { content: counter(page) " / " counter(pages); font: 8pt Sans } @top-left{} }',
  '@PAGE{}p{margin:0}',
])('the margin boxes of %s do not change the page', (css) => {
  expect(boxes(css)).toBe(false);
});

test.each([
  '@page{margin:0}',
  '@page{@top-left{content:"x"}size:A5}',
  '@page{@top-left{content:"} }"}size:A5}',
  '@page{@page{size:A5}}',
  '@page{}@page{size:A5}',
  '@page{/*}*/size:A5}',
  "p{content:'@page{@top-left{x:'} } @page{size:A5}",
  '/*@page{@top-left{x:"*/@import url(data:text/css,x);/*"}}*/',
  '@page wide{margin-top:1mm}',
  '@page{@top-left{content:"x}size:A5}',
  '@page;{size:A5}',
  '@page{@media print{size:A5}}',
])('a document with %s needs stabilising', (css) => {
  expect(boxes(css)).toBe(true);
});
