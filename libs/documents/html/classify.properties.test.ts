import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Classification, classify } from './classify.ts';

const classOf = (html: string) => classify(html).classification;

/** Markup in which a browser finds nothing but text, whatever stands around it. */
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
// An open comment takes up all that follows, for this parser and for the browser.
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

/** A tag as an untidy author, or one with something to hide, writes it. */
const tag = ({ cases, hidden, gap }: Disguise, name: string, attributes: Record<string, string> = {}): string =>
  `<${cased(name, cases)}${Object.entries(attributes)
    .map(([key, value]) => `${gap}${cased(key, cases)}="${references(value, hidden)}"`)
    .join('')}>`;

type Feature = { asks: Partial<Classification>; write: (disguise: Disguise) => string };
const style = (css: string) => ({
  asks: { needsStabilising: true },
  write: (how: Disguise) => `${tag(how, 'style')}${cased(css, how.cases)}${cased('</style>', how.cases)}`,
});
const features: Feature[] = [
  { asks: { scripts: true }, write: (how) => `${tag(how, 'script')}1</script>` },
  { asks: { scripts: true }, write: (how) => tag(how, 'p', { onclick: 'x()' }) },
  { asks: { scripts: true }, write: (how) => `${tag(how, 'iframe', { srcdoc: 'x' })}</iframe>` },
  {
    asks: { scripts: true, needsFrames: true },
    write: (how) => tag(how, 'body', { onload: 'requestAnimationFrame(x)' }),
  },
  {
    asks: { scripts: true, needsFrames: true },
    write: (how) =>
      `${tag(how, 'i', { title: 'requestAnimationFrame' })}</i>${tag(how, 'script')}window[i.title](x)</script>`,
  },
  { asks: { scripts: true, external: true }, write: (how) => tag(how, 'img', { onerror: "fetch('//h/')" }) },
  { asks: { external: true }, write: (how) => tag(how, 'img', { src: 'https://h/a.png' }) },
  { asks: { external: true }, write: (how) => tag(how, 'p', { style: 'background:url(https://h/a.png)' }) },
  {
    asks: { external: true, needsStabilising: true },
    write: (how) => tag(how, 'link', { rel: 'stylesheet', href: 'https://h/a.css' }),
  },
  {
    asks: { scripts: true, leavesPageState: true },
    write: (how) => tag(how, 'meta', { 'http-equiv': 'Content-Security-Policy', content: 'x' }),
  },
  { asks: { leavesPageState: true }, write: (how) => tag(how, 'meta', { name: 'color-scheme', content: 'dark' }) },
  { asks: { leavesPageState: true }, write: (how) => tag(how, 'meta', { content: '>', name: 'theme-color' }) },
  { asks: { leavesPageState: true }, write: (how) => tag(how, 'link', { media: '>', title: 'x' }) },
  { asks: { leavesPageState: true }, write: (how) => tag(how, 'body', { vlink: 'red' }) },
  style('@page{size:A5}'),
  style('@keyframes x{}'),
  style('@font-face{src:local(x)}'),
  style(String.raw`@\6beyframes x{}`),
  { asks: { needsStabilising: true }, write: (how) => `<svg>${tag(how, 'style')}@key<!-- -->frames x{}</style></svg>` },
  {
    asks: { needsStabilising: true },
    write: (how) => `<svg>${tag(how, 'style')}@key<![CDATA[frames]]> x{}</style></svg>`,
  },
  { asks: { needsStabilising: true }, write: (how) => `<svg>${tag(how, 'animateTransform')}</svg>` },
  { asks: { needsStabilising: true }, write: (how) => tag(how, 'marquee') },
  {
    asks: { refresh: { seconds: 0, url: 'http://h/' } },
    write: (how) => tag(how, 'meta', { content: '0;url=http://h/', 'http-equiv': 'refresh' }),
  },
  { asks: { scripts: true }, write: (how) => `<select>${tag(how, 'meta', { name: 'color-scheme' })}</select>` },
  {
    asks: { scripts: true },
    write: (how) => `<table><tr><td><select>${tag(how, 'title')}<!--</title>${tag(how, 'p')}<!-- --></select></table>`,
  },
];

describe('however a document is written', () => {
  test.each(features.map((feature, index) => ({ ...feature, index })))(
    'what it asks of the browser is found: $asks ($index)',
    ({ asks, write }) => {
      fc.assert(
        fc.property(around, around, disguise, (before, after, how) => {
          expect(classOf(`${before}${write(how)}${after}`)).toMatchObject(asks);
        }),
        { numRuns: 60 },
      );
    },
  );

  test('it has the fastest way where it asks for nothing', () => {
    fc.assert(
      fc.property(around, around, (before, after) => {
        expect(classOf(`${before}${after}`)).toMatchObject({
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

  test('any text at all has a class', () => {
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
        expect(classOf(pieces.join(''))).toHaveProperty('reason');
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
])('%s leaves the page as it was', (html) => expect(classOf(html).leavesPageState).toBe(false));

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
])('%s may outlast its document', (html) => expect(classOf(html).leavesPageState).toBe(true));

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
])('the script %s may wait for frames', (script) =>
  expect(classOf(`<script>${script}</script>`)).toMatchObject({ needsFrames: true }),
);

test('a script that only writes waits for no frame', () => {
  expect(
    classOf('<p id=p></p><script>p.textContent=[3,1,2].sort().join("-");setTimeout(()=>{},1)</script>'),
  ).toMatchObject({ scripts: true, needsFrames: false, external: false });
});

const boxes = (css: string) => classOf(`<style>${css}</style>`).needsStabilising;

test.each([
  '@page{@top-left{content:"x"}}',
  '@page :first { @bottom-right { content: counter(page) " / " counter(pages); font: 8pt Sans } @top-left{} }',
  '@PAGE{}p{margin:0}',
])('the margin boxes of %s move no sheet', (css) => {
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
])('what %s does to the sheet is set right', (css) => {
  expect(boxes(css)).toBe(true);
});
