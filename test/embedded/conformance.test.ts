import { beforeAll, describe, expect, it } from 'vitest';
import { exampleNames, readExample } from '#libs/templating/examples.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { readLinks, readPdf, readStructure, withoutDates } from '../support/documents/read-pdf.ts';
import { sampleDocument } from '../support/documents/sample-documents.ts';
import { conformsTo, isVeraPdfAvailable, validate } from '../support/documents/verapdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const both = { conformance: ['pdf/a-3b', 'pdf/ua-1'] };
/** The same for each of them. */
const all = <T>(pdfs: object, one: T): Record<string, T> =>
  Object.fromEntries(Object.keys(pdfs).map((name) => [name, one]));
const bytes = (base64: string): Uint8Array => Buffer.from(base64, 'base64');
const page = (body: string, head = '<title>Report</title>', lang = 'en'): string =>
  `<!doctype html><html lang="${lang}"><head>${head}</head><body>${body}</body></html>`;
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

/** The browser names its place with 9 bytes for each character. */
const longHeading = '日本語のとても長い見出し'.repeat(3);

const documents: Record<string, [inputType: string, data: unknown, options?: Body]> = {
  html: ['html', sampleDocument('invoice.html'), { metadata: { title: 'Invoice' } }],
  markdown: ['markdown', sampleDocument('release-notes.md')],
  'markdown with lists': [
    'markdown',
    '# T\n\n- a\n  - b\n\n1. x\n\nTerm\n: Definition\n\n- [x] done\n\nNote[^1].\n\n[^1]: Foot\n',
  ],
  'a long heading in a table of contents': ['markdown', `# T\n\n[[toc]]\n\n## ${longHeading}`],
  'scripts of the world': ['markdown', sampleDocument('languages.md')],
  arabic: ['markdown', sampleDocument('letter-arabic.md')],
  docx: ['docx', sampleDocument('agreement.docx')],
  csv: ['csv', sampleDocument('orders.csv')],
  json: ['json', sampleDocument('order.json')],
  'json table': ['json', sampleDocument('customers.json')],
  xml: ['xml', sampleDocument('catalogue.xml')],
  'nothing but an image': ['html', page(`<img alt="A dot" src="${dot}">`)],
  tables: [
    'html',
    page(
      '<h1>T</h1><table><caption>C</caption><thead><tr><th colspan=2>A<tr><th>x<th>y</thead><tr><td rowspan=2>1<td>2' +
        `<tr><td>3</table><table>${'<tr><td>1'.repeat(120)}</table>`,
    ),
  ],
  lists: ['html', page('<ul>text<p>p</ul><li>alone</li><ul><li>a<ul><li>b</ul>after<li>c</ul><dl><dt>t<dd>d</dl>')],
  figures: [
    'html',
    page(
      `<h1>F</h1><figure><img alt=x src="${dot}"><figcaption>c</figcaption></figure><img alt="" src="${dot}">` +
        '<svg width=20 height=20 role=img aria-label=circle><circle r=9 /></svg>',
    ),
  ],
  links: [
    'html',
    page('<p><a href="https://example.com/">out</a> <a href="#q">in</a><p id=q>q'),
    { header_html: '<a href="https://example.com/">Head</a> {{page}}' },
  ],
  transparency: [
    'html',
    page(
      '<div style="background:linear-gradient(red,blue);box-shadow:0 0 5px;opacity:.5"><p>x</div>' +
        '<div style="filter:blur(2px)" aria-hidden=true>y</div><div style="mix-blend-mode:multiply">z</div>',
    ),
  ],
  headers: [
    'html',
    page('<h1>One</h1><p>a<h2>Two</h2><p>b'),
    { header_html: '{{title}} {{section}}', footer_html: '{{page}} / {{total}}' },
  ],
  emoji: ['html', page('<p>😀 👍🏽 🇩🇪 ❤️')],
  'a script': ['html', page('<h1>S</h1><script>document.body.append("added")</script>')],
  formulas: ['markdown', '# Formulas\n\nA fraction $\\frac{1}{2}$ in text.\n\n$$\nx^2\n$$'],
  drawings: [
    'html',
    page(
      '<p>a <svg width=9 height=9 aria-label="Sales"><rect width=9 height=9 /></svg>' +
        '<svg><title>Costs</title><rect width=9 height=9 /></svg>' +
        '<svg width=9 height=9 aria-hidden="true"><rect width=9 height=9 /></svg><a href="https://example.com">b</a>',
    ),
  ],
  'page ranges': ['html', page('<p>a<p style="break-before:page">b'), { page_ranges: '2' }],
};

describe.skipIf(!isVeraPdfAvailable)('A PDF that veraPDF validates', () => {
  it('conforms to PDF/A-3b and PDF/UA-1, whatever the input', async () => {
    const pdfs: Record<string, Uint8Array> = {};
    for (const [name, [inputType, data, options = {}]] of Object.entries(documents)) {
      const response = await caller.convert(inputType, data, { ...both, ...options });
      expect([name, response.status, response.text.slice(0, 300)]).toEqual([name, 200, expect.any(String)]);
      pdfs[name] = bytes(String(response.body['pdf_base64']));
    }
    expect(await validate(pdfs)).toEqual(all(pdfs, conformsTo('3b', 'ua1')));
  });

  it('has alternative texts of formulas and drawings', async () => {
    const structureOf = async ([inputType, data]: (typeof documents)[string]) =>
      readStructure((await caller.render(inputType, data, both)).pdf_base64);
    const formulas = await structureOf(documents['formulas']!);
    expect(formulas.alternativeTexts).toEqual(['\\frac{1}{2}', 'x^2']);
    expect(formulas.roles.filter((role) => role === 'Formula')).toHaveLength(2);
    expect((await structureOf(documents['drawings']!)).alternativeTexts).toEqual(['Sales', 'Costs']);
  });

  it('numbers headings by their nesting, whatever levels the document uses', async () => {
    const html = page('<h2>a</h2><h4>b</h4><h3>c</h3><h2>d</h2><h6>e</h6>');
    const { pdf_base64: pdf } = await caller.render('html', html, both);
    expect((await readStructure(pdf)).roles.filter((role) => /^H\d$/.test(role))).toEqual([
      'H1',
      'H2',
      'H2',
      'H1',
      'H2',
    ]);
    expect(await validate({ pdf: bytes(pdf) })).toEqual({ pdf: conformsTo('3b', 'ua1') });
  });

  it('conforms to both if it is made from an example template', async () => {
    const templates = createTemplateClient(caller);
    const pdfs: Record<string, Uint8Array> = {};
    for (const name of exampleNames) {
      const { template, sample } = await readExample(name);
      const { id } = await templates.create(template.content, {
        variables: template.variables,
        labels: template.labels,
        default_options: template.default_options,
      });
      const response = await templates.render(id, sample, both);
      expect([name, response.status, response.text.slice(0, 300)]).toEqual([name, 200, expect.any(String)]);
      pdfs[name] = bytes(String(response.body['pdf_base64']));
    }
    expect(await validate(pdfs)).toEqual(all(pdfs, conformsTo('3b', 'ua1')));
  });

  it('conforms to one standard alone', async () => {
    const flavours = { 'pdf/a-2b': '2b', 'pdf/a-2u': '2u', 'pdf/a-3u': '3u', 'pdf/ua-1': 'ua1' } as const;
    const pdfs: Record<string, Uint8Array> = {};
    for (const conformance of Object.keys(flavours))
      pdfs[conformance] = bytes(
        (await caller.render('markdown', sampleDocument('languages.md'), { conformance })).pdf_base64,
      );
    expect(await validate(pdfs)).toEqual(
      Object.fromEntries(Object.entries(flavours).map(([name, flavour]) => [name, conformsTo(flavour)])),
    );
  });
});

describe('A link to a place with a long name', () => {
  const contents = `# T\n\n[[toc]]\n\n## ${longHeading}`;
  const longNames = (pdf: string): string[] =>
    (bytes(pdf) as Buffer)
      .toString('latin1')
      .match(/\/(?:[^\s/<>()[\]#]|#[\da-f]{2})+/gi)!
      .filter((one) => one.replaceAll(/#../g, '#').length > 128);

  it('has a short name in PDF/A, and in a composed document', async () => {
    const { pdf_base64: single } = await caller.render('markdown', contents, { conformance: 'pdf/a-2b' });
    const parts = [{ mode: 'CONVERT', input_type: 'markdown', data: contents }];
    const composed = await caller.postRender({ mode: 'COMPOSE', parts });
    for (const pdf of [single, String(composed.body['pdf_base64'])]) {
      expect(longNames(pdf)).toEqual([]);
      const [link] = (await readLinks(pdf)) as { place: string }[];
      expect((bytes(pdf) as Buffer).toString('latin1')).toMatch(new RegExp(`/${link!.place} \\[`));
    }
  });
});

describe('A document that cannot conform', () => {
  const violation = (standard: string, element: string, message: RegExp) => ({
    standard,
    element,
    message: expect.stringMatching(message) as unknown,
  });

  it.each([
    [
      'an image without an alternative text',
      page(`<h1>T</h1><p style="break-before:page"><img src="${dot}">`),
      violation('ISO 14289-1, 7.3', 'Figure 1 on page 2', /alternative text/),
    ],
    [
      'a canvas',
      page('<canvas id=c></canvas><script>c.getContext("2d").fillRect(0,0,50,50)</script>'),
      violation('ISO 14289-1, 7.3', 'Figure 1 on page 1', /alternative text/),
    ],
    ['no title', page('<p>a', ''), violation('ISO 14289-1, 7.1', 'Document', /title/)],
    ['no language', '<title>T</title><p>a', violation('ISO 14289-1, 7.2', 'Document', /language/)],
    ['a wrong language', page('<p lang="x y">a'), violation('ISO 14289-1, 7.2', 'P on page 1', /no language tag/)],
    ['no content', page(''), violation('ISO 14289-1, 7.1', 'Document', /no content/)],
    [
      'a character without a glyph',
      page('<p>&#xF0000;'),
      violation('ISO 19005-3, 6.2.11.8', 'Text on page 1', /empty boxes/),
    ],
  ])('because of %s is rejected, and the error says what to change', async (_, html, expected) => {
    expectErrorResponse(await caller.convert('html', html, { conformance: 'pdf/ua-1' }), 'conformance_not_met', {
      violations: [expected],
      total_violations: 1,
    });
  });

  it('gets all violations at once', async () => {
    const { body } = await caller.convert('html', `<p lang="x y">a</p><img src="${dot}">`, both);
    expect(body['total_violations']).toBe(4);
    expect(body.message).toMatch(/Document: .* There are 3 more\.$/);
  });

  it.each([[['pdf/a-3b', 'pdf/a-2b']], [['pdf/ua-1', 'pdf/ua-1']], [[]], ['pdf/a-1b']])(
    'is rejected at once if conformance is %j',
    async (conformance) => {
      expectErrorResponse(await caller.convert('html', '<p>a', { conformance }), 'invalid_request', {
        field: expect.stringMatching(/^conformance/) as unknown,
      });
    },
  );
});

describe('The metadata of a PDF', () => {
  const informationOf = async (base64: string): Promise<Record<string, unknown>> => {
    const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
    const task = getDocument({ data: new Uint8Array(bytes(base64)), verbosity: 0 });
    const { info } = await (await task.promise).getMetadata();
    await task.destroy();
    return info as Record<string, unknown>;
  };
  const metadata = {
    title: 'Angebot „12“ (äöü) 中',
    author: ['A. Meier', 'Żółć'],
    subject: 'Offer <12>',
    keywords: ['paper', 'pens'],
    creator: 'Shop 2',
    custom: { CaseNumber: '12/3 \\ (x)' },
  };
  const expected = {
    Title: metadata.title,
    Author: 'A. Meier, Żółć',
    Subject: metadata.subject,
    Keywords: 'paper, pens',
    Creator: 'Shop 2',
    Custom: new Map([['CaseNumber', '12/3 \\ (x)']]),
  };

  it.each([{}, { conformance: 'pdf/a-3b' }, { header_html: '{{section}}' }])(
    'is that of the request (%j)',
    async (options) => {
      const { pdf_base64: pdf } = await caller.render('html', page('<h1>a</h1>'), { ...options, metadata });
      expect(await informationOf(pdf)).toMatchObject(expected);
      expect((await readPdf(pdf))[0]!.text).toContain('a');
    },
  );

  it('is that of the document if the request names none', async () => {
    const head =
      '<title>Own (1)</title><meta name=Author content="B"><meta name=author content=C>' +
      '<meta name=description content="About it"><meta name=keywords content="x, y">';
    const own = { Title: 'Own (1)', Author: 'B, C', Subject: 'About it', Keywords: 'x, y' };
    expect(await informationOf((await caller.render('html', page('<p>a', head))).pdf_base64)).toMatchObject(own);
    expect(
      await informationOf((await caller.render('html', page('<p>a', head), { metadata: { author: 'Me' } })).pdf_base64),
    ).toMatchObject({ ...own, Author: 'Me' });
    const markdown = '---\ntitle: T\nauthor: [Ann, Bob]\nkeywords: [k]\ndescription: D\n---\n\nText';
    expect(await informationOf((await caller.render('markdown', markdown)).pdf_base64)).toMatchObject({
      Title: 'T',
      Author: 'Ann, Bob',
      Subject: 'D',
      Keywords: 'k',
    });
  });

  it('is that of a Word file', async () => {
    const { Document, Packer, Paragraph } = await import('docx');
    const file = new Document({
      title: 'Contract',
      creator: 'Jo & Co',
      subject: 'Rent',
      keywords: 'flat, rent',
      sections: [{ children: [new Paragraph('Text')] }],
    });
    const data = (await Packer.toBuffer(file)).toString('base64');
    expect(await informationOf((await caller.render('docx', data)).pdf_base64)).toMatchObject({
      Title: 'Contract',
      Author: 'Jo & Co',
      Subject: 'Rent',
      Keywords: 'flat, rent',
    });
  });

  it('makes the same bytes for the same request', async () => {
    for (const options of [{ metadata }, { metadata, ...both }]) {
      const { id, pdf_base64: pdf } = await caller.render('html', page('<h1>a</h1><ul><li>b'), options);
      const again = await caller.request('POST', `/api/v1/renders/${id}/repeat`, { headers: {} });
      const plain = (base64: string): string =>
        withoutDates(base64).replaceAll(/(?:Create|Modify)Date>[^<]*|\/ID \[[^\]]*\]/g, '');
      expect(again.status).toBe(200);
      expect(plain(String(again.body['pdf_base64'])).length).toBe(plain(pdf).length);
    }
  });

  it.each([
    [{ title: '' }, 'metadata.title'],
    [{ title: 'a\nb' }, 'metadata.title'],
    [{ title: '\ud800 half a character' }, 'metadata.title'],
    [{ subject: 'no character \ufffe' }, 'metadata.subject'],
    [{ author: ['A', 'next\u0085line'] }, 'metadata.author'],
    [{ custom: { Note: 'a\u2028b' } }, 'metadata.custom.Note'],
    [{ custom: { Title: 'x' } }, 'metadata.custom.Title'],
    [{ custom: { 'a b': 'x' } }, 'metadata.custom'],
    [{ titel: 'x' }, 'metadata.titel'],
  ])('is rejected if it is %j', async (wrong, field) => {
    const response = await caller.convert('html', '<p>a', { metadata: wrong });
    expectErrorResponse(response, 'invalid_request', { field: expect.stringContaining(field) as unknown });
  });
});
