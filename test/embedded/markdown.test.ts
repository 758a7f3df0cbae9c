import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, type ApiClient, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { findTextRun, type PdfPage, pdfBytes } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const first = async (text: string, options: Body = {}): Promise<PdfPage> =>
  (await caller.renderedPages('markdown', text, options))[0]!;

/** The fonts of a PDF, and the vertical positions of what its links lead to, in points from the bottom. */
const readStructure = async (base64: string) => {
  const task = getDocument({ data: new Uint8Array(pdfBytes(base64)), verbosity: 0, useSystemFonts: true });
  const document = await task.promise;
  try {
    const page = await document.getPage(1);
    const links = (await page.getAnnotations()) as { subtype: string; dest?: unknown }[];
    const { info } = await document.getMetadata();
    return { info: info as Record<string, unknown>, internalLinks: links.filter(({ dest }) => Boolean(dest)).length };
  } finally {
    await task.destroy();
  }
};

describe('Markdown with front matter', () => {
  const yaml = '---\ntitle: Annual report\nauthor: Ada\npage_size: A5\norientation: landscape\nmargin_left: 40\n';

  it('has the page that the front matter names', async () => {
    const page = await first(`${yaml}---\n\nMARK`);
    expect([page.width, page.height]).toEqual([expect.closeTo(210, 0), expect.closeTo(148, 0)]);
    expect(findTextRun(page, 'MARK').left).toBeCloseTo(40, 0);
    expect(page.text).toMatch(/^Annual report\s+Ada\s+MARK/);
  });

  it('has the options of the request where both name one, and the defaults elsewhere', async () => {
    const page = await first(`${yaml}---\n\nMARK`, { page_size: 'A3', margin_left: '30mm' });
    expect([page.width, page.height]).toEqual([expect.closeTo(420, 0), expect.closeTo(297, 0)]);
    expect(findTextRun(page, 'MARK').left).toBeCloseTo(30, 0);
    const sized = await first(`---\npage_size: A5\n---\nMARK`, { width: '10cm', height: '12cm' });
    expect([sized.width, sized.height]).toEqual([expect.closeTo(100, 0), expect.closeTo(120, 0)]);
  });

  it('has its header and footer', async () => {
    const text = '---\nfooter_html: "<p>FOOT {{page}}/{{total}}</p>"\n---\nMARK';
    expect((await first(text)).text).toContain('FOOT 1/1');
    expect((await first(text, { footer_html: '<p>OTHER</p>' })).text).not.toContain('FOOT');
  });

  it('has its title in the PDF', async () => {
    const { pdf_base64: pdf } = await caller.render('markdown', `${yaml}---\n\n# Heading`);
    expect((await readStructure(pdf)).info['Title']).toBe('Annual report');
  });

  it('is refused with the line of a wrong value', async () => {
    const response = await caller.convert('markdown', '---\ntitle: x\npage_size: A99\n---\ntext');
    expect(expectErrorResponse(response, 'invalid_markdown', { line: 3 }).message).toContain('page_size');
  });

  it('is refused with all wrong values at once, in the order of their lines', async () => {
    const text = '---\nscale: 9\ntoc: maybe\nlang: "???"\npage_size: A99\nmargin_top: wide\n---\ntext';
    const response = await caller.convert('markdown', text);
    const body = expectErrorResponse(response, 'invalid_markdown', { line: 2 });
    const errors = body['errors'] as { error: string; message: string; line: number }[];
    expect(errors.map(({ error, line }) => `${error} ${line}`)).toEqual(
      [2, 3, 4, 5, 6].map((line) => `invalid_markdown ${line}`),
    );
    for (const [at, key] of ['scale', 'toc', 'lang', 'page_size', 'margin_top'].entries())
      expect(errors[at]!.message).toContain(`wrong value of ${key} on line ${at + 2}`);
    const job = await caller.request('GET', `/api/v1/jobs/${String(body['render_id']).replace('render_', 'job_')}`);
    expect(job.body).toMatchObject({ status: 'FAILED', error: 'invalid_markdown' });
  });

  it('has a warning for a key that looks like a misspelt option, and none for keys of other programs', async () => {
    const text = '---\nlayout: post\nweight: 10\npage_szie: A5\nmarginTop: 5\npage_title: x\n---\nMARK';
    const { warnings } = await caller.render('markdown', text);
    expect(warnings).toEqual([
      {
        type: 'option_ignored',
        option: 'page_szie',
        reason: 'Line 4 of the front matter: did you mean page_size?',
        message: 'The option page_szie was ignored. Line 4 of the front matter: did you mean page_size?',
      },
      expect.objectContaining({ type: 'option_ignored', option: 'marginTop' }),
    ]);
  });

  it('has a warning for an option of another program, and for one that only a request can have', async () => {
    const { warnings } = await caller.render('markdown', '---\nlandscape: true\nkeep_pdf: true\n---\nMARK');
    expect(warnings).toEqual([
      expect.objectContaining({
        type: 'option_ignored',
        option: 'landscape',
        reason: 'Line 2 of the front matter: write orientation instead. Example: orientation: landscape.',
      }),
      expect.objectContaining({
        type: 'option_ignored',
        option: 'keep_pdf',
        reason: 'Line 3 of the front matter: send keep_pdf in the request.',
      }),
    ]);
  });

  it('has the same bytes when it is rendered again', async () => {
    const render = () => caller.render('markdown', `${yaml}---\n\n$x^2$ "a"`);
    const { id } = await render();
    const diagnosed = await caller.request('GET', `/api/v1/jobs/${id.replace('render_', 'job_')}?diagnostics=true`);
    expect(diagnosed.body['diagnostics']).toMatchObject({ same_bytes: true });
  });
});

describe('Markdown', () => {
  it('shows formulas in a font for mathematics, and prices as text', async () => {
    const page = await first('It costs $5 and $10: $E = mc^2$ and\n\n$$\\sum_{n=1}^\\infty \\frac{1}{n^2}$$');
    expect(page.text).toContain('It costs $5 and $10:');
    expect(page.text).toMatch(/𝐸.*=.*𝑚.*𝑐/u);
    expect(page.text).toContain('∑');
    expect(page.text).not.toContain('\\');
  });

  it('warns of a formula that is wrong, and prints its source', async () => {
    const { warnings } = await caller.render('markdown', 'text\n\n$\\frac{1}{$');
    expect(warnings).toEqual([
      {
        type: 'invalid_formula',
        line: 3,
        source: '\\frac{1}{',
        message: expect.stringContaining('line 3'),
        reason: expect.any(String),
      },
    ]);
    expect((await first('text\n\n$\\frac{1}{$')).text).toContain('\\frac{1}{');
  });

  it('warns of cells and footnotes that the PDF leaves out, with their lines', async () => {
    const { warnings } = await caller.render('markdown', '| a |\n|---|\n| 1 | 9.50 |\n\n[^1]: Subject to change.');
    expect(warnings).toEqual([
      {
        type: 'content_left_out',
        content: 'cells beyond the columns of the table header',
        count: 1,
        line: 3,
        source: '9.50',
        message: expect.stringContaining('line 3: 9.50'),
      },
      {
        type: 'content_left_out',
        content: 'footnotes that nothing refers to',
        count: 1,
        line: 5,
        source: '[^1]',
        message: expect.stringContaining('line 5: [^1]'),
      },
    ]);
  });

  it('has the marks of items without a box in a list of tasks, whose lines begin at the same place', async () => {
    const page = await first(`1. [ ] open ${'text '.repeat(40)}LAST\n2. plain`);
    expect(page.text).toContain('2. plain');
    const open = findTextRun(page, 'open');
    const wrapped = page.runs.find(({ text, top }) => text.startsWith('text') && top > open.top + 1);
    expect(wrapped?.left).toBeCloseTo(open.left, 0);
  });

  it('shows what is in closed details, which a reader could not open', async () => {
    const page = await first('<details><summary>More</summary>\n\nInside **here**\n\n</details>');
    expect(page.text).toMatch(/More\s+Inside here/);
  });

  it.each([
    ['a paragraph', (image: string) => `Beside ${image} caption`],
    ['a list', (image: string) => `- Beside ${image} caption`],
    ['a quotation', (image: string) => `> Beside ${image} caption`],
    ['a table', (image: string) => `|a|b|\n|-|-|\n|Beside|${image} caption|`],
  ])('has an image as high as the page on one page with the text beside it, in %s', async (_, textWith) => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="1600"><rect width="150" height="1600"/></svg>';
    const image = `![An image](data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')})`;
    const pages = await caller.renderedPages('markdown', `First\n\n${textWith(image)}\n\nLast`);
    // Letters that cross the end of a page are in both pages.
    const text = pages.map((page) => page.text.replaceAll(/[\s•]/g, '')).join('');
    expect(text).toMatch(/^First(ab)?BesidecaptionLast$/);
  });

  it('has a table of contents whose links lead to the headings', async () => {
    const { pdf_base64: pdf } = await caller.render('markdown', '[[toc]]\n\n# Überschrift\n\n# Two & "three"');
    expect((await readStructure(pdf)).internalLinks).toBe(2);
  });

  it('has the quotation marks of the requested language, and no arrows after footnotes', async () => {
    expect((await first('"a"[^1]\n\n[^1]: note', { locale: 'de-AT' })).text).toMatch(/„a“[^↩]*note[^↩]*$/);
  });
});
