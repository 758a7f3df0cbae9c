import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { documents, longHeading, page as headed } from '../support/documents/conformance-documents.ts';
import { readLinks, readPdf, readStructure, withoutDates } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const both = { conformance: ['pdf/a-3b', 'pdf/ua-1'] };
const bytes = (base64: string): Uint8Array => Buffer.from(base64, 'base64');
const page = (body: string, head = '<title>Report</title>', lang = 'en'): string =>
  `<!doctype html><html lang="${lang}"><head>${head}</head><body>${body}</body></html>`;
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

describe('A PDF for PDF/UA', () => {
  it('has alternative texts of formulas and drawings', async () => {
    const structureOf = async (inputType: string, data: string) =>
      readStructure((await caller.render(inputType, data, both)).pdf_base64);
    const formulas = await structureOf('markdown', '# Formulas\n\nA fraction $\\frac{1}{2}$ in text.\n\n$$\nx^2\n$$');
    expect(formulas.alternativeTexts).toEqual(['\\frac{1}{2}', 'x^2']);
    expect(formulas.roles.filter((role) => role === 'Formula')).toHaveLength(2);
    const drawings =
      '<p>a <svg width=9 height=9 aria-label="Sales"><rect width=9 height=9 /></svg>' +
      '<svg><title>Costs</title><rect width=9 height=9 /></svg>' +
      '<svg width=9 height=9 aria-hidden="true"><rect width=9 height=9 /></svg>';
    expect((await structureOf('html', page(drawings))).alternativeTexts).toEqual(['Sales', 'Costs']);
  });

  it('numbers headings by their nesting, whatever levels the document uses', async () => {
    const [, html] = documents['headings']!;
    const { pdf_base64: pdf } = await caller.render('html', html, both);
    const levels = (await readStructure(pdf)).roles.filter((role) => /^H\d$/.test(role));
    expect(levels).toEqual(['H1', 'H2', 'H2', 'H1', 'H2']);
  });
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
    const response = await caller.convert('html', headed(body), { conformance: 'pdf/ua-1' });
    expectErrorResponse(response, 'conformance_not_met', {
      violations: [{ standard: `ISO 14289-1, ${clause}`, element, message: expect.stringMatching(message) as unknown }],
      total_violations: 1,
    });
  });

  it('is a violation in a part of a composed document', async () => {
    const part = { mode: 'CONVERT', input_type: 'html', data: headed('<iframe srcdoc="<p>inside"></iframe>') };
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
    for (const [html, conformance] of [
      [hidden, 'pdf/ua-1'],
      [frame, 'pdf/a-3b'],
    ] as const)
      expect((await caller.convert('html', headed(html), { conformance })).status, html).toBe(200);
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
    [
      'a character without a glyph in a font that becomes one of drawings',
      page('<p style="font-family:\'Noto Sans CJK JP\'">漢字&#xF0000;'),
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
