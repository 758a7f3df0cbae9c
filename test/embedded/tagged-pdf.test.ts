import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { readPdf, readStructure, withoutDates } from '../support/documents/read-pdf.ts';
import { readReadingOrder } from '../support/documents/read-structure-text.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
});

const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const html = `<!doctype html><html lang="de"><title>Bericht</title><h1>Ergebnis</h1>
<p>Text <a href="https://example.com/">Verweis</a></p><img alt="Ein Punkt" src="${dot}" width="9" height="9">
<table><thead><tr><th>A<th>B</thead><tr><td>1<td>2</table><h2>Anhang</h2><ul><li>eins<li>zwei</ul>
<p style="break-before:page">Zweite Seite`;
const structureOf = async (options: Body, source = html) =>
  readStructure((await caller.render('html', source, options)).pdf_base64);

describe('A tagged PDF', () => {
  it('has headings, links, tables with header cells, lists and alternative texts', async () => {
    const { isTagged, roles, alternativeTexts, outline } = await structureOf({ tagged: true });
    expect(isTagged).toBe(true);
    expect(roles).toEqual(expect.arrayContaining(['H1', 'P', 'Link', 'Figure', 'Table', 'TH', 'TD', 'H2', 'L', 'LI']));
    expect(roles.indexOf('H1')).toBeLessThan(roles.indexOf('H2'));
    expect(alternativeTexts).toEqual(['Ein Punkt']);
    expect(outline).toEqual([]);
  });

  it('is made only if the request asks for it', async () => {
    expect(await structureOf({})).toEqual({ isTagged: false, roles: [], alternativeTexts: [], outline: [] });
    expect(await structureOf({ tagged: false, outline: false })).toMatchObject({ isTagged: false, outline: [] });
  });

  it.each([
    ['a header of the browser', { header_html: 'Seite {{page}}' }, 'Seite 1'],
    ['a header with the section', { header_html: '{{section}} {{page}}' }, 'Ergebnis 1'],
  ])('keeps its structure with %s, which is not part of it', async (_, options, header) => {
    const { pdf_base64: pdf } = await caller.render('html', html, { ...options, tagged: true, outline: true });
    expect((await readPdf(pdf))[0]!.text).toContain(header);
    const { roles, outline } = await readStructure(pdf);
    expect(roles).toEqual((await structureOf({ tagged: true })).roles);
    expect(outline).toEqual(['Ergebnis', ' Anhang']);
  });

  it('has the texts of the headings in its outline, however their lines are broken', async () => {
    const headings: [text: string, html: string][] = [
      ['It certainly needs more space than that line has', '<h1>It certainly needs more space than that line has</h1>'],
      ['Extraordinarily characteristically', '<h2 style="hyphens:auto">Extraordinarily characteristically</h2>'],
      ['extraordinarily', '<h2>extra&shy;ordin&shy;arily</h2>'],
      [
        'مرحبا بالعالم، هذا نص عربي English 123 مختلط',
        '<h2 dir=rtl lang=ar>مرحبا بالعالم، هذا نص عربي English 123 مختلط</h2>',
      ],
      ['Emoji 😀 👨‍👩‍👧‍👦 family 🇩🇪 flag', '<h2>Emoji 😀 👨‍👩‍👧‍👦 family 🇩🇪 flag</h2>'],
      ['office ﬁ fi', '<h2>office <b>ﬁ</b> fi</h2>'],
      ['first second', '<h2>first<br>second</h2>'],
      ['数学的な見出しは改行されます', '<h2>数学的な見出しは改行されます</h2>'],
      ['1. numbered by a style sheet', '<h2 class=n>numbered by a style sheet</h2>'],
      ['with a mark (new)', '<h2 class=a>with a mark</h2>'],
      ['(brackets) \\ and a backslash', '<h2>(brackets) \\ and a backslash</h2>'],
    ];
    const style =
      'body { width: 120px } .n { counter-increment: n } .n::before { content: counter(n) ". " } ' +
      '.a::after { content: " (new)" }';
    const hidden = '<h2 style="display:none">hidden</h2>';
    const html = `<!doctype html><html lang="en"><title>T</title><style>${style}</style>`;
    const document = html + headings.map(([, heading]) => heading + hidden).join('<p>text');
    for (const options of [{}, { header_html: '{{section}}' }, { conformance: 'pdf/a-3b' }]) {
      const { pdf_base64: pdf } = await caller.render('html', document, { ...options, outline: true });
      const { outline } = await readStructure(pdf);
      expect(outline.map((text) => text.trim())).toEqual(headings.map(([text]) => text));
    }
  });

  it('has what a style sheet adds to the headings in its outline', async () => {
    const style =
      'body { counter-reset: part } h1 { counter-increment: part; counter-reset: chapter } ' +
      'h1::before { content: "Part " counter(part, upper-roman); display: block } ' +
      'h2 { counter-increment: chapter; counter-reset: clause } h2::before { content: counter(chapter) ". " } ' +
      'h3 { counter-increment: clause } h3::before { content: counter(chapter) "." counter(clause, lower-alpha) "\\a0" } ' +
      'ol { counter-reset: item; list-style: none } ol > li { counter-increment: item } ' +
      'li > h4::before { content: counters(item, ".") " " } h5::after { content: " \\"new\\"" / "new" } ' +
      'h5::before { content: url(data:,) "x" } h6::before { content: "\\e900" }';
    // The input hides the member children of its form.
    const body =
      '<form><input type=hidden name=children><h1>Law</h1><h2>Money</h2><h3>Fees</h3><h3>Taxes</h3>' +
      '<h2>Time</h2><h3>Terms</h3><h1>Annex</h1><h2>Prices</h2>' +
      '<ol><li><h4>Outer</h4><ol><li><h4>Inner</h4></ol><li><h4>Next</h4></ol><h5>Marked</h5><h6>Icon</h6>';
    const { outline } = await structureOf({ outline: true }, `<style>${style}</style>${body}`);
    expect(outline.map((text) => text.trim())).toEqual([
      ...['Part I Law', '1. Money', '1.a Fees', '1.b Taxes', '2. Time', '2.a Terms', 'Part II Annex', '1. Prices'],
      ...['1 Outer', '1.1 Inner', '2 Next', 'Marked "new"', 'Icon'],
    ]);
  });

  it('keeps its structure with page ranges, a script and a converted document', async () => {
    expect((await structureOf({ tagged: true, page_ranges: '2' })).roles).toContain('P');
    const scripted = `${html}<script>document.body.append(document.createElement('h3'))</script>`;
    expect((await structureOf({ tagged: true }, scripted)).roles).toContain('H2');
    const markdown = await caller.render('markdown', '# One\n\n## Two\n\n- a\n', { tagged: true, outline: true });
    expect(await readStructure(markdown.pdf_base64)).toMatchObject({
      roles: expect.arrayContaining(['H1', 'H2', 'L']) as unknown,
      outline: ['One', ' Two'],
    });
  });

  it('presents the header of a table once, not on each page, if it is accessible', async () => {
    const rows = Array.from({ length: 90 }, (_, row) => `<tr style="background:#eee"><td>${row}<td>x`).join('');
    const table = `<html lang=en><title>T</title><table><thead><tr><th>Number<th>Letter</thead>${rows}</table>`;
    const { pdf_base64: pdf } = await caller.render('html', table, { conformance: 'pdf/ua-1' });
    const pages = await readPdf(pdf);
    expect(pages.map(({ text }) => text.includes('Number'))).toEqual(pages.map(() => true));
    const headers = (await readReadingOrder(pdf)).map((line) => line.replace(/^Table \w+: /, ''));
    expect(headers).toEqual(['Number | Letter', ...Array.from({ length: pages.length - 1 }, () => ' | ')]);
    expect(pages.length).toBeGreaterThan(1);
  });

  it('is the same for the same request', async () => {
    const render = () => caller.request('POST', `/api/v1/renders/${id}/repeat`, { headers: {} });
    const { id, pdf_base64: pdf } = await caller.render('html', html, { tagged: true, outline: true });
    expect(withoutDates(String((await render()).body['pdf_base64']))).toBe(withoutDates(pdf));
  });
});

describe('An outline', () => {
  it('has a bookmark for each heading, in a PDF that is tagged', async () => {
    const { isTagged, outline } = await structureOf({ outline: true });
    expect([isTagged, outline]).toEqual([true, ['Ergebnis', ' Anhang']]);
  });

  it('has all texts of headings that are not longer than a million letters with those inside them', async () => {
    const lastOf = async (letters: number): Promise<string | undefined> => {
      const nested = `${'<div role=heading>'.repeat(3)}<p>${'Words '.repeat(letters / 18)}${'</div>'.repeat(3)}`;
      const document = `<style>p { font-size: 1px }</style>${nested}<h1>Last<br>one</h1>`;
      return (await structureOf({ outline: true }, document)).outline.at(-1);
    };
    expect([await lastOf(950_000), await lastOf(1_050_000)]).toEqual(['Last one', 'Lastone']);
  });

  it('is empty in a document without headings', async () => {
    expect((await structureOf({ outline: true }, '<p>Text')).outline).toEqual([]);
  });
});
