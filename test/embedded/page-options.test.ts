import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, type ApiClient, createClient } from '../support/client/api-client.ts';
import { findTextRun, type PdfPage, readPdf, readPdfWithColours, type TextRun } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const block = '<body style="margin:0"><div style="font:20px/20px monospace">MARK</div>';
const first = async (options: Body, html = block): Promise<PdfPage> =>
  (await caller.renderedPages('html', html, options))[0]!;
const mark = async (options: Body, html = block): Promise<TextRun> => findTextRun(await first(options, html), 'MARK');

describe('The page options', () => {
  it.each([
    ['A4', 210, 297],
    ['A3', 297, 420],
    ['Letter', 215.9, 279.4],
    ['Legal', 215.9, 355.6],
    ['Tabloid', 279.4, 431.8],
  ])('give %s a page of %d by %d mm, rotated for landscape', async (page_size, width, height) => {
    const portrait = await first({ page_size });
    expect([portrait.width, portrait.height]).toEqual([expect.closeTo(width, 0), expect.closeTo(height, 0)]);
    const landscape = await first({ page_size, orientation: 'landscape' });
    expect([landscape.width, landscape.height]).toEqual([expect.closeTo(height, 0), expect.closeTo(width, 0)]);
  });

  it.each([
    [{ page_size: 'a5' }, 148, 210],
    [{ page_size: 'jis-b5' }, 182, 257],
    [{ page_size: 'B0', orientation: 'landscape' }, 1414, 1000],
    [{ width: '8.5in', height: '600px' }, 215.9, 158.8],
    [{ width: 100, height: '20cm', orientation: 'landscape' }, 200, 100],
    [{ width: '5000mm', height: 100 }, 5000, 100],
  ])('accept %j: a page of %d by %d mm', async (options, width, height) => {
    const page = await first({ ...options, margin_left: '5mm' });
    expect([page.width, page.height]).toEqual([expect.closeTo(width, 0), expect.closeTo(height, 0)]);
    expect(findTextRun(page, 'MARK').left).toBeCloseTo(5, 0);
  });

  it('print the pages of page_ranges with the page numbers of the document', async () => {
    const pages = Array.from({ length: 5 }, (_, at) => `<p style="break-after:page">text ${at + 1}`).join('');
    const html = `${pages}<p>text 6`;
    const header_html = 'No {{page}} of {{total}}';
    const rendered = await caller.render('html', html, { page_ranges: '5-, 2', header_html });
    const texts = (await readPdf(rendered.pdf_base64)).map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());
    expect(rendered.pages).toBe(3);
    expect(texts.map((text) => [/text \d/.exec(text)?.[0], /No \d of \d/.exec(text)?.[0]])).toEqual([
      ['text 2', 'No 2 of 6'],
      ['text 5', 'No 5 of 6'],
      ['text 6', 'No 6 of 6'],
    ]);
    expect(await caller.renderedPages('html', html, { page_ranges: '6-999999' })).toHaveLength(1);
    expect((await caller.convert('html', html, { page_ranges: '7-9' })).body).toMatchObject({
      error: 'conversion_failed',
      message: 'The document has 6 pages; page_ranges "7-9" has none of them.',
      field: 'page_ranges',
      details: { pages: 6 },
    });
  });

  it('are by default A4 portrait with margins of 20 and 15 mm', async () => {
    const plain = await first({});
    const spelt = await first({
      page_size: 'A4',
      orientation: 'portrait',
      margin_top: 20,
      margin_bottom: 20,
      margin_left: 15,
      margin_right: 15,
      scale: 1,
      print_background: true,
    });
    expect(plain).toEqual(spelt);
    expect(findTextRun(plain, 'MARK').left).toBeCloseTo(15, 0);
  });

  it('move the text with the top and left margins', async () => {
    const [near, far] = [
      await mark({ margin_top: 0, margin_left: 0 }),
      await mark({ margin_top: 100, margin_left: 60 }),
    ];
    expect(far.top - near.top).toBeCloseTo(100, 0);
    expect(far.left - near.left).toBeCloseTo(60, 0);
    expect(near.left).toBeCloseTo(0, 0);
  });

  it('end lines at the right margin and pages at the bottom margin', async () => {
    const right = '<body style="margin:0"><div style="text-align:right;font:20px monospace">MARK</div>';
    expect((await mark({ margin_right: 10 }, right)).left - (await mark({ margin_right: 70 }, right)).left).toBeCloseTo(
      60,
      0,
    );
    const tall = '<body style="margin:0"><div style="height:160mm">upper</div><div style="height:60mm">lower</div>';
    expect(await caller.renderedPages('html', tall, { margin_top: 20, margin_bottom: 20 })).toHaveLength(1);
    expect(await caller.renderedPages('html', tall, { margin_top: 20, margin_bottom: 90 })).toHaveLength(2);
  });

  it('scale the text', async () => {
    const usual = (await mark({})).size;
    expect((await mark({ scale: 2 })).size).toBeCloseTo(usual * 2, 1);
    expect((await mark({ scale: 0.5 })).size).toBeCloseTo(usual / 2, 1);
  });

  it('print backgrounds unless print_background is false', async () => {
    const coloured = '<body style="margin:0"><div style="background:#c81e64;width:50mm;height:50mm">MARK</div>';
    const coloursOf = async (options: Body): Promise<string[]> => {
      const { pdf_base64: pdf } = await caller.render('html', coloured, options);
      return (await readPdfWithColours(pdf))[0]!.colours;
    };
    expect(await coloursOf({})).toContain('#c81e64');
    expect(await coloursOf({ print_background: false })).not.toContain('#c81e64');
  });

  it.each(['', '<script>1</script>'])('emulate the print medium by default, or the screen (%j)', async (script) => {
    const style = '<style>@media screen { .p { display: none } } @media print { .s { display: none } }</style>';
    const html = `${style}<p class="p">for paper</p><p class="s">for screens</p>${script}`;
    expect((await first({}, html)).text.trim()).toBe('for paper');
    expect((await first({ emulate_media: 'screen' }, html)).text.trim()).toBe('for screens');
    expect((await first({ emulate_media: 'print' }, html)).text.trim()).toBe('for paper');
  });

  it('wait for late changes of a script for wait_time', async () => {
    const lateAfter = (milliseconds: number): string =>
      `<p id="p">early</p><script>setTimeout(() => { p.textContent = "late" }, ${milliseconds})</script>`;
    expect((await first({}, lateAfter(3_600_000))).text.trim()).toBe('early');
    expect((await first({ wait_time: 999.5 }, lateAfter(300))).text.trim()).toBe('late');
  });

  it('print the document at domcontentloaded, at load or at networkidle', async () => {
    const script = 'addEventListener("load", () => { document.getElementById("p").textContent = "loaded"; })';
    const html = `<p id="p">parsed</p><script>${script}</script>`;
    expect((await first({ wait_for: 'load' }, html)).text.trim()).toBe('loaded');
    expect((await first({ wait_for: 'networkidle' }, html)).text.trim()).toBe('loaded');
    expect((await first({ wait_for: 'domcontentloaded' }, html)).text.trim()).toMatch(/^(parsed|loaded)$/);
  });

  it('name the default margins that leave no room on a small page, and what to send', async () => {
    const response = await caller.convert('html', block, { page_size: 'A10' });
    expect(response.body.message).toMatch(
      /26 x 37 mm.*Send smaller values for margin_top, margin_bottom, margin_left, margin_right\. The default margins are 20 mm/,
    );
    expect(response.body['details']).toMatchObject({ field: 'margin_top', sheet_mm: { width: 26, height: 37 } });
    const low = await caller.convert('html', block, { page_size: 'A10', margin_left: 1, margin_right: 1 });
    expect(low.body.message).toContain('Send smaller values for margin_top, margin_bottom.');
  });

  it('reject a header that leaves no room for the text', async () => {
    const response = await caller.convert('html', block, { header_html: '<div style="height:290mm">tall</div>' });
    expect([response.status, response.body.error]).toEqual([422, 'conversion_failed']);
    expect(response.body.message).toMatch(
      /leave no room for the text.*Send smaller values for header_html, margin_bottom/,
    );
    expect(response.body['details']).toMatchObject({ field: 'header_html' });
    const narrow = await first({
      orientation: 'landscape',
      margin_top: 100,
      margin_bottom: 100,
      margin_left: 100,
      margin_right: 100,
    });
    expect(narrow.text.trim()).toBe('MARK');
  });
});
