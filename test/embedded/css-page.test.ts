import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, type ApiClient, createClient, type RenderResult } from '../support/client/api-client.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { findTextRun, readPdf } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const css = `
  @page { size: A5; margin: 30mm 10mm 5mm }
  @page { @bottom-center { content: "p " counter(page) " of " counter(pages); font: 6px serif } }
  @page :first { margin-top: 60mm }
  @page wide { size: A5 landscape; margin: 12mm }
  body { margin: 0; font: 12px/12px serif } .wide { page: wide } p { margin: 0 }`;
const body = '<p>one<p style="break-before:page">two<p class="wide">three<p>four';
const html = `<style>${css}</style>${body}`;
const pagesOf = (options: Body, document = html) => caller.renderedPages('html', document, options);
const sizesOf = async (options: Body, document = html) =>
  (await pagesOf(options, document)).map(({ width, height }) => [Math.round(width), Math.round(height)]);

const [portrait, landscape, a4] = [
  [148, 210],
  [210, 148],
  [210, 297],
];

describe.each(['', '<script>1</script>'])('The @page rules of the document (%j)', (script) => {
  it('are ignored by default', async () => {
    expect(await sizesOf({}, html + script)).toEqual([a4, a4, a4, a4]);
    const [page] = await pagesOf({ prefer_css_page_size: false }, html + script);
    expect(findTextRun(page!, 'one').top).toBeCloseTo(20 + 2, 0);
  });

  it('are a warning if they say something else than the pages are', async () => {
    const warningsOf = async (options: Body) => (await caller.render('html', html + script, options)).warnings;
    expect(await warningsOf({})).toEqual([
      expect.objectContaining({
        type: 'feature_ignored',
        feature: 'size and margin in @page, margin in @page :first and 1 more',
      }),
    ]);
    expect(await warningsOf({ prefer_css_page_size: false })).toBeUndefined();
  });

  it('give each page its size and margins with prefer_css_page_size', async () => {
    const pages = await pagesOf({ prefer_css_page_size: true }, html + script);
    expect(pages.map(({ width, height }) => [Math.round(width), Math.round(height)])).toEqual([
      portrait,
      portrait,
      landscape,
      portrait,
    ]);
    const runs = ['one', 'two', 'three', 'four'].map((text, index) => findTextRun(pages[index]!, text));
    expect(runs.map(({ top }) => Math.round(top))).toEqual([63, 33, 15, 33]);
    expect(runs.map(({ left }) => Math.round(left))).toEqual([10, 10, 12, 10]);
    expect(pages[0]!.text).toContain('p 1 of 4');
  });

  it('have lower priority than each option that the request names', async () => {
    const named = { prefer_css_page_size: true, margin_left: '4cm', page_size: 'A6' };
    const pages = await pagesOf(named, html + script);
    expect(new Set(pages.map(({ width }) => Math.round(width)))).toEqual(new Set([105]));
    expect(findTextRun(pages[0]!, 'one').left).toBeCloseTo(40, 0);
    expect(findTextRun(pages[0]!, 'one').top).toBeCloseTo(63, -0.5);
    expect(await sizesOf({ prefer_css_page_size: true, width: 200, height: 250 }, html + script)).toContainEqual([
      200, 250,
    ]);
    expect(await sizesOf({ prefer_css_page_size: true, orientation: 'portrait' }, html + script)).toContainEqual(a4);
  });

  it('never put the text under header or footer', async () => {
    const header_html = '<div style="height:20mm">HEAD {{page}}</div>';
    const options = { prefer_css_page_size: true, header_html, footer_html: '<div style="height:15mm">FOOT</div>' };
    const pages = await pagesOf(options, html + script);
    expect(pages).toHaveLength(4);
    const tops = ['one', 'two', 'three', 'four'].map((text, index) => findTextRun(pages[index]!, text).top);
    expect(tops.map((top) => Math.round(top))).toEqual([63, 33, 23, 33]);
    for (const [index, page] of pages.entries()) {
      const [head, foot] = [findTextRun(page, `HEAD ${index + 1}`), findTextRun(page, 'FOOT')];
      expect(head.top).toBeLessThan(20);
      expect(foot.top).toBeGreaterThan(page.height - 15);
    }
  });
});

describe('With prefer_css_page_size', () => {
  it('size: landscape turns the default page, and margins differ on left and right pages', async () => {
    const turned = '<style>@page{size:landscape}@page :left{margin-left:50mm}@page :right{margin-left:5mm}</style>';
    const pages = await pagesOf({ prefer_css_page_size: true }, `${turned}<p>one<p style="break-before:page">two`);
    expect(pages.map(({ width }) => Math.round(width))).toEqual([297, 297]);
    expect(findTextRun(pages[1]!, 'two').left - findTextRun(pages[0]!, 'one').left).toBeCloseTo(45, 0);
  });

  it('a document without @page rules is printed as usual', async () => {
    const plain = `<style>p{margin:0}</style>${body}`;
    expect(await pagesOf({ prefer_css_page_size: true }, plain)).toEqual(await pagesOf({}, plain));
  });

  it('margins that leave no room are an error with the size of the page', async () => {
    const label = '<style>@page{size:50mm 30mm}</style>label';
    const { status, body: error } = await caller.convert('html', label, { prefer_css_page_size: true });
    expect([status, error.error]).toEqual([422, 'conversion_failed']);
    expect(error.details).toMatchObject({ sheet_mm: { width: 50, height: 30 }, margins_mm: { top: 20, left: 15 } });
    expect(error.message).toContain('margin_top, margin_bottom, or write them in the @page rules');
    expect(
      await sizesOf({ prefer_css_page_size: true, margin_top: 2, margin_bottom: 2, margin_left: 2 }, label),
    ).toEqual([[50, 30]]);
  });

  it('a negative margin has no height for the header, which stays on the page', async () => {
    const label = '<style>@page{margin:-20mm 20mm}@page wide{margin:-10%}</style>TEXT';
    const options = { prefer_css_page_size: true, header_html: 'HEAD', header_height: 12 };
    const [page] = await pagesOf(options, label);
    expect(findTextRun(page!, 'TEXT').left).toBeCloseTo(20 + (8 / 96) * 25.4, 0);
    expect(findTextRun(page!, 'HEAD').top).toBeGreaterThan(0);
    expect(findTextRun(page!, 'HEAD').top).toBeLessThan(12);
    expect(findTextRun(page!, 'TEXT').top).toBeGreaterThan(12);
  });

  it('scripts see the page of the document', async () => {
    const script = '<p id="p"></p><script>p.textContent = `${innerWidth} x ${innerHeight}`</script>';
    const page = '<style>@page { size: 120mm 80mm; margin: 10mm }</style>';
    const pixels = (millimetres: number): number => Math.round((millimetres / 25.4) * 96);
    const [first] = await pagesOf({ prefer_css_page_size: true }, page + script);
    expect(first!.text).toContain(`${pixels(100)} x ${pixels(60)}`);
    const [sized] = await pagesOf({ width: '120mm', height: '8cm', margin_left: 0, margin_right: 0 }, script);
    expect(sized!.text).toContain(`${pixels(120)} x ${pixels(40)}`);
  });

  it('a template may prefer them, and its own options win over the document', async () => {
    const templates = createTemplateClient(caller);
    const create = async (default_options: Body) => (await templates.create(html, { default_options })).id;
    const widths = async (id: string, fields: Body = {}) => {
      const { pdf_base64 } = await templates.expectStatus<RenderResult>(200, templates.render(id, {}, fields));
      return [...new Set((await readPdf(pdf_base64)).map(({ width }) => Math.round(width)))];
    };
    const [preferring, sized] = [
      await create({ prefer_css_page_size: true }),
      await create({ prefer_css_page_size: true, page_size: 'A3' }),
    ];
    expect(await widths(preferring)).toEqual([148, 210]);
    expect(await widths(preferring, { prefer_css_page_size: false })).toEqual([210]);
    expect(await widths(preferring, { page_size: 'b5' })).toEqual([176]);
    expect(await widths(sized)).toEqual([297]);
  });
});

it('CSS for printing that the browser ignores is a warning, in HTML and in templates', async () => {
  const document = '<style>h1{string-set:chapter content()}</style><h1>One';
  const warning = {
    type: 'feature_ignored',
    feature: 'string-set',
    reason: 'Use {{section}} or {{title}} in header_html or footer_html.',
    message: 'This has no effect: string-set. Use {{section}} or {{title}} in header_html or footer_html.',
  };
  expect((await caller.render('html', document)).warnings).toEqual([warning]);
  const { id } = await createTemplateClient(caller).create(document, {});
  const { body: rendered } = await caller.postRender({ mode: 'RENDER', template_id: id, data: {} });
  expect(rendered['warnings']).toEqual([warning]);
});
