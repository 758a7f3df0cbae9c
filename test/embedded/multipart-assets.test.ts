import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { file, type FormEntry, postForm, svgOf } from '../support/client/multipart.ts';
import { readPdfWithColours, withoutDates } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const colour = '#1a2b3c';
const other = '#c0ffee';

const render = async (entries: FormEntry[]): Promise<RenderResult> => {
  const response = await postForm(caller, entries);
  expect(response.status, response.text.slice(0, 500)).toBe(200);
  return response.body as RenderResult;
};
const pageOf = async (name: string, content: string, assets: Record<string, string | Uint8Array>) => {
  const { pdf_base64 } = await render([
    ['file', file(name, content)],
    ...Object.entries(assets).map(([path, bytes]): FormEntry => ['assets', file(path, bytes)]),
  ]);
  return (await readPdfWithColours(pdf_base64))[0]!;
};
const missing = async (html: string, ...assets: FormEntry[]) =>
  expectErrorResponse(await postForm(caller, [['file', file('a.html', html)], ...assets]), 'image_load_failed');

describe('An asset is found by its relative name from', () => {
  /** By what names it: HTML with the image `n`, or with the style sheets `n` for the class `p<n>`. */
  const elements: Record<string, (n: number) => string> = {
    img: (n) => `<img src="img/${n}.svg">`,
    'img with dots': (n) => `<img src="./img/../img/${n}.svg">`,
    'img with a query and a fragment': (n) => `<img src="img/${n}.svg?v=3#view">`,
    'img from the root': (n) => `<img src="/img/${n}.svg">`,
    'img above the folder of the document': (n) => `<img src="../img/${n}.svg">`,
    'img above it, by its base name': (n) => `<img src="../../pictures/${n}.svg">`,
    'img by its base name': (n) => `<img src="${n}.svg">`,
    'img with backslashes': (n) => `<img src="img\\${n}.svg">`,
    srcset: (n) => `<img srcset="img/${n}.svg 1x, img/missing.svg 2x">`,
    picture: (n) => `<picture><source srcset="img/${n}.svg"><img src="img/${n}.svg"></picture>`,
    'an SVG image': (n) => `<svg width=50 height=50><image href="img/${n}.svg" width=50 height=50></svg>`,
    'an SVG image with xlink': (n) =>
      `<svg width=50 height=50><image xlink:href="img/${n}.svg" width=50 height=50></svg>`,
    input: (n) => `<input type=image src=img/${n}.svg>`,
    background: (n) => `<table background="img/${n}.svg"><tr><td>x</table>`,
    'a video': (n) => `<video poster="img/${n}.svg" width=50 height=50></video>`,
    'a style attribute': (n) => `<img style="content: url('img/${n}.svg')">`,
    'a style element': (n) => `<style>.p${n}::before { content: url(img/${n}.svg) }</style><p class=p${n}>x`,
    'image-set()': (n) => `<style>.p${n}::before { content: image-set("img/${n}.svg" 1x) }</style><p class=p${n}>x`,
    'a style sheet': (n) => `<link rel="stylesheet" href="css/${n}.css"><p class=p${n}>x`,
    'a style sheet for print': (n) => `<link rel="stylesheet" media="print" href="css/${n}.css"><p class=p${n}>x`,
    'an imported style sheet': (n) => `<style>@import "css/${n}.css";</style><p class=p${n}>x`,
    'a style sheet that imports another': (n) => `<link rel="stylesheet" href="css/all-${n}.css"><p class=p${n}>x`,
  };
  it('every element, attribute and style sheet that can name one', async () => {
    const colourOf = (n: number) => `#1a2b${n}`;
    const numbered = Object.entries(elements).map(([what, html], at) => ({ what, html, n: at + 10 }));
    const assets = numbered.flatMap(({ n }) => [
      [`img/${n}.svg`, svgOf(colourOf(n))],
      [`css/${n}.css`, `/* a */ .p${n}::before {\n  content: url("../img/${n}.svg")\n}`],
      [`css/all-${n}.css`, `@import url(${n}.css) print;`],
    ]);
    const html = numbered.map((element) => element.html(element.n)).join('\n');
    const { colours } = await pageOf('a.html', `<!DOCTYPE html>${html}`, Object.fromEntries(assets));
    expect(numbered.filter(({ n }) => !colours.includes(colourOf(n))).map(({ what }) => what)).toEqual([]);
  });

  it('Markdown', async () => {
    const markdown = '# Title\n\n![Logo](<img/Größe 1.svg>)\n\n<img src="img/b.svg">\n';
    const { colours, text } = await pageOf('report.md', markdown, {
      ['img/Größe 1.svg'.normalize('NFD')]: svgOf(colour),
      'img/b.svg': svgOf(other),
    });
    expect(colours).toEqual(expect.arrayContaining([colour, other]));
    expect(text).toContain('Title');
  });

  it('names with spaces, percent signs and umlauts', async () => {
    const { colours } = await pageOf(
      'a.html',
      '<img src="a%20b.svg"><img src="100%.svg"><img src="u%cc%88.svg"><img src="x%2520y.svg">',
      {
        'a b.svg': svgOf('#000001'),
        '100%.svg': svgOf('#000002'),
        'ü.svg': svgOf('#000003'),
        'x%20y.svg': svgOf('#000004'),
      },
    );
    expect(colours).toEqual(expect.arrayContaining(['#000001', '#000002', '#000003', '#000004']));
  });

  it('header and footer, with a style sheet', async () => {
    const [page] = await readPdfWithColours(
      (
        await render([
          ['file', file('a.html', '<p>x')],
          ['header_html', '<link rel=stylesheet href=h.css><img src="logo.svg"><b>Head</b>'],
          ['footer_html', '<img style="content: url(foot.svg)">Foot'],
          ['assets[]', file('logo.svg', svgOf(colour))],
          ['assets[]', file('foot.svg', svgOf(other))],
          ['assets[]', file('h.css', 'b { color: #ff0000 }')],
        ])
      ).pdf_base64,
    );
    expect(page!.colours).toEqual(expect.arrayContaining([colour, other, '#ff0000']));
    expect(page!.text).toContain('Head');
  });

  it('a template', async () => {
    const created = await caller.request('POST', '/api/v1/templates', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'with a logo', content: '<img src="{{logo}}.svg"><p>{{name}}' }),
    });
    const { pdf_base64 } = await render([
      ['template_id', created.body.id as string],
      ['data', file('data.json', JSON.stringify({ logo: 'a', name: 'Ines' }))],
      ['assets', file('a.svg', svgOf(colour))],
    ]);
    const [page] = await readPdfWithColours(pdf_base64);
    expect(page!.colours).toContain(colour);
    expect(page!.text).toContain('Ines');
  });
});

describe('A document with assets', () => {
  it('has the same PDF as one with data: URLs', async () => {
    const uploaded = await render([
      ['file', file('a.html', '<title>T</title>\r\n<img src=a.png width=90>')],
      ['assets', file('a.png', png)],
    ]);
    const inline = `<title>T</title>\r\n<img src="data:image/png;base64,${png.toString('base64')}" width=90>`;
    const { pdf_base64 } = await caller.render('html', inline);
    expect(withoutDates(uploaded.pdf_base64)).toBe(withoutDates(pdf_base64));
  });

  it('is verified and repeated with them', async () => {
    const { id } = await render([
      ['file', file('a.html', '<img src=a.svg>')],
      ['assets', file('a.svg', svgOf(colour))],
    ]);
    const { code, stdout } = await at.installation.runCommand('--json', 'verify', id);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ id, same: true })]);
    const repeated = await caller.request('POST', `/api/v1/renders/${id}/repeat`);
    expect(repeated.status, repeated.text.slice(0, 300)).toBe(200);
    expect((await readPdfWithColours((repeated.body as RenderResult).pdf_base64))[0]!.colours).toContain(colour);
  });

  it('uses a font', async () => {
    const font = await readFile('/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf').catch(() => null);
    if (font === null) return;
    const css = '@font-face { font-family: Own; src: url(missing.woff2), url("fonts/own.ttf") } p { font-family: Own }';
    const { pdf_base64 } = await render([
      ['file', file('a.html', '<link rel=stylesheet href=a.css><p>Text')],
      ['assets', file('a.css', css)],
      ['assets', file('fonts/own.ttf', font)],
    ]);
    expect(Buffer.from(pdf_base64, 'base64').toString('latin1')).toContain('DejaVuSansMono');
  });

  it('runs no script of an SVG image, and stays a static document', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="document.bgColor='red'">
      <script>document.documentElement.style.background = '#ff0000'</script>
      <rect width="9" height="9" fill="${colour}"/></svg>`;
    const testKey = await issueKey(at.installation, await openAccount(at.installation), '--type', 'test');
    const response = await postForm(
      createClient(at.service.url, testKey.key),
      [
        ['file', file('a.html', '<img src=a.svg>')],
        ['assets', file('a.svg', svg)],
      ],
      { path: '/api/v1/render?diagnostics=true' },
    );
    expect(response.status, response.text.slice(0, 300)).toBe(200);
    expect(response.body.diagnostics).toMatchObject({ render_mode: 'static', console: [] });
    const [page] = await readPdfWithColours((response.body as RenderResult).pdf_base64);
    expect(page!.colours).toContain(colour);
    expect(page!.colours).not.toContain('#ff0000');
  });

  it('does not load an HTML asset as a document', async () => {
    const { text } = await pageOf('a.html', '<p>Outer<iframe src="inner.html"></iframe>', {
      'inner.html': '<p>Inner<script>parent.document.body.textContent = "Run"</script>',
    });
    expect(text).toContain('Outer');
    expect(text).not.toMatch(/Inner|Run/);
  });

  it('has warnings for a style sheet, font or background that is missing, and for unused assets', async () => {
    const { warnings } = await render([
      ['file', file('a.html', '<link rel=stylesheet href=no.css><style>p{background:url(no.png)}</style><p>x')],
      ['assets', file('never.png', png)],
    ]);
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'resource_failed',
          url: 'no.css',
          reason: expect.stringContaining('no part "assets"'),
        }),
        expect.objectContaining({ type: 'resource_failed', url: 'no.png' }),
        expect.objectContaining({ type: 'asset_unused', name: 'never.png' }),
      ]),
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ['HTML', { input_type: 'html', data: '<link rel=stylesheet href=css/no.css><script src=no.js></script><p>x' }],
    [
      'Markdown',
      { input_type: 'markdown', data: '# x\n\n<link rel="stylesheet" href="css/no.css"><script src="no.js"></script>' },
    ],
  ])('has the warnings for %s without any asset, too', async (_, input) => {
    const response = await caller.postRender({ mode: 'CONVERT', ...input });
    expect(response.status, response.text.slice(0, 300)).toBe(200);
    expect((response.body as RenderResult).warnings).toMatchObject([
      { type: 'resource_failed', url: 'css/no.css', reason: expect.stringContaining('as a part "assets" of a form') },
      { type: 'resource_failed', url: 'no.js' },
    ]);
  });

  it('runs its scripts in their order, in UTF-8', async () => {
    const html = '<script defer src="js/draw.js"></script><script src=data.js></script><p id=total>None';
    const { text } = await pageOf('a.html', html, {
      'js/draw.js': 'document.querySelector("#total").textContent = `Total ${total}`',
      'data.js': 'const total = "12 €"',
    });
    expect(text).toContain('Total 12 €');
  });

  it('is not refused for text that looks like CSS', async () => {
    expect((await pageOf('a.html', '<p title="see url(a.png)">Shown', {})).text).toContain('Shown');
  });

  it('has warnings for assets of a type that uses none', async () => {
    const { warnings } = await render([
      ['file', file('a.csv', 'a,b\n1,2\n')],
      ['assets', file('a.png', png)],
    ]);
    expect(warnings).toEqual([expect.objectContaining({ type: 'asset_unused', name: 'a.png' })]);
  });
});

describe('image_load_failed', () => {
  it('lists the assets that exist', async () => {
    const { message, image_url } = await missing(
      '<p>x\n<img src="img/logo.png">',
      ['assets', file('img/a.png', png)],
      ['assets', file('b.png', png)],
    );
    expect(image_url).toBe('img/logo.png');
    expect(message).toContain('on line 2');
    expect(message).toContain('no part "assets" has this name; the parts "assets" are "img/a.png", "b.png"');
  });

  it('says that only the case differs', async () => {
    const { message } = await missing('<img src="img/logo.png">', ['assets', file('img/Logo.png', png)]);
    expect(message).toContain('names are case-sensitive: did you mean "img/Logo.png"?');
  });

  it('says that several assets have the base name', async () => {
    const { message } = await missing(
      '<img src="img/logo.svg">',
      ['assets', file('a/logo.svg', svgOf('red'))],
      ['assets', file('b/logo.svg', svgOf('blue'))],
    );
    expect(message).toContain('2 different parts "assets" have this name: "a/logo.svg", "b/logo.svg"');
  });

  it('says how to send an image without any asset, with the same words for forms and JSON', async () => {
    const ofForm = (await missing('<img src="logo.png">')).message;
    const ofJson = await caller.postRender({ mode: 'CONVERT', input_type: 'html', data: '<img src="logo.png">' });
    expect(ofForm).toContain('send the file as a part "assets" of a form (multipart/form-data), set base_url, or use');
    expect(expectErrorResponse(ofJson, 'image_load_failed').message).toBe(ofForm);
  });

  it.each([
    ['an empty asset', ''],
    ['an asset that is no image', '<html>'],
  ])('is the error for %s', async (_, content) => {
    expect((await missing('<img src="a.png">', ['assets', file('a.png', content)])).reason).toContain('a.png');
  });

  it('is the error for an image outside the folder, and for one of the header', async () => {
    await missing('<img src="../logo.png">', ['assets', file('x.png', png)]);
    const response = await postForm(caller, [
      ['file', file('a.html', '<p>x')],
      ['header_html', '<img src="no.png">'],
      ['assets', file('x.png', png)],
    ]);
    expect(expectErrorResponse(response, 'image_load_failed').message).toContain('in header_html');
  });
});

describe('An asset that is used often', () => {
  it('is refused if the document becomes too large', async () => {
    const large = Buffer.concat([png, Buffer.alloc(3_000_000)]);
    const response = await postForm(caller, [
      ['file', file('a.html', '<img src=large.png>'.repeat(100))],
      ['assets', file('large.png', large)],
    ]);
    const { message } = expectErrorResponse(response, 'conversion_failed');
    expect(message).toContain('"large.png" is used 100 times');
  });

  it('is refused in header and footer above 4 MB', async () => {
    const response = await postForm(caller, [
      ['file', file('a.html', '<p>x')],
      ['footer_html', '<img src=large.png>'],
      ['assets', file('large.png', Buffer.concat([png, Buffer.alloc(3_500_000)]))],
    ]);
    expect(expectErrorResponse(response, 'conversion_failed').message).toContain('larger than 4 MB');
  });

  it('is accepted if it is small', async () => {
    const { colours } = await pageOf('a.html', '<img src=a.svg width=1>'.repeat(1000), { 'a.svg': svgOf(colour) });
    expect(colours.filter((used) => used === colour).length).toBeGreaterThan(500);
  });

  it('is refused in style sheets that import each other', async () => {
    const response = await postForm(caller, [
      ['file', file('a.html', '<link rel=stylesheet href=a.css>')],
      ['assets', file('a.css', '@import "b.css";')],
      ['assets', file('b.css', '@import "a.css";')],
    ]);
    expect(expectErrorResponse(response, 'conversion_failed').message).toContain('imports itself');
  });
});
