import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertRequest, templateRequest } from '#contracts/http/render.ts';
import { createTemplateRequest, variableDeclaration } from '#contracts/http/templates.ts';
import { composeRequest } from '#contracts/http/compose.ts';
import { listRendersQuery } from '#contracts/http/renders.ts';
import { listJobsQuery } from '#contracts/http/jobs.ts';
import { pageSizes } from '#contracts/http/page-sizes.ts';
import { inputTypes, requestModes } from '#contracts/http/render.ts';
import { suggestFormat } from './wrong-value.ts';
import { suggestField, suggestValue, exampleOfType } from './suggest.ts';
import { findErrors } from './validate.ts';
import { marginsIn } from '#libs/spelling/suggestion.ts';

const convert = Object.keys(convertRequest.shape);
const render = Object.keys(templateRequest.shape);
const camelCase = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('An unknown field', () => {
  // Gotenberg, PDFShift, DocRaptor, PDFMonkey, Carbone, jsreport, Puppeteer and wkhtmltopdf.
  it.each([
    ['landscape', ['orientation']],
    ['format', ['page_size']],
    ['paper_size', ['page_size']],
    ['page-size', ['page_size']],
    ['generateDocumentOutline', ['outline']],
    ['exportBookmarks', ['outline']],
    ['generateTaggedPdf', ['tagged']],
    ['singlePageSheets', ['one_page_per_sheet']],
    ['embeds', ['attachments']],
    ['paperWidth', ['width']],
    ['paperHeight', ['height']],
    ['margin', ['margin_top', 'margin_right', 'margin_bottom', 'margin_left']],
    ['margins', ['margin_top', 'margin_right', 'margin_bottom', 'margin_left']],
    ['preferCssPageSize', ['prefer_css_page_size']],
    ['preferCSSPageSize', ['prefer_css_page_size']],
    ['nativePageRanges', ['page_ranges']],
    ['pages', ['page_ranges']],
    ['header', ['header_html']],
    ['footer', ['footer_html']],
    ['headerTemplate', ['header_html']],
    ['footerTemplate', ['footer_html']],
    ['displayHeaderFooter', ['header_html', 'footer_html']],
    ['omitBackground', ['print_background']],
    ['zoom', ['scale']],
    ['use_print', ['emulate_media']],
    ['emulatedMediaType', ['emulate_media']],
    ['media', ['emulate_media']],
    ['delay', ['wait_time']],
    ['waitDelay', ['wait_time']],
    ['javascript-delay', ['wait_time']],
    ['waitFor', ['wait_for']],
    ['waitUntil', ['wait_for']],
    ['source', ['data']],
    ['document', ['data']],
    ['document_content', ['data']],
    ['content', ['data']],
    ['html', ['data']],
    ['url', ['data']],
    ['document_url', ['data']],
    ['inputType', ['input_type']],
    ['type', ['input_type']],
    ['callback', ['webhook_url']],
    ['callback_url', ['webhook_url']],
    ['webhookUrl', ['webhook_url']],
    ['webhook', ['webhook_url']],
    ['filename', ['file_name']],
    ['name', ['file_name']],
    ['reportName', ['file_name']],
    ['lang', ['locale']],
    ['timezone', ['time_zone']],
    ['page_szie', ['page_size']],
    ['orientaton', ['orientation']],
    ['sclae', ['scale']],
    ['margin_rigth', ['margin_right']],
    ['title', ['metadata']],
    ['author', ['metadata']],
    ['pdfa', ['conformance']],
    ['pdf_a', ['conformance']],
    ['bookmarks', ['outline']],
    ['ranges', ['page_ranges']],
    ['from', ['input_type']],
  ])('of a CONVERT request: %s', (name, fields) => {
    expect(suggestField(name, undefined, convert)?.fields).toEqual(fields);
  });

  it.each([
    ['template', ['template_id']],
    ['templateId', ['template_id']],
    ['template_name', ['template_id']],
    ['document_template_id', ['template_id']],
    ['shortid', ['template_id']],
    ['payload', ['data']],
    ['variables', ['data']],
    ['version', ['template_version']],
  ])('of a RENDER request: %s', (name, fields) => {
    expect(suggestField(name, undefined, render)?.fields).toEqual(fields);
  });

  it('for the type of the result is the option output, also for a PDF', () => {
    for (const value of ['png', 'pdf'])
      expect(suggestField('outputFormat', value, convert)).toEqual({ fields: ['output'], example: { output: value } });
  });

  it('of a composed document can be its table of contents', () => {
    expect(suggestField('toc', true, Object.keys(composeRequest.shape))).toEqual({
      fields: ['contents'],
      example: { contents: true },
    });
    expect(suggestField('toc', true, convert)?.fields).toEqual([]);
  });

  it('of a query has an example in the form of a query', () => {
    const query = { from: '2026-11-23' };
    const message = 'is not a query parameter of this request; did you mean `since`? Example: since=2026-03-02.';
    expect(findErrors(listRendersQuery, query, () => true, { isQuery: true }).errors[0]!.message).toContain(message);
  });

  it('of a template, a variable or a query has the names of these', () => {
    const template = Object.keys(createTemplateRequest.shape);
    expect(suggestField('html', undefined, template)?.fields).toEqual(['content']);
    expect(suggestField('title', undefined, template)?.fields).toEqual(['name']);
    expect(suggestField('options', undefined, template)?.fields).toEqual(['default_options']);
    expect(suggestField('mandatory', undefined, Object.keys(variableDeclaration.shape))?.fields).toEqual(['required']);
    expect(suggestField('createdAfter', undefined, Object.keys(listJobsQuery.shape))?.fields).toEqual(['since']);
  });

  it('in camel case is the option of that name', () => {
    for (const name of convert.filter((field) => field.includes('_')))
      expect(suggestField(camelCase(name), undefined, convert)?.fields).toEqual([name]);
  });

  it.each([
    ['singlePage', '"height"'],
    ['fullPage', '"height"'],
    ['headerFirst', '@page :first'],
    ['merge', 'COMPOSE'],
    ['toc', 'COMPOSE'],
    ['splitMode', 'page_ranges'],
    ['flatten', 'no form fields'],
    ['failOnConsoleExceptions', 'diagnostics=true'],
  ])('%s has a hint, because other means do it: %s', (name, means) => {
    expect(suggestField(name, true, convert)).toMatchObject({ fields: [], hint: expect.stringContaining(means) });
  });

  it('that is no option has a hint', () => {
    for (const name of ['async', 'sandbox', 'apiKey', 'convertTo', 'options'])
      expect(suggestField(name, true, convert)).toMatchObject({ fields: [], hint: expect.stringMatching(/\w{3}/) });
    expect(suggestField('template_id', 'x', convert)?.hint).toContain('RENDER');
    expect(suggestField('input_type', 'html', render)?.hint).toContain('CONVERT');
  });

  it('without a similar name has none', () => {
    expect(suggestField(`page_size${'_'.repeat(100)}`, 'A4', convert)).toBeNull();
    for (const name of ['', 'x', 'colour', '__proto__', 'constructor', 'toString', '\u0000', 'x'.repeat(1_000_000)])
      expect(suggestField(name, { top: 1 }, convert)).toBeNull();
  });

  it('has an example made from its value', () => {
    expect(suggestField('landscape', false, convert)?.example).toEqual({ orientation: 'portrait' });
    expect(marginsIn('20mm')).toEqual({ margin_top: 20, margin_right: 20, margin_bottom: 20, margin_left: 20 });
    expect(marginsIn('1cm 0.5in')).toEqual({
      margin_top: 10,
      margin_right: 12.7,
      margin_bottom: 10,
      margin_left: 12.7,
    });
    expect(marginsIn(`9mm${' '.repeat(100)}`)).toMatchObject({ margin_top: 20 });
    expect(marginsIn({ top: '96px', left: 7, right: 'wide', bottom: '9999mm' })).toEqual({
      margin_top: 25.4,
      margin_right: 20,
      margin_bottom: 20,
      margin_left: 7,
    });
  });

  it('gets a short suggestion of allowed fields for any name and value', () => {
    const names = fc.oneof(fc.string(), fc.constantFrom('margin', 'landscape', 'format', 'header', 'url', '__proto__'));
    fc.assert(
      fc.property(names, fc.anything(), fc.subarray(convert), (name, value, allowed) => {
        const suggestion = suggestField(name, value, allowed);
        for (const field of suggestion?.fields ?? []) expect(allowed).toContain(field);
        expect(JSON.stringify(suggestion).length).toBeLessThan(500);
      }),
    );
  });
});

describe('A wrong value', () => {
  it.each([
    ['page_size', 'a44', pageSizes, 'A4'],
    ['page_size', 'A12', pageSizes, null],
    ['page_size', 'DIN A4', pageSizes, 'A4'],
    ['page_size', 'US-Letter', pageSizes, 'Letter'],
    ['page_size', 'A5 landscape', pageSizes, 'A5'],
    ['orientation', 'horizontal', ['portrait', 'landscape'], 'landscape'],
    ['orientation', 'Portrait', ['portrait', 'landscape'], 'portrait'],
    ['orientation', true, ['portrait', 'landscape'], 'landscape'],
    ['input_type', 'md', inputTypes, 'markdown'],
    ['input_type', 'text/html', inputTypes, 'html'],
    ['input_type', 'htm', inputTypes, 'html'],
    ['input_type', 'JSON', inputTypes, 'json'],
    ['input_type', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', inputTypes, 'docx'],
    ['mode', 'convert', requestModes, 'CONVERT'],
    ['mode', 'template', requestModes, 'RENDER'],
    ['mode', 'MERGE', requestModes, 'COMPOSE'],
    ['wait_for', 'networkidle0', ['load', 'domcontentloaded', 'networkidle'], 'networkidle'],
    ['webhook_method', 'put', ['POST', 'PUT'], 'PUT'],
    ['type', 'integer', ['string', 'number'], 'number'],
    ['input_type', 'mp4', inputTypes, null],
    ['input_type', `html${' '.repeat(200)}`, inputTypes, null],
    ['input_type', 'x'.repeat(1_000_000), inputTypes, null],
    ['mode', 7, requestModes, null],
    ['mode', null, requestModes, null],
    ['mode', ['CONVERT'], requestModes, null],
    ['constructor', 'toString', ['a'], null],
  ] as const)('of %s: %s', (field, value, valid, meant) => {
    expect(suggestValue(field, value, valid)).toBe(meant);
  });

  it.each([
    ['locale', 'de_AT', 'de-AT'],
    ['locale', 'en_US.UTF-8', 'en-US'],
    ['locale', 'deutsch!', null],
    ['time_zone', 'Vienna', 'Europe/Vienna'],
    ['time_zone', 'new york', 'America/New_York'],
    ['time_zone', '/', null],
    ['conformance', 'PDF/A-3b', 'pdf/a-3b'],
    ['conformance', 'pdf/ua', 'pdf/ua-1'],
    ['conformance', 'pfd/a-3u', 'pdf/a-3u'],
    // Another version, or a level that is not named, is no typing mistake.
    ['conformance', 'pdf/a-9', null],
    ['conformance', 'pdf/a-1b', null],
    ['conformance', 'pdf/a-3a', null],
    ['conformance', 'pdf/a-3', null],
    ['conformance', 'pdf/ua-2', null],
    ['conformance', ['PDF/A-3b'], null],
    ['locale', 'x'.repeat(1_000_000), null],
  ])('of %s, which has a format: %s', (field, value, meant) => {
    expect(suggestFormat(field, value)).toBe(meant);
  });

  it('of a field that is an object has an example', () => {
    expect(exampleOfType('watermark', 'DRAFT', 'object')).toEqual({ text: 'DRAFT' });
    expect(exampleOfType('constructor', 'x', 'object')).toBeUndefined();
  });

  it('of a margin with a unit that is not allowed has an example with one that is', () => {
    expect(exampleOfType('margin_top', '1 foot', 'number')).toBe('20mm');
    expect(exampleOfType('header_height', '1 foot', 'number')).toBeUndefined();
  });

  it('of the wrong type is the value that its text means', () => {
    expect(exampleOfType('margin_top', '2cm', 'number')).toBe(20);
    expect(exampleOfType('margin_top', '1 inch', 'number')).toBe(25.4);
    expect(exampleOfType('scale', '0.8', 'number')).toBe(0.8);
    expect(exampleOfType('wait_time', '2s', 'number')).toBe(2000);
    expect(exampleOfType('print_background', 'yes', 'boolean')).toBe(true);
    for (const value of ['9s', 'x', '', null, {}, [1], 'x'.repeat(1_000_000)])
      expect(exampleOfType('wait_time', value, 'number')).toBeUndefined();
  });
});
