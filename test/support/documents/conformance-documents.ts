import type { Body } from '../client/api-client.ts';
import { isOfficeAvailable } from './office-available.ts';
import { sampleDocument } from './sample-documents.ts';

/** A page with a heading. */
export const page = (body: string, head = '', lang = 'en'): string =>
  `<!doctype html><html lang="${lang}"><head><title>T</title>${head}</head><body><h1>T</h1>${body}</body></html>`;

const scripts: Record<string, string> = {
  latin: 'Grüße, naïve façade — “quoted” find waffle',
  arabic: 'مرحبا بالعالم، هذا نص عربي ١٢٣ (مختلط English 123)',
  cjk: '你好，世界。日本語のテキスト、한국어 텍스트',
  devanagari: 'नमस्ते दुनिया, क्षत्रिय श्री ज्ञान',
  emoji: '😀 👍🏽 🇩🇪 ❤️ 👨‍👩‍👧‍👦 1️⃣',
};

const texts = Object.values(scripts);

/** A request for a conversion. */
export type Document = [inputType: string, data: unknown, options?: Body];

/** Text in every script in each input. */
const inScripts: Record<string, Document> = {
  'html in every script': [
    'html',
    page(texts.map((text) => `<p>${text}<ul><li>${text}</ul><table><tr><th>${text}<tr><td>${text}</table>`).join('')),
  ],
  'markdown in every script': [
    'markdown',
    texts
      .map(
        (text, note) =>
          `# ${text}\n\n**${text}** [^${note}] [${text}](https://example.com/)\n\n` +
          `| ${text} | b |\n|---|---|\n| ${text} | |\n\n` +
          `\`\`\`js\nconst a = "${text}";\n\`\`\`\n\n[^${note}]: ${text}\n`,
      )
      .join('\n'),
  ],
  'csv in every script': ['csv', `name,value\n${texts.map((text) => `${text.replaceAll(',', ' ')},1\n`).join('')},2\n`],
  'json in every script': ['json', [...texts.map((name) => ({ name, value: 1 })), { name: '', value: null }]],
  'xml in every script': ['xml', `<r>${texts.map((text) => `<a>${text}</a>`).join('')}<b x="1">1</b></r>`],
};

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAFklEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';
const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const webp = 'data:image/webp;base64,UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';
/** The browser names its place with 9 bytes for each character. */
export const longHeading = '日本語のとても長い見出し'.repeat(3);

const contents: Record<string, Document> = {
  images: [
    'html',
    page(
      [png, gif, webp].map((src) => `<img alt="an image" width=20 height=20 src="${src}">`).join('') +
        `<figure><img alt=f src="${png}"><figcaption>c</figcaption></figure><img alt="" src="${png}">` +
        `<div style="background:url('${png}');width:50px;height:50px"></div>`,
    ),
    { watermark: { text: 'DRAFT' } },
  ],
  photographs: [
    'html',
    page(
      '<script>const c = document.createElement("canvas"); c.getContext("2d").fillRect(5, 5, 50, 50);' +
        'for (const type of ["image/jpeg", "image/webp"]) { const i = new Image(); i.alt = type;' +
        'i.src = c.toDataURL(type); document.body.append(i); }</script>',
    ),
  ],
  drawings: [
    'html',
    page(
      '<svg width=100 height=50 role=img aria-label="a drawing"><defs><linearGradient id=g><stop stop-color=red />' +
        '<stop offset=1 stop-color=blue stop-opacity=.3 /></linearGradient></defs><rect width=90 height=40 ' +
        'fill="url(#g)"/><text x=5 y=20>text</text></svg><svg width=50 height=50 aria-hidden=true><circle r=20 /></svg>' +
        '<p>a <svg width=9 height=9 aria-label="Sales"><rect width=9 height=9 /></svg><svg><title>Costs</title>' +
        '<rect width=9 height=9 /></svg> <a href="https://example.com">b</a>',
    ),
  ],
  controls: [
    'html',
    page(
      '<label>Name <input value="Ann"></label><textarea>area</textarea><button>go</button><input type=checkbox checked ' +
        'aria-label=c><input type=radio><input type=range><progress value=.5></progress><meter value=.4></meter>' +
        '<input type=date value="2026-01-01"><details open><summary>s</summary>d</details><fieldset><legend>L</legend>' +
        'x</fieldset>',
    ),
  ],
  formulas: ['markdown', '# M\n\n$x^2 = \\frac{1}{\\sqrt{2}}$\n\n$$\\sum_{i=0}^n i$$\n'],
  tables: [
    'html',
    page(
      '<table><caption>c</caption><thead><tr><th rowspan=2>A<th colspan=2>B<tr><th>b1<th>b2</thead><tr><th scope=row>r' +
        '<td><td>2<tr><th scope=row>s<td>1<td><tfoot><tr><td colspan=3>f</table><table role=presentation><tr><td>a' +
        '<td>b</table><table><tr><td><table><tr><td>nested</table><td></table><table><tr><th rowspan=0>x<th>y</tr><caption><p>one' +
        '</caption><caption>two</caption><tr><td>z</table><ul style="background:#eee"><li>a</li><figcaption>c' +
        '</figcaption></ul><div role=row>r</div><div role=columnheader>h</div><div role=table><div role=cell>a</div>text' +
        '<div role=row><p>p</p><div role=row><a href="https://e.example/" role=cell>b</a></div></div></div>',
    ),
  ],
  links: [
    'html',
    page(
      `<p><a href="mailto:a@b.example">m</a> <a href="#q">i</a> <a href="https://e.example/"><img alt=i src="${png}">` +
        `</a> <a href="https://long.example/">${'a link over several lines '.repeat(20)}</a><p id=q>q`,
    ),
  ],
  headers: [
    'html',
    page(`<p>${'text '.repeat(2000)}<h2>Two</h2>`),
    {
      header_html: `<b>{{title}}</b> <a href="https://e.example/">x</a> {{section}} <img alt=logo src="${png}">`,
      footer_html: '<p>{{page}} / {{total}} 你好 😀',
    },
  ],
  notes: [
    'markdown',
    '# A\n\nx[^a] y[^a]\n\n- a\n  - b\n\n- [x] done\n\n> - list\n\nTerm\n: def\n\n1. a\n   ```py\n   x = 1\n   ```\n\n[^a]: n\n',
  ],
  styles: [
    'html',
    page(
      '<p class=a style="columns:2">c</p><div style="transform:rotate(9deg)">r</div><ruby>漢<rt>kan</rt></ruby><q>q</q>' +
        '<mark>m</mark><blockquote>b<cite>c</cite></blockquote><pre>p\n  x</pre><p style="text-shadow:1px 1px red">s',
      '<style>.a::before{content:"★ "}@page{@bottom-center{content:counter(page)}}</style>',
    ),
  ],
  'a script': [
    'html',
    page('<canvas id=c role=img aria-label=chart></canvas><script>c.getContext("2d").fill()</script>'),
  ],
};

const samples: Record<string, Document> = {
  html: ['html', sampleDocument('invoice.html'), { metadata: { title: 'Invoice' } }],
  markdown: ['markdown', sampleDocument('release-notes.md')],
  'scripts of the world': ['markdown', sampleDocument('languages.md')],
  arabic: ['markdown', sampleDocument('letter-arabic.md')],
  json: ['json', sampleDocument('order.json')],
  xml: ['xml', sampleDocument('catalogue.xml')],
  'nothing but an image': ['html', `<!doctype html><html lang=en><title>T</title><img alt="A dot" src="${gif}">`],
  headings: ['html', '<!doctype html><html lang=en><title>T</title><h2>a</h2><h4>b</h4><h3>c</h3><h2>d</h2><h6>e</h6>'],
  'a long heading in a table of contents': ['markdown', `# T\n\n[[toc]]\n\n## ${longHeading}`],
  'a table over pages': [
    'html',
    page(
      '<h1>T</h1><table><caption>C</caption><thead><tr><th colspan=2>A<tr><th>x<th>y</thead><tr><td rowspan=2>1<td>2' +
        `<tr><td>3</table><table>${'<tr><td>1'.repeat(120)}</table>`,
    ),
  ],
  lists: ['html', page('<ul>text<p>p</ul><li>alone</li><ul><li>a<ul><li>b</ul>after<li>c</ul><dl><dt>t<dd>d</dl>')],
  transparency: [
    'html',
    page(
      '<div style="background:linear-gradient(red,blue);box-shadow:0 0 5px;opacity:.5"><p>x</div>' +
        '<div style="filter:blur(2px)" aria-hidden=true>y</div><div style="mix-blend-mode:multiply">z</div>',
    ),
  ],
  'page ranges': ['html', page('<p>a<p style="break-before:page">b'), { page_ranges: '2' }],
};

/** Words with glyphs that are one text together, which LibreOffice maps to no character. */
const clusters = ['हिन्दी', 'မြန်မာ', 'ශ්‍රී', 'שָׁלוֹם', 'x\u0335', 'e\u0301\u0328'].join(' ');
const inRtf = (text: string): string =>
  `{\\rtf1\\ansi\\uc0 ${text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0)} `)}\\par}`;

const dot = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="teal"/></svg>',
);
const pages = '<p>a<p style="break-before:page">b';
/** Each with what the service adds to the print of the browser. */
const additions: Record<string, Document> = {
  'stamps in several scripts': [
    'html',
    page(pages),
    {
      watermark: { text: 'مسودة 草稿 मसौदा 😀 Draft', color: '#c00', layer: 'under' },
      page_numbers: { format: 'Seite {page} von {total}' },
    },
  ],
  'a stamp of a drawing': [
    'html',
    page(pages),
    {
      watermark: { image: dot.toString('base64') },
      page_numbers: { position: 'top_outside', style: 'lower_roman' },
    },
  ],
  'a stamp of an image': [
    'html',
    page(pages),
    { watermark: { image: png, position: 'top_left', width: 20 }, header_html: 'Head {{page}}' },
  ],
  attachments: [
    'html',
    page(''),
    {
      attachments: [
        {
          name: 'Messwerte – März.csv',
          mime_type: 'text/csv',
          data: Buffer.from('a,b\n1,2\n').toString('base64'),
          relationship: 'Data',
          description: 'What the chart shows',
          modified_at: '2026-05-31T09:30:00+02:00',
        },
        {
          name: 'all bytes (1).bin',
          data: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64'),
        },
        { name: 'empty.txt', data: '' },
      ],
    },
  ],
};

const part = (title: string, body: string, options: Body = {}, lang = 'en'): Body => ({
  mode: 'CONVERT',
  input_type: 'html',
  data: `<!doctype html><html lang="${lang}"><title>${title}</title><h1>${title}</h1>${body}`,
  ...options,
});
const table = '<table><tr><th>A<th>B<tr><td>1<td>2</table>';
/** A composition with a cover, a table of contents, links between its parts, and parts in several languages. */
export const composition: Body = {
  mode: 'COMPOSE',
  parts: [
    part('Cover', '<p>x', { cover: true }),
    part('Terms', `<h2 id="s">Scope</h2><p><a href="#s">a</a> <a href="part:2">b</a> <a href="part:9">c</a>${table}`, {
      header_html: 'H {{page}}',
    }),
    part('Anhang', `<h2 id="s">Preise</h2>${table}${table}<ul><li>x</ul>`, { orientation: 'landscape' }, 'de'),
    { mode: 'CONVERT', input_type: 'markdown', data: '# عربي\n\nمرحبا **بكم**\n\n## 日本語\n\n文字 😀' },
  ],
  contents: { depth: 3 },
  outline: true,
  start_on: 'right',
  metadata: { title: 'All', author: 'A' },
};

const agreement: Document = ['docx', sampleDocument('agreement.docx')];

/** Documents with every kind of content, and from every kind of input. */
export const documents: Record<string, Document> = {
  ...inScripts,
  ...contents,
  ...samples,
  ...additions,
  ...(isOfficeAvailable && { docx: agreement }),
};

/** What a level of PDF/A can change: fonts, images, and the files that LibreOffice makes. */
export const documentsForLevels: Record<string, Document> = {
  scripts: ['markdown', texts.map((text) => `# ${text}\n\n${text}\n`).join('\n')],
  images: contents['images']!,
  photographs: contents['photographs']!,
  controls: contents['controls']!,
  'docx semantic': ['docx', sampleDocument('agreement.docx'), { docx_layout: 'semantic' }],
  ...(isOfficeAvailable && {
    docx: agreement,
    rtf: ['rtf', Buffer.from(inRtf(clusters)).toString('base64'), { metadata: { title: 'T' } }] as Document,
  }),
  csv: ['csv', 'name,value\nनमस्ते,1\n'],
  json: ['json', [{ name: scripts['arabic'], value: 1 }]],
  xml: ['xml', `<r><a>${scripts['cjk']}</a><b x="1">1</b></r>`],
};
