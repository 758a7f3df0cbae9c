import { PDFDocument, PDFName, PDFNumber } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { checkWithQpdf, isQpdfAvailable } from '../support/documents/qpdf.ts';
import { findTextRun, pdfBytes, readPdf, readPdfWithColours, readStructure } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const breaks = '<p style="break-before:page">';
const pagesOf = (count: number): string => {
  const others = Array.from({ length: count - 1 }, (_, index) => `${breaks}Text ${index + 2}`);
  return `<!doctype html><html lang="en"><title>T</title><h1>Page 1</h1>${others.join('')}`;
};

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="teal"/></svg>';
const tallSvg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20"><rect width="10" height="20"/></svg>';
const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');
const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
/** The first bytes of a PNG, as if it were this large. */
const pngHeader = (width: number, height: number): Buffer => {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from(pngSignature), size, Buffer.from([8, 6, 0, 0, 0, 0, 0, 0, 0])]);
};
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The pages' labels as PDF readers show them; null if they have none. */
const labelsOf = async (pdf: string): Promise<string[] | null> => {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const task = getDocument({ data: new Uint8Array(pdfBytes(pdf)), verbosity: 0 });
  const labels = await (await task.promise).getPageLabels();
  await task.destroy();
  return labels;
};

const numbersOf = async (page_numbers: Body, options: Body = {}, count = 3): Promise<(string | undefined)[]> => {
  const pages = await caller.renderedPages('html', pagesOf(count), { page_numbers, ...options });
  return pages.map(({ text }) => /No\. .*$/m.exec(text)?.[0]);
};

/** How far what is drawn is from the edges of an empty A4 page, in millimetres. */
const gapsOf = async (watermark: Body): Promise<{ left: number; right: number; top: number; bottom: number }> => {
  const options = { watermark: { opacity: 1, ...watermark }, output: 'png', dpi: 127 };
  const { body } = await caller.convert('html', '<title>T</title><p>', options);
  const image = Buffer.from(String(body['file_base64']), 'base64');
  const { width, height } = await sharp(image).metadata();
  const { info } = await sharp(image).trim({ background: '#fff' }).toBuffer({ resolveWithObject: true });
  const [left, top] = [-(info.trimOffsetLeft ?? 0), -(info.trimOffsetTop ?? 0)];
  return {
    left: left / 5,
    right: (width - left - info.width) / 5,
    top: top / 5,
    bottom: (height - top - info.height) / 5,
  };
};

describe('A watermark', () => {
  it('is on every page as text that can be searched, and once in the file', async () => {
    const { pdf_base64: plain } = await caller.render('html', pagesOf(12));
    const { pdf_base64: pdf } = await caller.render('html', pagesOf(12), { watermark: { text: 'DRAFT 77' } });
    const pages = await readPdf(pdf);
    expect(pages.filter(({ text }) => text.includes('DRAFT 77'))).toHaveLength(12);
    expect(pages[4]!.text).toContain('Text 5');
    const forms = (one: string): number =>
      pdfBytes(one)
        .toString('latin1')
        .match(/\/Subtype \/Form/g)?.length ?? 0;
    const { pdf_base64: short } = await caller.render('html', pagesOf(2), { watermark: { text: 'DRAFT 77' } });
    expect(forms(pdf)).toBe(forms(short));
    expect(pdfBytes(pdf).length - pdfBytes(plain).length).toBeLessThan(25_000);
    if (isQpdfAvailable) expect(await checkWithQpdf(pdfBytes(pdf))).toMatchObject({ isGood: true });
  });

  it('is shown in any script, and on the pages that are named', async () => {
    const pages = await caller.renderedPages('html', pagesOf(4), {
      watermark: { text: '草稿 मसौदा 😀\nsecond line', pages: '2, 4-', layer: 'under', rotation: 0 },
    });
    expect(pages.map(({ text }) => text.includes('草稿'))).toEqual([false, true, false, true]);
    expect(pages[1]!.text).toContain('second line');
    expect(pages[1]!.runs[0]!.text).toContain('草稿');
  });

  it('counts the printed pages, and is as large as each page has room for', async () => {
    const html = `${pagesOf(3)}<style>@page wide{size:A3 landscape}p{page:wide}</style>`;
    const pages = await caller.renderedPages('html', html, {
      watermark: { text: 'COPY', rotation: 0, pages: '1-2' },
      prefer_css_page_size: true,
      page_ranges: '1, 3',
    });
    expect(pages.map(({ width }) => Math.round(width))).toEqual([210, 420]);
    const middles = pages.map((page) => {
      const { left, right } = findTextRun(page, 'COPY');
      return Math.round((left + right) / 2);
    });
    expect(middles).toEqual([105, 210]);
  });

  it('can be an image at a corner', async () => {
    for (const image of [base64(svg), png, `data:image/png;base64,${png}`]) {
      const { pdf_base64: pdf } = await caller.render('html', pagesOf(2), {
        watermark: { image, width: '3cm', position: 'bottom_right', opacity: 1 },
      });
      expect(
        pdfBytes(pdf)
          .toString('latin1')
          .match(/\/Subtype \/Form/g)?.length,
      ).toBeGreaterThan(0);
    }
  });

  it.each<[string, Body, ('left' | 'right' | 'top' | 'bottom')[]]>([
    ['a turned text', { text: 'DRAFT', position: 'top_right' }, ['top', 'right']],
    ['a turned text', { text: 'DRAFT', position: 'bottom_right' }, ['bottom', 'right']],
    ['a text of a given size', { text: 'DRAFT COPY', position: 'top_left', font_size: 60 }, ['top', 'left']],
    ['an upright text', { text: 'DRAFT', position: 'right', rotation: 90 }, ['right']],
    ['a long text', { text: 'Strictly confidential '.repeat(20), position: 'left' }, ['left']],
    ['a turned image', { image: base64(tallSvg), position: 'bottom_left', rotation: 45 }, ['bottom', 'left']],
  ])('is whole and at the edge: %s, %o', async (_name, watermark, edges) => {
    const gaps = await gapsOf(watermark);
    expect(Math.min(...Object.values(gaps)), JSON.stringify(gaps)).toBeGreaterThan(5);
    expect(Math.max(...edges.map((edge) => gaps[edge])), JSON.stringify(gaps)).toBeLessThan(30);
  });

  it('has only the line breaks of its text, in any script', async () => {
    const text = '秘密文書の見本です';
    const [page] = await caller.renderedPages('html', pagesOf(1), { watermark: { text } });
    expect(page!.text.normalize('NFKC')).toContain(text);
  });

  it('can belong to a template, and is replaced by that of the request', async () => {
    const templates = createTemplateClient(caller);
    const { id } = await templates.create('<p>{{name}}', { default_options: { watermark: { text: 'SAMPLE' } } });
    const textWith = async (options: Body): Promise<string> => {
      const response = await templates.render(id, { name: 'x' }, options);
      return (await readPdf(String(response.body['pdf_base64'])))[0]!.text;
    };
    expect(await textWith({})).toContain('SAMPLE');
    expect(await textWith({ watermark: { text: 'PAID' } })).not.toContain('SAMPLE');
  });
});

describe('Page numbers', () => {
  it('have the format, style and start that were asked for', async () => {
    expect(await numbersOf({ format: 'No. {page} of {total}' })).toEqual(['No. 1 of 3', 'No. 2 of 3', 'No. 3 of 3']);
    expect(await numbersOf({ format: 'No. {page}/{total}', start: 8, style: 'lower_roman' })).toEqual([
      'No. viii/x',
      'No. ix/x',
      'No. x/x',
    ]);
    expect(await numbersOf({ format: 'No. {page}', start: 0, pages: '2-', style: 'upper_roman' })).toEqual([
      undefined,
      'No. I',
      'No. II',
    ]);
    expect(await numbersOf({ format: 'No. {page}/{total}' }, { page_ranges: '2-3' })).toEqual(['No. 1/2', 'No. 2/2']);
  });

  it('are decimal in all of a document that goes beyond Roman numerals', async () => {
    const page_numbers = { format: 'No. {page}/{total}', start: 3998, style: 'upper_roman' };
    expect(await numbersOf(page_numbers)).toEqual(['No. 3998/4000', 'No. 3999/4000', 'No. 4000/4000']);
    const { pdf_base64: pdf } = await caller.render('html', pagesOf(3), { page_numbers });
    expect(await labelsOf(pdf)).toEqual(['3998', '3999', '4000']);
    expect((await numbersOf(page_numbers, {}, 2))[1]).toBe('No. MMMCMXCIX/MMMCMXCIX');
  });

  it('are outside on odd and even pages, at their distance from the edges', async () => {
    const { pdf_base64: pdf } = await caller.render('html', pagesOf(2), {
      page_numbers: { format: 'No. {page}', position: 'bottom_outside', margin: 12, font_size: 14, color: '#cc0000' },
    });
    const pages = await readPdfWithColours(pdf);
    const [odd, even] = pages.map((page) => findTextRun(page, 'No. '));
    expect(Math.abs(odd!.right - 198)).toBeLessThan(1);
    expect(Math.abs(even!.left - 12)).toBeLessThan(1);
    expect(odd!.size).toBeCloseTo(14, 0);
    expect(odd!.top).toBeGreaterThan(275);
    expect(pages[0]!.colours).toContain('#cc0000');
  });

  it('are the labels that PDF readers show for the pages', async () => {
    const labels = async (page_numbers: Body): Promise<string[] | null> =>
      labelsOf((await caller.render('html', pagesOf(3), { page_numbers })).pdf_base64);
    expect(await labels({ start: 4, style: 'lower_roman' })).toEqual(['iv', 'v', 'vi']);
    expect(await labels({ start: 0 })).toEqual(['0', '1', '2']);
  });
});

describe('A stamped PDF', () => {
  const stamps = {
    watermark: { text: 'مسودة 草稿 मसौदा 😀 Draft', color: '#c00' },
    page_numbers: { format: 'Seite {page} von {total}' },
  };

  it('keeps its structure, bookmarks and links, and adds nothing for screen readers', async () => {
    const html = `${pagesOf(3)}<a href="https://example.com/">link</a>`;
    const options = { tagged: true, outline: true };
    const [plain, stamped] = [
      await caller.render('html', html, options),
      await caller.render('html', html, { ...options, ...stamps }),
    ];
    expect(await readStructure(stamped.pdf_base64)).toEqual(await readStructure(plain.pdf_base64));
    const source = pdfBytes(stamped.pdf_base64).toString('latin1');
    expect(source).toMatch(/\/Outlines/);
    expect(source).toMatch(/example\.com/);
  });

  it('keeps its stamps when it is a part of a PDF with stamps of its own', async () => {
    const { pdf_base64: data } = await caller.render('html', pagesOf(2), {
      watermark: { text: 'DRAFT 77' },
      page_numbers: { format: 'Old {page}' },
    });
    const { body } = await caller.postRender({
      mode: 'COMPOSE',
      parts: [{ mode: 'PDF', data }],
      watermark: { text: 'SECRET 88' },
      page_numbers: { format: 'New {page}', position: 'top_left' },
    });
    const pages = await readPdf(String(body['pdf_base64']));
    for (const [index, { text }] of pages.entries())
      for (const stamp of ['DRAFT 77', `Old ${index + 1}`, 'SECRET 88', `New ${index + 1}`])
        expect(text).toContain(stamp);
  });

  it('keeps the unit of the pages of an existing PDF, and has stamps of the size that was asked for', async () => {
    const document = await PDFDocument.create();
    document.addPage([300, 400]).node.set(PDFName.of('UserUnit'), PDFNumber.of(2));
    const part = { mode: 'PDF', data: await document.saveAsBase64() };
    const { body } = await caller.postRender({
      mode: 'COMPOSE',
      parts: [part, { ...part, start_on: 'right' }],
      watermark: { text: 'DRAFT', font_size: 40 },
      page_numbers: { format: 'No. {page}', position: 'bottom_left', margin: 12, font_size: 14 },
    });
    const pdf = String(body['pdf_base64']);
    const pages = (await PDFDocument.load(pdf)).getPages();
    expect(pages.map(({ node }) => node.get(PDFName.of('UserUnit'))?.toString())).toEqual(['2', '2', '2']);
    // In units of the page, which are two points long.
    const [first] = await readPdf(pdf);
    expect(findTextRun(first!, 'DRAFT').size).toBeCloseTo(20, 0);
    const number = findTextRun(first!, 'No. 1');
    expect([number.size, number.left].map(Math.round)).toEqual([7, 6]);
  });

  it.each([
    ['larger than the page', [-300, -300, 1000, 1200], [300, 400]],
    ['partly outside of the page', [100, -50, 900, 300], [200, 300]],
    ['apart from the page', [1000, 1000, 1200, 1200], [300, 400]],
  ])('has stamps in what viewers show of an existing PDF with a crop box %s', async (_, cropBox, size) => {
    const document = await PDFDocument.create();
    document.addPage([300, 400]).node.set(PDFName.of('CropBox'), document.context.obj(cropBox));
    const { body } = await caller.postRender({
      mode: 'COMPOSE',
      parts: [{ mode: 'PDF', data: await document.saveAsBase64() }],
      watermark: { text: 'DRAFT', rotation: 0, font_size: 20 },
      page_numbers: { format: 'No. {page}', position: 'bottom_left', margin: 12 },
    });
    const [page] = await readPdf(String(body['pdf_base64']));
    expect([page!.width, page!.height].map((length) => Math.round((length / 25.4) * 72))).toEqual(size);
    const watermark = findTextRun(page!, 'DRAFT');
    expect(watermark.left + watermark.right).toBeCloseTo(page!.width, 0);
    const number = findTextRun(page!, 'No. 1');
    expect(number.left).toBeCloseTo(12, 0);
    expect(page!.height - number.top).toBeGreaterThan(12);
    expect(page!.height - number.top).toBeLessThan(16);
  });

  it('has the same bytes when it is verified', async () => {
    const { id } = await caller.render('html', pagesOf(2), {
      ...stamps,
      encryption: { user_password: 'a password' },
    });
    const { body } = await caller.request('POST', `/api/v1/renders/${id}/verify`);
    expect(body).toMatchObject({ matches: true });
  });
});

describe('A request for stamps', () => {
  it.each<[string, Body, string, RegExp]>([
    ['neither text nor image', { watermark: {} }, 'watermark', /either text or image/],
    ['both', { watermark: { text: 'a', image: png } }, 'watermark', /either text or image/],
    ['an empty text', { watermark: { text: '' } }, 'watermark.text', /at least 1|empty/],
    ['blank text', { watermark: { text: ' \n ' } }, 'watermark.text', /seen/],
    ['10,000 characters', { watermark: { text: 'x'.repeat(10_000) } }, 'watermark.text', /at most 500/],
    ['opacity 2', { watermark: { text: 'a', opacity: 2 } }, 'watermark.opacity', /at most 1/],
    ['a range backwards', { watermark: { text: 'a', pages: '5-2' } }, 'watermark.pages', /before they begin/],
    ['a nonsense range', { watermark: { text: 'a', pages: 'odd' } }, 'watermark.pages', /ranges of pages/],
    [
      'CSS in the colour',
      { watermark: { text: 'a', color: 'red;position:fixed' } },
      'watermark.color',
      /colour|at most/,
    ],
    ['no image', { watermark: { image: base64('hello world!') } }, 'watermark.image', /PNG, JPEG or SVG/],
    ['no base64', { watermark: { image: '<svg>' } }, 'watermark.image', /PNG, JPEG or SVG/],
    [
      'a huge image',
      { watermark: { image: base64(pngHeader(40_000, 40_000)) } },
      'watermark.image',
      /16 million pixels/,
    ],
    ['a large image', { watermark: { image: 'A'.repeat(1_000_000) } }, 'watermark.image', /at most/],
    ['a font size for an image', { watermark: { image: png, font_size: 20 } }, 'watermark.font_size', /only with text/],
    ['a misspelt field', { watermark: { txt: 'a' } }, 'watermark.txt', /did you mean/],
    ['no {page}', { page_numbers: { format: 'Seite' } }, 'page_numbers.format', /\{page\}/],
    ['two lines', { page_numbers: { format: '{page}\n{total}' } }, 'page_numbers.format', /one line/],
    ['a placeholder of footers', { page_numbers: { format: '{{page}}' } }, 'page_numbers.format', /single braces/],
    ['an unknown placeholder', { page_numbers: { format: '{page}/{pages}' } }, 'page_numbers.format', /\{total\}/],
    ['a wrong position', { page_numbers: { position: 'middle' } }, 'page_numbers.position', /bottom_center/],
    ['a negative start', { page_numbers: { start: -1 } }, 'page_numbers.start', /at least 0/],
  ])('is refused with %s', async (_name, options, field, message) => {
    const response = await caller.convert('html', pagesOf(1), options);
    expectErrorResponse(response, 'invalid_request', { field });
    expect(response.body.message).toMatch(message);
  });

  it('fails if the image cannot be drawn', async () => {
    const damaged = base64(Buffer.concat([pngHeader(10, 10), Buffer.alloc(50, 7)]));
    const response = await caller.convert('html', pagesOf(1), { watermark: { image: damaged } });
    expectErrorResponse(response, 'conversion_failed', { details: { reason: 'watermark_not_drawn' } });
  });

  it('has a warning if its pages are not in the PDF', async () => {
    const stamps = { watermark: { text: 'DRAFT', pages: '90-' }, page_numbers: { pages: '7' } };
    const html = { mode: 'CONVERT', input_type: 'html', data: pagesOf(2) };
    for (const document of [html, { mode: 'COMPOSE', parts: [html] }]) {
      const { body } = await caller.postRender({ ...document, ...stamps });
      expect(body['warnings']).toEqual([
        expect.objectContaining({ type: 'option_ignored', option: 'watermark.pages' }),
        expect.objectContaining({ type: 'option_ignored', option: 'page_numbers.pages' }),
      ]);
      expect(JSON.stringify(body['warnings'])).toContain('The PDF has 2 pages');
    }
    const { body } = await caller.postRender({ ...html, watermark: { text: 'DRAFT', pages: '2-90' } });
    expect(body['warnings'] ?? []).toEqual([]);
  });

  it('shows its text as it is, whatever it contains', async () => {
    const text = '</div><script>x</script> & "quotes" <b>';
    const [page] = await caller.renderedPages('html', pagesOf(1), { watermark: { text, rotation: 0, font_size: 12 } });
    expect(page!.text.replaceAll('\n', ' ')).toContain(text);
  });
});
