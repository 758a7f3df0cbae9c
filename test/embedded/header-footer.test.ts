import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { findTextRun, type PdfPage, readPdf } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const threePages = '<p>one<p style="break-before:page">two<p style="break-before:page">three';

describe.each(['', '<script>1</script>'])('Header and footer (%j)', (script) => {
  it('are on every page, with its number and the total', async () => {
    const pages = await caller.renderedPages('html', threePages + script, {
      header_html: '<b>Sheet {{page}}</b> of {{total}}',
      footer_html: 'End of {{page}}/{{total}}',
    });
    expect(pages).toHaveLength(3);
    for (const [index, { text }] of pages.entries()) {
      expect(text.replaceAll(/\s+/g, ' ')).toContain(`Sheet ${index + 1} of 3`);
      expect(text.replaceAll(/\s+/g, ' ')).toContain(`End of ${index + 1}/3`);
    }
  });

  it('show the date of the request', async () => {
    const rendered = await caller.render('html', `<p>x</p>${script}`, { header_html: 'On {{date}}.' });
    const pages = await caller.renderedPages('html', `<p>x</p>${script}`, { header_html: 'On {{date}}.' });
    expect(pages[0]!.text).toContain(`On ${rendered.created_at.slice(0, 10)}.`);
  });

  it('are in the margins, the header above the text and the footer below it', async () => {
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, {
      header_html: 'HEAD',
      footer_html: 'FOOT',
    });
    expect(findTextRun(page!, 'HEAD').top).toBeLessThan(20);
    expect(findTextRun(page!, 'TEXT').top).toBeGreaterThan(20);
    expect(findTextRun(page!, 'FOOT').top).toBeGreaterThan(297 - 20);
  });

  it('increase a margin that is smaller than the header', async () => {
    const options = { header_html: 'HEAD', header_height: 60, margin_top: 5 };
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, options);
    const [without] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, { margin_top: 5 });
    expect(findTextRun(page!, 'TEXT').top - findTextRun(without!, 'TEXT').top).toBeCloseTo(55, 0);
    expect(findTextRun(page!, 'HEAD').top).toBeLessThan(60);
  });

  it('do not change header and footer of the next document', async () => {
    await caller.renderedPages('html', `<p>x</p>${script}`, { header_html: 'HEAD' });
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`);
    expect(page!.text.trim()).toBe('TEXT');
  });

  it('have a font size of at least 7 points', async () => {
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, {
      header_html: 'HEAD',
      footer_html: 'FOOT',
    });
    expect(findTextRun(page!, 'HEAD').size).toBeGreaterThanOrEqual(7);
    expect(findTextRun(page!, 'FOOT').size).toBeGreaterThanOrEqual(7);
  });

  it('run no scripts', async () => {
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, {
      header_html: '<script>document.body.textContent = "run"</script>A &amp; B',
    });
    expect(page!.text).toContain('A & B');
    expect(page!.text).not.toContain('run');
  });
});

const chapters =
  '<title>The <i>report</title><h1>First</h1><h2>Part</h2><p style="break-after:page">a' +
  '<p style="break-after:page">b<h2>Next</h2><h2>Last</h2><p style="break-after:page">c<p>d';
const sectionOf = ({ text }: PdfPage): string | undefined =>
  /\[(.*?)\]/.exec(text.normalize('NFKC').replaceAll(/\s+/g, ' '))?.[1];

describe.each(['', '<script>1</script>'])('{{section}} (%j)', (script) => {
  const sections = async (html: string, options: Body = {}) =>
    (await caller.renderedPages('html', html + script, { header_html: '[{{section}}]', ...options })).map(sectionOf);

  it('is the first h1 or h2 that starts on the page, else the last one before it', async () => {
    expect(await sections(chapters)).toEqual(['First', 'Part', 'Next', 'Last']);
    expect(await sections('<p style="break-after:page">a<h1>B</h1>')).toEqual(['', 'B']);
    expect(await sections('<p>no heading')).toEqual(['']);
    expect(await sections('<h1 hidden>x</h1><h3>y</h3><h1> </h1>')).toEqual(['']);
  });

  it('is the text of the heading, with any characters', async () => {
    const texts = ['a &lt;b&gt; &amp; "c"', '<b>bold</b>  text', '{{page}}', 'x] /Overlay 1 0 R (', '日本語'];
    const html = texts.map((text) => `<h1 style="break-after:page">${text}</h1>`).join('');
    expect(await sections(`${html}end`)).toEqual([
      'a <b> & "c"',
      'bold text',
      '{{page}}',
      'x',
      ...['日本語', '日本語'],
    ]);
  });

  it('follows headings with ids of their own, also repeated and unusual ones, and keeps their links', async () => {
    const ids = ['plain', 'same', 'two words', 'same', 'é', ''];
    const headings = ids.map((id, index) => `<h2 id="${id}" style="break-after:page">H${index}</h2>`).join('');
    expect(await sections(`${headings}<a href="#plain">to the first</a>`)).toEqual([
      ...ids.map((_, index) => `H${index}`),
      'H5',
    ]);
  });

  it('works with page_ranges and scale: the pages keep their numbers and sections', async () => {
    const header_html = '[{{section}} {{page}}/{{total}}]';
    expect(await sections(chapters, { page_ranges: '2, 4-', header_html })).toEqual(['Part 2/4', 'Last 4/4']);
    expect(await sections(chapters, { scale: 0.5, orientation: 'landscape', header_html })).toEqual([
      'First 1/4',
      'Part 2/4',
      'Next 3/4',
      'Last 4/4',
    ]);
  });

  it('works on pages of different sizes', async () => {
    const css = '<style>@page{size:A5}@page w{size:A5 landscape}.w{page:w}</style>';
    const html = `${css}<h1>One</h1><div class="w"><h1>Two</h1></div><p>three`;
    const footer_html = '<p style="text-align:right">FOOT';
    const pages = await caller.renderedPages('html', html + script, {
      prefer_css_page_size: true,
      header_html: '[{{section}}]',
      footer_html,
    });
    expect(pages.map((page) => [Math.round(page.width), sectionOf(page)])).toEqual([
      [148, 'One'],
      [210, 'Two'],
      [148, 'Two'],
    ]);
    for (const page of pages) {
      expect(findTextRun(page, 'FOOT').right).toBeCloseTo(page.width - 15, 0);
      expect(findTextRun(page, 'FOOT').top).toBeGreaterThan(page.height - 20);
    }
  });
});

describe('Headers and footers', () => {
  // In one of the two it is another day than in UTC, at any time.
  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])('show the date in %s, and again the same', async (time_zone) => {
    const { id, pdf_base64, created_at } = await caller.render('html', '<p>x', {
      header_html: '[{{date}}]',
      time_zone,
    });
    const date = new Intl.DateTimeFormat('sv-SE', { timeZone: time_zone }).format(new Date(created_at));
    expect(sectionOf((await readPdf(pdf_base64))[0]!)).toBe(date);
    expect(await at.installation.runJsonCommand('verify', id)).toMatchObject({ same: true });
  });

  it.each(['header_html', 'footer_html'])('cannot have an image that never loads in %s', async (field) => {
    for (const source of ['nosuch.png', '//host.test/a.png', 'file:///a.png']) {
      const response = await caller.convert('html', '<p>x', { [field]: `<img src="${source}">` });
      const { message, image_url } = expectErrorResponse(response, 'image_load_failed');
      expect([message, image_url]).toEqual([expect.stringContaining(`"${source}" in ${field}`), source]);
    }
  });

  it('with and without {{section}} have their text at the same places', async () => {
    const placesOf = async (header_html: string) => {
      const options = { header_html, footer_html: '<p style="text-align:center">{{page}} of {{total}}</p>' };
      const [page] = await caller.renderedPages('html', '<h1>Same</h1>', options);
      return page!.runs
        .map(({ text, left, top, size }) => [text, left.toFixed(1), top.toFixed(1), size.toFixed(1)])
        .toSorted();
    };
    expect(await placesOf('<b>{{section}}</b> and {{page}}')).toEqual(await placesOf('<b>Same</b> and {{page}}'));
  });

  it('with {{section}} give the same bytes again after other documents', async () => {
    const options = {
      header_html:
        '{{section}} <img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">',
    };
    const { id } = await caller.render('html', chapters, options);
    await caller.renderedPages('html', '<h1>Other</h1>', options);
    expect(await at.installation.runJsonCommand('verify', id)).toMatchObject({ same: true });
  });

  it('cut a long title or section with an ellipsis, in one line and on the page', async () => {
    const words = 'a very long heading '.repeat(20);
    const header_html =
      '<div style="display:flex"><span>{{section}}</span><span style="flex:none">END {{page}}</span></div>';
    const [page] = await caller.renderedPages('html', `<h1>${words}</h1><p>TEXT`, { header_html });
    const header = page!.runs.filter(({ top }) => top < 20);
    expect(new Set(header.map(({ top }) => Math.round(top))).size).toBe(1);
    expect(header.map(({ text }) => text).join('')).toContain('…');
    expect(Math.max(...header.map(({ right }) => right))).toBeLessThanOrEqual(210 - 15 + 0.5);
    expect(page!.text).toContain('END 1');
  });

  it('have the title of the document: its own, that of the conversion, or its first heading', async () => {
    const options = { header_html: '[{{title}}]', footer_html: '<i title="{{ title }}">end</i>' };
    const titleOf = async (type: string, data: string) =>
      sectionOf((await caller.renderedPages(type, data, options))[0]!);
    expect(await titleOf('html', chapters)).toBe('The <i>report');
    expect(await titleOf('html', '<h2>Only a heading</h2>')).toBe('Only a heading');
    expect(await titleOf('html', '<p>nothing')).toBe('');
    expect(await titleOf('markdown', '# Of the *Markdown*')).toBe('Of the Markdown');
    expect(await titleOf('markdown', '---\ntitle: Of the front matter\n---\n# Heading')).toBe('Of the front matter');
  });

  it('may have placeholders in attributes that are not URLs', async () => {
    const header_html = '<div style="width:calc({{page}} / {{total}} * 100mm)"><p style="text-align:right">END</div>';
    const pages = await caller.renderedPages('html', threePages, { header_html });
    expect(pages.map((page) => Math.round(findTextRun(page, 'END').right))).toEqual([48, 82, 115]);
    const refused = await caller.convert('html', 'x', { header_html: '<img src="data:image/png,{{page}}">' });
    expect([refused.status, refused.body.error]).toEqual([422, 'conversion_failed']);
    expect(refused.body.message).toContain('{{page}} in the attribute src');
  });

  it('may have placeholders in SVG', async () => {
    const header_html = '<svg width="300" height="20"><text y="15">[{{section}} {{page}}]</text></svg>';
    const pages = await caller.renderedPages('html', '<h1>Drawn</h1>', { header_html });
    expect(sectionOf(pages[0]!)).toBe('Drawn 1');
  });

  it('that are too large to differ on each page are an error', async () => {
    const header_html = `{{section}}<p hidden>${'x'.repeat(900_000)}</p>`;
    const html = '<p style="break-after:page">x</p>'.repeat(50);
    const { status, body } = await caller.convert('html', html, { header_html });
    expect([status, body.error]).toEqual([422, 'conversion_failed']);
    expect(body.details).toMatchObject({ reason: 'header_footer_too_large', pages: 50 });
  });
});

describe('An unknown placeholder is an error', () => {
  const unknown = '<p>\n{{pageNumber}}</p>';

  it('of the request, with its line and what was probably meant', async () => {
    const response = await caller.convert('html', 'x', { header_html: unknown });
    const { message } = expectErrorResponse(response, 'invalid_request', {
      field: 'header_html',
      did_you_mean: '{{page}}',
    });
    expect(message).toBe(
      'header_html must not contain {{pageNumber}} (line 2); the placeholders are {{page}}, {{total}}, {{date}}, ' +
        '{{title}}, {{section}}; did you mean `{{page}}`?',
    );
    expectErrorResponse(await caller.convert('html', 'x', { footer_html: '{{page' }), 'invalid_request', {
      field: 'footer_html',
    });
  });

  it('of a template, when it is created, updated or tested', async () => {
    const templates = createTemplateClient(caller);
    const { id } = await templates.create('<p>x</p>', { default_options: { header_html: '{{page}}' } });
    const field = 'default_options.footer_html';
    const fields = { default_options: { footer_html: '{{now}}' } };
    const expected = { field, did_you_mean: '{{date}}' };
    const post = await templates.post({ name: 'Wrong', content: 'x', ...fields });
    expectErrorResponse(post, 'invalid_request', expected);
    expectErrorResponse(await templates.send('PUT', `/${id}`, fields), 'invalid_request', expected);
    const test = await templates.send('POST', `/${id}/test`, { data: {}, header_html: '{{{page}}}' });
    expectErrorResponse(test, 'invalid_request', { field: 'header_html' });
  });

  it('of the conversion, if the header is too large to be checked at once', async () => {
    const { status, body } = await caller.convert('html', 'x', {
      header_html: `${unknown}<p hidden>${'x'.repeat(70_000)}</p>`,
    });
    expect([status, body.error, body.details]).toEqual([422, 'conversion_failed', { field: 'header_html' }]);
    expect(body.message).toMatch(/\{\{pageNumber\}\} \(line 2\).*did you mean \{\{page\}\}\?/);
  });
});
