import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { exampleNames, invoiceExample, readExample } from '#libs/templating/examples.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { checkWithQpdf, isQpdfAvailable } from '../support/documents/qpdf.ts';
import { pdfBytes, readStructure } from '../support/documents/read-pdf.ts';
import { readReadingOrder } from '../support/documents/read-structure-text.ts';
import { sampleDocument } from '../support/documents/sample-documents.ts';
import { conformsTo, type Flavour, isVeraPdfAvailable, validate } from '../support/documents/verapdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const page = (body: string, head = '', lang = 'en'): string =>
  `<!doctype html><html lang="${lang}"><head><title>T</title>${head}</head><body><h1>T</h1>${body}</body></html>`;

const scripts: Record<string, string> = {
  latin: 'Grüße, naïve façade — “quoted” find waffle',
  arabic: 'مرحبا بالعالم، هذا نص عربي ١٢٣ (مختلط English 123)',
  cjk: '你好，世界。日本語のテキスト、한국어 텍스트',
  devanagari: 'नमस्ते दुनिया, क्षत्रिय श्री ज्ञान',
  emoji: '😀 👍🏽 🇩🇪 ❤️ 👨‍👩‍👧‍👦 1️⃣',
};

type Document = [inputType: string, data: unknown, options?: Body];

const inScript = (name: string, text: string): Record<string, Document> => ({
  [`html ${name}`]: ['html', page(`<p>${text}<ul><li>${text}</ul><table><tr><th>${text}<tr><td>${text}</table>`)],
  [`markdown ${name}`]: [
    'markdown',
    `# ${text}\n\n**${text}** [^1] [${text}](https://example.com/)\n\n| ${text} | b |\n|---|---|\n| ${text} | |\n\n` +
      `\`\`\`js\nconst a = "${text}";\n\`\`\`\n\n[^1]: ${text}\n`,
  ],
  [`csv ${name}`]: ['csv', `name,value\n${text.replaceAll(',', ' ')},1\n,2\n`],
  [`json ${name}`]: [
    'json',
    [
      { name: text, value: 1 },
      { name: '', value: null },
    ],
  ],
  [`xml ${name}`]: ['xml', `<r><a>${text}</a><b x="1">1</b></r>`],
});

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAFklEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';
const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const webp = 'data:image/webp;base64,UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';
const parts: Record<string, Document> = {
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
        'fill="url(#g)"/><text x=5 y=20>text</text></svg><svg width=50 height=50 aria-hidden=true><circle r=20 /></svg>',
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
    '# A\n\nx[^a] y[^a]\n\n- [ ] todo\n\n> - list\n\nTerm\n: def\n\n1. a\n   ```py\n   x = 1\n   ```\n\n[^a]: n\n',
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

const all: Record<string, Document> = {
  ...Object.assign({}, ...Object.entries(scripts).map(([name, text]) => inScript(name, text))),
  ...parts,
};
const inAllScripts: Document = [
  'markdown',
  Object.values(scripts)
    .map((text) => `# ${text}\n\n${text}\n`)
    .join('\n'),
];

/** Words with glyphs that are one text together, which LibreOffice maps to no character. */
const clusters = ['हिन्दी', 'မြန်မာ', 'ශ්‍රී', 'שָׁלוֹם', 'x\u0335', 'e\u0301\u0328'].join(' ');
const inRtf = (text: string): string =>
  `{\\rtf1\\ansi\\uc0 ${text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0)} `)}\\par}`;

/** What the validators find in PDFs that name these flavours, by the name of the PDF. */
const problemsOf = async (
  pdfs: Record<string, Uint8Array>,
  flavoursOf: (name: string) => readonly Flavour[],
): Promise<unknown[]> => {
  const problems: unknown[] = [];
  const validations = isVeraPdfAvailable ? await validate(pdfs) : null;
  for (const name of validations ? Object.keys(pdfs) : [])
    if (!isDeepStrictEqual(validations![name], conformsTo(...flavoursOf(name))))
      problems.push([name, validations![name]]);
  for (const [name, pdf] of isQpdfAvailable ? Object.entries(pdfs) : []) {
    const { isGood, output } = await checkWithQpdf(pdf);
    if (!isGood) problems.push(['qpdf', name, output]);
  }
  return problems;
};

const render = async (
  name: string,
  [inputType, data, options]: Document,
  conformance: unknown,
): Promise<Uint8Array> => {
  const response = await caller.convert(inputType, data, { ...options, conformance });
  expect([name, response.status, response.text.slice(0, 300)]).toEqual([name, 200, expect.any(String)]);
  return pdfBytes(String(response.body['pdf_base64']));
};

describe('A PDF conforms to the standards that it names', () => {
  it('from every input, in every script, with every kind of content', async () => {
    const pdfs: Record<string, Uint8Array> = {};
    for (const [name, document] of Object.entries(all))
      pdfs[name] = await render(name, document, ['pdf/a-3b', 'pdf/ua-1']);
    expect(await problemsOf(pdfs, () => ['3b', 'ua1'])).toEqual([]);
  }, 300_000);

  const levels: [level: string, flavour: Flavour][] = [
    ['pdf/a-2b', '2b'],
    ['pdf/a-2u', '2u'],
    ['pdf/a-3u', '3u'],
  ];

  it('at every other level, alone or with PDF/UA: inputs, templates and compositions', async () => {
    const { template, sample } = await readExample('invoice');
    const templates = createTemplateClient(caller);
    const { content, variables, labels, default_options } = template;
    const { id } = await templates.create(content, { variables, labels, default_options });
    const documents: Record<string, Document> = {
      scripts: inAllScripts,
      images: parts['images']!,
      photographs: parts['photographs']!,
      controls: parts['controls']!,
      'docx semantic': ['docx', sampleDocument('agreement.docx'), { docx_layout: 'semantic' }],
      ...(isOfficeAvailable && {
        docx: ['docx', sampleDocument('agreement.docx')] as Document,
        rtf: ['rtf', Buffer.from(inRtf(clusters)).toString('base64'), { metadata: { title: 'T' } }] as Document,
      }),
      csv: ['csv', 'name,value\nनमस्ते,1\n'],
      json: all['json arabic']!,
      xml: all['xml cjk']!,
    };
    const partOf = (name: string): Body => {
      const [inputType, data] = documents[name]!;
      return { mode: 'CONVERT', input_type: inputType, data };
    };
    const pdfs: Record<string, Uint8Array> = {};
    const flavours: Record<string, Flavour[]> = {};
    // Every pair of document, level, and whether PDF/UA is asked for, too.
    for (const [levelIndex, [level, flavour]] of levels.entries()) {
      const alternatives = [level, [level, 'pdf/ua-1']];
      let count = levelIndex;
      const add = async (name: string, make: (conformance: unknown) => Promise<Uint8Array>): Promise<void> => {
        const conformance = alternatives[count++ % 2]!;
        const label = `${name} ${String(conformance)}`.replaceAll(/[/,]/g, ' ');
        pdfs[label] = await make(conformance);
        flavours[label] = conformance === level ? [flavour] : [flavour, 'ua1'];
      };
      for (const [name, document] of Object.entries(documents))
        await add(name, (conformance) => render(name, document, conformance));
      await add('template', async (conformance) =>
        pdfBytes(String((await templates.render(id, sample, { conformance })).body['pdf_base64'])),
      );
      await add('composition', async (conformance) => {
        const composed = await caller.postRender({
          mode: 'COMPOSE',
          parts: [partOf('scripts'), partOf('csv'), { mode: 'RENDER', template_id: id, data: sample }],
          metadata: { title: 'Whole' },
          contents: true,
          page_numbers: {},
          conformance,
        });
        return pdfBytes(String(composed.body['pdf_base64']));
      });
    }
    expect(await problemsOf(pdfs, (name) => flavours[name]!)).toEqual([]);
  }, 600_000);
});

describe('Content that assistive technology cannot read', () => {
  it.each<[body: string, element: string, message: RegExp, clause?: string]>([
    ['<iframe id="f" srcdoc="<p>inside"></iframe>', 'iframe#f', /Put its content into the document itself/],
    ['<object type="text/html" data="data:text/html,inside"></object>', 'object', /Put its content/],
    ['<embed src="data:text/html,inside">', 'embed', /Put its content/],
    ['<select><option>chosen</select>', 'select', /Write the chosen option as text/],
    ['<script>document.body.append(document.createElement("iframe"))</script>', 'iframe', /Put its content/],
    ['<svg id="sales" width=9 height=9><rect width=9 height=9 /></svg>', 'svg#sales', /Give the drawing/, '7.3'],
    ['<a href="https://example.com"><svg width=9 height=9><path d="M0 0h9" /></svg></a>', 'a', /link a text/, '7.18.5'],
    [
      '<a href="https://example.com"><img alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="></a>',
      'a',
      /Give the link a text/,
      '7.18.5',
    ],
  ])('is a violation of PDF/UA: %s', async (body, element, message, clause = '7.1') => {
    const response = await caller.convert('html', page(body), { conformance: 'pdf/ua-1' });
    expectErrorResponse(response, 'conformance_not_met', {
      violations: [{ standard: `ISO 14289-1, ${clause}`, element, message: expect.stringMatching(message) as unknown }],
      total_violations: 1,
    });
  });

  it('is a violation in a part of a composed document', async () => {
    const part = { mode: 'CONVERT', input_type: 'html', data: page('<iframe srcdoc="<p>inside"></iframe>') };
    const response = await caller.postRender({
      mode: 'COMPOSE',
      parts: [part],
      metadata: { title: 'T' },
      conformance: 'pdf/ua-1',
    });
    expect(response.body).toMatchObject({
      error: 'conformance_not_met',
      violations: [{ element: 'parts[0]: iframe' }],
    });
  });

  it('is allowed as decoration, invisible, or without PDF/UA', async () => {
    const frame = '<iframe srcdoc="<p>inside"></iframe>';
    const hidden = `<div aria-hidden="true">${frame}</div><div style="display:none">${frame}</div>`;
    expect((await render('decoration', ['html', page(hidden)], 'pdf/ua-1')).byteLength).toBeGreaterThan(0);
    expect((await render('archive', ['html', page(frame)], 'pdf/a-3b')).byteLength).toBeGreaterThan(0);
  });
});

describe('Assistive technology presents the example template', () => {
  const allExamples = [...exampleNames, invoiceExample] as const;
  /** Headings, tables with their header cells, lists and images, in reading order. */
  const expected: Record<(typeof allExamples)[number], string[]> = {
    invoice: [
      'H1: Invoice',
      'H2: BILLED TO',
      'Table 4x2: Invoice date | Service period | Your reference | Payment due',
      'Table 9x5: NO. | DESCRIPTION | QUANTITY | UNIT PRICE | AMOUNT | Subtotal | VAT 20% | Total due',
      'H2: PAYMENT',
      'H2: NOTES',
    ],
    contract: [
      'H1: Agreement on Translation Services',
      'L 2: (A)The Client is preparing',
      'H2: 1.The work',
      'H2: 2.Delivery and fees',
      'Table 5x3: Deliverable | Due | Fee',
      'H2: 3.Payment',
      'H2: 4.Rights',
      'H2: 5.Con',
      'H2: 6.Delay and defects',
      'H2: 7.Ending the agreement',
      'H2: 8.Final provisions',
    ],
    report: [
      'H1: Visitors and Revenue',
      'H2: Summary',
      'H2: What was sold',
      'Caption: Revenue by group, in euros',
      'H2: Month by month',
      'Table 5x6: Month | Visitors | Buyers | Share of buyers | Revenue | Per buyer',
      'H2: What follows',
    ],
    certificate: ['H1: Certificate of Completion', 'Figure: Seal'],
    letter: ['H1: Loan of twelve stencils', 'L 2: List of objects'],
    'e-invoice': [
      'H1: Invoice',
      'H2: BILLED TO',
      'Table 5x2: Invoice date | Delivery date | Service period | Your reference | Payment due',
      'Table 10x5: NO. | DESCRIPTION | QUANTITY | UNIT PRICE | AMOUNT | Subtotal | VAT 20% | VAT 10% | Total due',
      'H2: PAYMENT',
      'H2: NOTES',
    ],
    receipt: ['H1: Received with thanks', 'Table 9x2: ITEM | AMOUNT'],
  };

  it.each(allExamples)('%s with its headings, tables and images in order', async (name) => {
    const { template, sample } = await readExample(name);
    const templates = createTemplateClient(caller);
    const { id } = await templates.create(template.content, {
      variables: template.variables,
      labels: template.labels,
      default_options: template.default_options,
    });
    const { body } = await templates.render(id, sample, { conformance: 'pdf/ua-1', outline: true });
    const lines = await readReadingOrder(String(body['pdf_base64']));
    const found = lines.filter((line) => /^(?:H\d|Table|L \d|Figure|Caption).*: ./.test(line));
    expect(found).toEqual(expected[name].map((line) => expect.stringContaining(line) as unknown));
    const { outline } = await readStructure(String(body['pdf_base64']));
    expect(outline.map((title) => title.trim()).filter((title) => /^(.+)\1$/.test(title))).toEqual([]);
  });
});
