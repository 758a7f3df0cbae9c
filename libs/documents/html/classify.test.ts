import { describe, expect, test } from 'vitest';
import { classify } from './classify.ts';

const classificationOf = (html: string) => classify(html).classification;

describe('a document', () => {
  test.each([
    ['a script element', '<p>\n<script>1</script>', 'script element on line 2'],
    ['a script within SVG', '<svg><script>1</script></svg>', 'script element on line 1'],
    ['a script within MathML text', '<math><mtext><script>1</script></mtext></math>', 'script element on line 1'],
    ['a script in a template', '<template><script>1</script></template>', 'script element on line 1'],
    ['an event attribute', '<img src="data:," OnError=x>', 'onerror attribute on line 1'],
    ['an event attribute on a second body tag', '<body><p>x<body onload="x()">', 'onload attribute on line 1'],
    ['a javascript: URL', '<a href="javascript:x()">', 'javascript: URL in href attribute on line 1'],
    [
      'a javascript: URL in disguise',
      '<a href=" java\nscript&colon;x()">',
      'javascript: URL in href attribute on line 2',
    ],
    [
      'a javascript: URL in an animation',
      '<svg><a><animate attributeName="href" values="x;javascript:1"/></a></svg>',
      'javascript: URL in values attribute on line 1',
    ],
    ['an iframe', '<iframe srcdoc="x"></iframe>', 'iframe element on line 1'],
    ['an object', '<object data="x.svg"></object>', 'object element on line 1'],
    ['an embed', '<embed src="x">', 'embed element on line 1'],
    ['a frame set', '<frameset><frame src="x"></frameset>', 'frameset element on line 1'],
    ['a noscript element', '<noscript>x</noscript>', 'noscript element on line 1'],
    ['a refresh', '<meta http-equiv="Refresh" content="0">', 'meta http-equiv="Refresh" on line 1'],
    [
      'a policy that stays after the document',
      '<meta http-equiv="content-security-policy" content="img-src none">',
      'meta http-equiv="content-security-policy" on line 1',
    ],
    [
      'a referrer policy that stays after the document',
      '<meta name="referrer" content="no-referrer">',
      'meta name="referrer" on line 1',
    ],
    [
      'a declarative shadow root',
      '<div><template shadowrootmode="open">x</template></div>',
      'shadowrootmode attribute on line 1',
    ],
  ])('has scripts if it has %s', (_, html, reason) => {
    expect(classificationOf(html)).toMatchObject({ scripts: true, reason });
  });

  test.each([
    ['an invoice', '<!DOCTYPE html><meta charset="utf-8"><style>td { color: red }</style><table><tr><td>x</table>'],
    ['script as text', '<p>&lt;script&gt;</p><textarea><script></script></textarea><!-- <script> -->'],
    ['the word javascript', '<p title="javascript is a language">javascript: no</p>'],
    ['an inline SVG', '<svg><linearGradient id="a"/><rect fill="url(#a)"/><use href="#b"/></svg>'],
    ['harmless pragmas', '<meta http-equiv="Content-Type" content="text/html"><meta name="author" content="x">'],
  ])('has no scripts if it has %s', (_, html) => {
    expect(classificationOf(html)).toMatchObject({ scripts: false, external: false });
  });
});

describe('the classification', () => {
  test.each([
    'fetch("https://h/x")',
    'i.src="//h/x.png"',
    'const j={"u":"\\/\\/h"}',
    'x="\\u002f"',
    'eval(x)',
    'new Function("x")()',
    'p.innerHTML="&#104;"',
    'import(x)',
    'new Worker(x)',
    'String.fromCodePoint(47)',
    'atob(x)',
    'new WebSocket("ws:h")',
    'decodeURI(x)',
  ])('says that a script with %s may fetch anything', (script) => {
    expect(classificationOf(`<p id=p></p><script>${script}</script>`).external).toBe(true);
  });

  test.each([
    '<script src="data:text/javascript;base64,ZmV0Y2goImh0dHBzOi8vaC8iKQ=="></script>',
    '<script src="data:,fetch(a)"></script>',
    '<object data="data:image/svg+xml;base64,PHN2Zy8+"></object>',
    '<embed src="data:image/svg+xml;base64,PHN2Zy8+">',
  ])('says that encoded data may fetch anything: %s', (html) => {
    expect(classificationOf(html).external).toBe(true);
  });

  test.each([
    'document.title = "x"',
    'const rows = [3, 1].map(function (x) { return x / 2 }); p.textContent = rows.join()',
    'p.style.color = "red"',
  ])('says that a script without a URL fetches nothing: %s', (script) => {
    expect(classificationOf(`<meta charset="utf-8"><p id=p></p><script>${script}</script>`).external).toBe(false);
  });

  test.each([
    '<img src="https://h/a.png">',
    '<img src=" //h/a.png">',
    '<img srcset="data:,x 1x, https://h/a.png 2x">',
    '<picture><source srcset="https://h/a.png"></picture>',
    '<link rel=stylesheet href="https://h/a.css">',
    '<link rel=preload imagesrcset="https://h/a.png">',
    '<input type=image src="https://h/a.png">',
    '<video poster="https://h/a.png"></video>',
    '<audio src="https://h/a.mp3"></audio>',
    '<table background="https://h/a.png"></table>',
    '<svg><image href="https://h/a.png"/></svg>',
    '<svg><image xlink:href="https://h/a.png"/></svg>',
    '<svg><use href="https://h/a.svg#x"/></svg>',
    '<svg><rect fill="url(https://h/a.svg#x)"/></svg>',
    '<svg><filter><feImage href="https://h/a.png"/></filter></svg>',
    '<p style="background: url(https://h/a.png)">',
    '<p style="background: \\75rl(https://h/a.png)">',
    '<p style="--x: url(https://h/a.png)">',
    '<p style="background: image-set(\'https://h/a.png\' 1x)">',
    '<style>@import "https://h/a.css";</style>',
    '<style>@\\69mport "https://h/a.css";</style>',
    '<style>@font-face { font-family: a; src: url("https://h/a.woff2") }</style>',
    '<style>@media print { p { list-style: URL( https://h/a.png ) } }</style>',
    '<style>p { color: red; } } .x { background: url(https://h/a.png) }</style>',
    '<style>p { : url(https://h/a.png) }</style>',
    '<svg><style>rect { fill: url(https://h/a.png) }</style></svg>',
    '<template><img src="https://h/a.png"></template>',
    '<base href="https://h/"><p>x',
  ])('finds external resources in %s', (html) => {
    expect(classificationOf(html).external).toBe(true);
  });

  test.each([
    '<a href="https://h/">x</a>',
    '<map><area href="https://h/"></map>',
    '<form action="https://h/"></form>',
    '<blockquote cite="https://h/">x</blockquote>',
    '<img src="data:image/png;base64,AAAA">',
    '<img src="">',
    '<img srcset="data:,a 1x, data:,b 2x">',
    '<p style="background: url(data:,x)">',
    '<style>p { background: url("#x"); content: "url(https://h/a.png)" }</style>',
    '<style>/* url(https://h/a.png) */ p::before { content: "\\2014" }</style>',
    '<style>p { --x: url(data:,x) }</style>',
    '<style>@namespace svg url(https://h/ns);</style>',
  ])('finds no external resources in %s', (html) => {
    expect(classificationOf(html).external).toBe(false);
  });
});
