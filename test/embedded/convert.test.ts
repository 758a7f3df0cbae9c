import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { sampleDocument } from '../support/documents/sample-documents.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const textOf = async (inputType: string, data: unknown): Promise<string> =>
  (await caller.renderedPages(inputType, data)).map(({ text }) => text).join('\n');

describe('A conversion', () => {
  it('returns the complete Render object', async () => {
    const before = Date.now();
    const rendered = await caller.render('html', '<h1>Hello</h1>');
    const bytes = Buffer.from(rendered.pdf_base64, 'base64');
    expect(bytes.toString('latin1', 0, 5)).toBe('%PDF-');
    expect(rendered).toEqual({
      id: expect.stringMatching(/^render_[0-9A-Z]{26}$/),
      status: 'DONE',
      pdf_base64: expect.any(String),
      pages: 1,
      file_size_kb: Math.round((bytes.length / 1024) * 100) / 100,
      duration_ms: expect.any(Number),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Date.parse(rendered.created_at)).toBeGreaterThanOrEqual(before);
  });

  it.each([
    ['html', 'invoice.html', ['Invoice 2025-017', 'Hafenstraße 8', '2,197.25 €']],
    [
      'markdown',
      'release-notes.md',
      [
        'Release notes 4.2',
        'Rotate the signing key',
        'Export, large',
        'createClient',
        'Only accounts on the current plan',
      ],
    ],
    [
      'docx',
      'agreement.docx',
      ['Service agreement', 'booking platform', 'our terms page', 'Fees rise with the index of consumer prices'],
    ],
    ['csv', 'orders.csv', ['Unit price', 'SO-10400', 'Desk lamp, brass']],
    ['json', 'order.json', ['12345678901234567890', 'Chloé Dupont', '12 rue des Lilas']],
    ['json', 'customers.json', ['María Petrova', 'user1@example.com', '10491.12']],
    ['xml', 'catalogue.xml', ['Spring catalogue', 'CH-100', 'Chaise de bureau']],
  ])('%s (%s) keeps its text', async (inputType, name, parts) => {
    const text = await textOf(inputType, sampleDocument(name));
    for (const part of parts) expect(text.replaceAll(/\s+/g, ' ')).toContain(part);
    expect(text.length).toBeGreaterThan(200);
  });

  it('repeats the header row of a long table on every page', async () => {
    const pages = await caller.renderedPages('csv', sampleDocument('orders.csv'));
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page.text).toContain('Customer');
  });

  it('returns the page count of the PDF', async () => {
    const rendered = await caller.render('html', '<p>1<p style="break-before:page">2<p style="break-before:page">3');
    expect(rendered.pages).toBe(3);
    expect(await readPdf(rendered.pdf_base64)).toHaveLength(3);
  });

  it('accepts text in base64, with or without a data: prefix', async () => {
    const base64 = Buffer.from('<p>in sixteen or more characters</p>').toString('base64');
    expect(await textOf('html', base64)).toContain('in sixteen or more characters');
    expect(await textOf('html', `data:text/html;base64,${base64}`)).toContain('in sixteen or more characters');
  });

  it('does not decode text that only looks like base64', async () => {
    expect(await textOf('html', 'abcdefghijklmnop')).toContain('abcdefghijklmnop');
  });

  it('accepts JSON as a string, an object or an array', async () => {
    expect(await textOf('json', '{"fruit":"quince"}')).toContain('quince');
    expect(await textOf('json', { fruit: 'medlar' })).toContain('medlar');
    expect(await textOf('json', [{ fruit: 'sorb' }, { fruit: 'sloe' }])).toContain('sloe');
  });

  it('prints the changes that a script makes', async () => {
    const text = await textOf(
      'html',
      '<p id="p">before</p><script>document.getElementById("p").textContent = "made by " + [1, 2].length + " scripts"</script>',
    );
    expect(text).toContain('made by 2 scripts');
  });

  it('contains nothing of the previous document', async () => {
    await caller.render(
      'html',
      '<script>globalThis.left = "behind"; try { localStorage.x = "behind" } catch {}</script><p>first</p>',
    );
    const text = await textOf(
      'html',
      '<p id="p"></p><script>let s; try { s = localStorage.x } catch { s = "none" } ' +
        'document.getElementById("p").textContent = `found ${globalThis.left} ${s}`</script>',
    );
    expect(text).not.toContain('behind');
  });
});
