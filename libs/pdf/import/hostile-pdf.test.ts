import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { buildPdf, onePage, type PdfObjectSource } from '../testing/build-pdf.ts';
import { importedText } from '../testing/imported-text.ts';
import { importPdf, encloseContent } from './import-pdf.ts';
import { importLimits } from './limits.ts';

type Objects = Readonly<Record<number, PdfObjectSource>>;
const withObjects = (objects: Objects, trailer = ''): Uint8Array => buildPdf({ ...onePage, ...objects }, trailer);

const reasonOf = async (pdf: Uint8Array): Promise<unknown> => {
  try {
    await importPdf(pdf, { maxPages: null });
    return 'imported';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return (error.fields.extra['details'] as { reason: string }).reason;
  }
};

const content = (dictionary: string, stream: Uint8Array | string): Uint8Array =>
  withObjects({ 4: { dictionary, stream } });
/** A page with an XObject. */
const drawing = (dictionary: string, stream: Uint8Array | string, more: Objects = {}): Uint8Array =>
  withObjects({
    3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /X1 9 0 R >> >> >>',
    9: { dictionary: `/Type /XObject ${dictionary}`, stream },
    ...more,
  });
const image = '/Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8';
/** A page with a font that has a file. */
const withFontFile = (dictionary: string, stream: Uint8Array | string): Uint8Array =>
  withObjects({
    5: '<< /Type /Font /Subtype /TrueType /BaseFont /F /FontDescriptor << /Type /FontDescriptor /FontFile2 9 0 R >> >>',
    9: { dictionary, stream },
  });
const predictor = (parameters: string, stream: Uint8Array): Uint8Array =>
  content(`/Filter /FlateDecode /DecodeParms << ${parameters} >>`, deflateSync(stream));
const row = Buffer.from([0, 0x51]);

it('A row of a predictor that is longer than its data takes no more memory than the data', async () => {
  const wide = '/Predictor 12 /Columns 1000000 /Colors 1000 /BitsPerComponent 40';
  const text = 'q 1 0 0 1 2 3 cm Q';
  const imported = await importedText(predictor(wide, Buffer.from(`\0${text}`)));
  expect(imported).toContain(text);
});

describe('A damaged PDF as a part is rejected', () => {
  it.each<[string, Uint8Array]>([
    ['a font that cannot be read', withObjects({ 5: '<< /Type /Font /Subtype' })],
    ['a page without an object of its own', withObjects({ 2: '<< /Type /Pages /Kids [<< /Type /Page >>] >>' })],
    ['a page without an area', withObjects({ 3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 0.1 50] >>' })],
    ['a page of kilometres', withObjects({ 3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9999999 50] >>' })],
    ['units of kilometres', withObjects({ 3: '<< /Type /Page /Parent 2 0 R /UserUnit 99999 >>' })],
    ['units of almost nothing', withObjects({ 3: '<< /Type /Page /Parent 2 0 R /UserUnit .001 >>' })],
    ['too many filters', content(`/Filter [${'/ASCIIHexDecode '.repeat(11)}]`, 'Q')],
    ['an unknown filter', content('/Filter /NoSuchDecode', 'Q')],
    ['a filter that is no name', content('/Filter [7]', 'Q')],
    ['an image as content', content('/Filter /DCTDecode', 'Q')],
    ['an image as a font', withFontFile('/Filter /DCTDecode', 'x')],
    ['an image that cannot be decoded', drawing(`${image} /Filter /FlateDecode`, 'x')],
    ['content with an array that stays open', content('', '[ (a) 5 TJ')],
    ['content with a wrong operator', content('', '1 0 { f')],
    ['an unknown row of a predictor', predictor('/Predictor 12', Buffer.from([9, 1]))],
    ['a predictor of images', predictor('/Predictor 2', row)],
    ['a predictor without columns', predictor('/Predictor 12 /Columns 0', row)],
    ['a predictor with huge columns', predictor('/Predictor 12 /Columns 2000000', row)],
    [
      'an object at a place outside of its stream',
      withObjects({ 9: { dictionary: '/Type /ObjStm /N 1 /First 6', stream: '8 9999 <<>>' } }),
    ],
    [
      'a stream of objects that begins outside of itself',
      withObjects({ 9: { dictionary: '/Type /ObjStm /N 1 /First 9999', stream: '8 0 <<>>' } }),
    ],
  ])('because of %s', async (_, pdf) => {
    expect(await reasonOf(pdf)).toBe('damaged');
  });
});

describe('A PDF as a part that would need too much', () => {
  const limits = { ...importLimits };
  afterEach(() => void Object.assign(importLimits, limits));
  const spaces = (count: number): Buffer => Buffer.alloc(count, ' ');
  const mebibyte = 2 ** 20;

  it('is rejected for a bomb in every encoding', async () => {
    Object.assign(importLimits, { streamBytes: 2 * mebibyte });
    const length = 3 * mebibyte;
    const runs = Buffer.concat(Array.from({ length: length / 128 }, () => Buffer.from([129, 0x20])));
    expect(await reasonOf(withFontFile('/Filter /RunLengthDecode', runs))).toBe('too_large');
    expect(await reasonOf(withFontFile('/Filter /ASCIIHexDecode', '20'.repeat(length)))).toBe('too_large');
    expect(await reasonOf(content('/Filter /FlateDecode', deflateSync(spaces(length))))).toBe('too_large');
    expect(await reasonOf(withFontFile('/Filter /FlateDecode', deflateSync(spaces(length))))).toBe('too_large');
    const two = withObjects({
      3: '<< /Type /Page /Parent 2 0 R /Contents [4 0 R 4 0 R] >>',
      4: { dictionary: '/Filter /FlateDecode', stream: deflateSync(spaces(1.5 * mebibyte)) },
    });
    expect(await reasonOf(two)).toBe('too_large');
  });

  it('is rejected for a bomb as an image, and for many streams together', async () => {
    Object.assign(importLimits, { imageBytes: mebibyte });
    const bomb = deflateSync(spaces(2 * mebibyte));
    expect(await reasonOf(drawing(`${image} /Filter /FlateDecode`, bomb))).toBe('too_large');
    Object.assign(importLimits, { imageBytes: limits.imageBytes, allStreamBytes: 3 * mebibyte });
    const pages = withObjects({
      2: '<< /Type /Pages /Kids [3 0 R 6 0 R] /Count 2 /MediaBox [0 0 9 9] >>',
      6: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>',
      4: { dictionary: '/Filter /FlateDecode', stream: bomb },
    });
    expect(await reasonOf(pages)).toBe('too_large');
  });

  it('is rejected for too many values', async () => {
    const many = withObjects({ 9: `[${'0 '.repeat(2000)}]` });
    expect(await reasonOf(many)).toBe('imported');
    Object.assign(importLimits, { values: 1000 });
    expect(await reasonOf(many)).toBe('too_large');
  });

  const outline = (items: Objects): Uint8Array =>
    withObjects({
      1: '<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>',
      6: '<< /First 7 0 R /Last 8 0 R >>',
      ...items,
    });
  const titlesIn = (text: string): number => text.split('/Title').length - 1;

  it('keeps as many items of its outline, and as many levels, as there may be', async () => {
    const pdf = outline({
      7: '<< /Title (One) /First 8 0 R /Dest [3 0 R /Fit] >>',
      8: '<< /Title (Two) /First 9 0 R /Dest [3 0 R /Fit] >>',
      9: '<< /Title (Three) /Dest [3 0 R /Fit] >>',
    });
    expect(titlesIn(await importedText(pdf))).toBe(3);
    Object.assign(importLimits, { outlineItems: 2 });
    expect(titlesIn(await importedText(pdf))).toBe(2);
    Object.assign(importLimits, { outlineItems: 100, outlineDepth: 1 });
    expect(titlesIn(await importedText(pdf))).toBe(2);
  });

  it('does not count the entries of its cross-reference table', async () => {
    const table = '/Type /XRef /Size 999999999 /Index [0 999999999] /W [0 0 0] /Root 1 0 R';
    expect(await reasonOf(withObjects({ 9: { dictionary: table, stream: '' } }))).toBe('imported');
  });

  it('copies an object once, also if it contains itself', async () => {
    const form = '/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X1 9 0 R /X2 9 0 R >> >>';
    const text = await importedText(drawing(form, '/X1 Do'));
    expect(text.split('/Subtype /Form').length - 1).toBe(1);
  });

  it('follows each item, name and label of a loop once', async () => {
    const loops = withObjects({
      1:
        '<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /PageLabels 10 0 R /Names << /Dests 9 0 R >> ' +
        '/Lang (en\\)) >>',
      6: '<< /First 7 0 R /Last 8 0 R >>',
      7: '<< /Title (One) /Next 8 0 R /First 7 0 R /Dest (a) >>',
      8: '<< /Title (Two) /Next 7 0 R /First 8 0 R /Dest (a) >>',
      9: '<< /Kids [9 0 R] /Names [(a) [3 0 R /Fit]] >>',
      10: '<< /Kids [10 0 R] /Nums [0 << /S /r >>] >>',
    });
    const text = await importedText(loops);
    expect(titlesIn(text)).toBe(2);
    expect(text).toContain('/PageLabels');
    expect(text).not.toContain('/Lang');
  });
});

describe('An imported PDF has nothing', () => {
  const annotations = (...list: string[]): Uint8Array =>
    withObjects({
      3: `<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Annots [${list.join(' ')}] >>`,
      9: { dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 9 9]', stream: 'BT (appearance) Tj ET' },
    });
  const link = (action: string): string => `<< /Subtype /Link /Rect [0 0 9 9] /A << ${action} >> >>`;

  it('that runs a program or leads to a file by a link', async () => {
    const text = await importedText(
      annotations(
        link('/S /URI /URI (javascript:alert\\(1\\))'),
        link('/S /URI /URI (file:///etc/passwd)'),
        link('/S /URI /URI (https://example.com/a b)'),
        link('/S /Launch /F (calc.exe) /D [3 0 R /Fit]'),
        link('/S /GoToR /F (other.pdf) /D [0 /Fit]'),
        link(`/S /URI /URI (https://long.example/${'x'.repeat(5000)})`),
        '<< /Subtype /Link /Rect [0 0 9 9] /Dest [3 0 R /Unknown] >>',
        link('/S /URI /URI (https://good.example/\\(a\\))'),
      ),
    );
    expect(text).not.toMatch(/javascript|passwd|a b\)|calc|other\.pdf|long\.example/i);
    expect(text.split('/Subtype /Link').length - 1).toBe(1);
    expect(text).toContain('(https://good.example/\\(a\\))');
  });

  it('that its pages did not show', async () => {
    const stamp = (flags: number): string => `<< /Subtype /Stamp /Rect [0 0 9 9] /F ${flags} /AP << /N 9 0 R >> >>`;
    expect(await importedText(annotations(stamp(4)))).toContain('(appearance)');
    for (const hidden of [2, 32]) expect(await importedText(annotations(stamp(hidden)))).not.toContain('(appearance)');
    const popup = '<< /Subtype /Popup /Rect [0 0 9 9] /AP << /N 9 0 R >> >>';
    expect(await importedText(annotations(popup))).not.toContain('(appearance)');
  });

  it('that is a program for a printer', async () => {
    expect(await importedText(drawing('/Subtype /PS', 'showpage'))).not.toContain('showpage');
    const form = '/Subtype /Form /BBox [0 0 9 9] /PS 10 0 R /OPI 10 0 R /Ref 10 0 R';
    const text = await importedText(drawing(form, 'q Q', { 10: '(showpage)' }));
    expect(text).not.toMatch(/showpage|OPI|\/Ref/);
  });

  it('that no viewer can show: huge pages, or pages that are turned by half', async () => {
    const page = '/Type /Page /Parent 2 0 R /Contents 4 0 R /CropBox [900 900 9999999 950] /Rotate 45 /UserUnit -1';
    expect(await importedText(withObjects({ 3: `<< ${page} >>` }))).not.toMatch(/CropBox|Rotate|UserUnit/);
  });

  it('that is in another file, or acts, inside its resources', async () => {
    const elsewhere = '/F (secret.bin) /FFilter /FlateDecode /Metadata (secret.bin) /AF (secret.bin) /Kept (kept)';
    const font = await importedText(withFontFile(elsewhere, 'x'));
    expect([font.includes('secret.bin'), font.includes('/Kept (kept)')]).toEqual([false, true]);
    const properties = withObjects({
      3:
        '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Properties << /P1 << /A 9 0 R /AA 9 0 R ' +
        '/AF 9 0 R /EF 9 0 R /JS 9 0 R /Metadata 9 0 R /Kept (kept) /Hex <4z1> >> >> /Unknown 9 0 R >> >>',
      9: '(hidden)',
    });
    const text = await importedText(properties);
    expect(text).not.toContain('(hidden)');
    expect(text).toContain('/Kept (kept)');
    expect(text).toContain('/Hex <41>');
  });
});

describe('The content of an imported page', () => {
  it.each([
    ['Q Q f', 'q\nq\nq\nQ Q f\nQ\n'],
    ['q q f', 'q\nq q f\nQ\nQ\nQ\n'],
    ['f (never closed', 'q\nf\nQ\n'],
  ])('leaves the graphics state as it was: %j', (source, expected) => {
    expect(encloseContent(source)).toBe(expected);
  });
});
