import { PDFDocument, rgb } from '@cantoo/pdf-lib';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { drawPages, type DrawPagesInput, drawThumbnail } from './draw-pages.ts';

/** A PDF whose pages have these sizes in points, each with a red square of 36 points in its lower left corner. */
const pdfOf = async (...sizes: [number, number][]): Promise<Uint8Array> => {
  const document = await PDFDocument.create();
  for (const size of sizes)
    document.addPage(size).drawRectangle({ x: 0, y: 0, width: 36, height: 36, color: rgb(1, 0, 0) });
  return document.save();
};

const draw = async (sizes: [number, number][], input: Partial<DrawPagesInput> = {}) =>
  drawPages({
    pdf: await pdfOf(...sizes),
    output: 'png',
    dpi: 72,
    quality: 85,
    transparent: false,
    maxBytes: null,
    requestedAt: '2026-03-02T09:15:30.500Z',
    ...input,
  });

const pixelOf = async (file: Uint8Array, left: number, top: number): Promise<number[]> => [
  ...(await sharp(file).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
];

describe('pages as images', () => {
  test('one page is the image itself, in its size and resolution', async () => {
    const { file, contentType } = await draw([[101, 200]], { dpi: 144 });
    expect(contentType).toBe('image/png');
    expect(await sharp(file).metadata()).toMatchObject({ format: 'png', width: 202, height: 400, density: 144 });
    expect(await pixelOf(file, 5, 395)).toEqual([255, 0, 0]);
    expect(await pixelOf(file, 5, 5)).toEqual([255, 255, 255]);
  });

  test('several pages are a ZIP file with the date of the request, the same every time', async () => {
    const sizes: [number, number][] = [
      [72, 72],
      [72, 144],
    ];
    const { file, contentType } = await draw(sizes, { output: 'jpeg' });
    expect(contentType).toBe('application/zip');
    const pages = unzipSync(file);
    expect(Object.keys(pages)).toEqual(['page-001.jpg', 'page-002.jpg']);
    expect(await sharp(pages['page-002.jpg']).metadata()).toMatchObject({ format: 'jpeg', height: 144 });
    // 2026-03-02 09:15:30 as MS-DOS date and time (APPNOTE.TXT, 4.4.6).
    const view = Buffer.from(file);
    expect([view.readUInt16LE(10), view.readUInt16LE(12)]).toEqual([
      (9 << 11) | (15 << 5) | 15,
      (46 << 9) | (3 << 5) | 2,
    ]);
    expect(Buffer.compare((await draw(sizes, { output: 'jpeg' })).file, file)).toBe(0);
  });

  test('the background is transparent on request', async () => {
    for (const output of ['png', 'webp'] as const) {
      const { file, contentType } = await draw([[73, 72]], { output, transparent: true });
      expect(contentType).toBe(`image/${output}`);
      expect((await pixelOf(file, 50, 5))[3]).toBe(0);
      expect((await pixelOf(file, 5, 65))[3]).toBe(255);
    }
  });

  test('a lower quality is a smaller file', async () => {
    const [low, high] = await Promise.all(
      [5, 100].map((quality) => draw([[600, 600]], { output: 'jpeg', quality }).then(({ file }) => file.byteLength)),
    );
    expect(low!).toBeLessThan(high!);
  });

  test('a page with too many pixels is refused before any is drawn, with the dpi that is allowed', async () => {
    const sizes: [number, number][] = [
      [72, 72],
      [842, 1191],
    ];
    await expect(draw(sizes, { dpi: 600 })).rejects.toMatchObject({
      fields: {
        name: 'image_too_large',
        message: expect.stringContaining('Page 2 is 297 mm wide and 420 mm high.') as string,
        extra: { page: 2, width: 7017, height: 9925, max_dpi: 431 },
      },
    });
    expect((await draw([[842, 1191]], { dpi: 100 })).contentType).toBe('image/png');
    await expect(draw([[14_173, 14_173]], { dpi: 36 })).rejects.toThrow('Use a smaller page');
    await expect(draw([[72, 14_173]], { dpi: 100, output: 'webp' })).rejects.toThrow('at most 83 dpi');
  });

  test('images that are too large together are refused', async () => {
    const sizes = Array.from({ length: 3 }, (): [number, number] => [600, 600]);
    await expect(draw(sizes, { maxBytes: 2_000 })).rejects.toMatchObject({
      fields: { name: 'output_too_large' },
    });
    await expect(draw([[600, 600]], { maxBytes: 100 })).rejects.toThrow('lower dpi');
  });

  test('a thumbnail has the width that was asked for, unless the page is very high', async () => {
    const [page, strip] = await Promise.all([
      drawThumbnail({ pdf: await pdfOf([595, 842], [72, 72]), width: 320 }),
      drawThumbnail({ pdf: await pdfOf([36, 14_000]), width: 320 }),
    ]);
    expect(page.engine).toMatch(/^PDFium \(@hyzyla\/pdfium \d+\.\d+\.\d+\), libvips \d+\.\d+/);
    expect(await sharp(page.file).metadata()).toMatchObject({ format: 'png', width: 320, height: 453 });
    expect(await sharp(strip.file).metadata()).toMatchObject({ width: 5, height: 2048 });
  });

  test('bytes that are no PDF are an error of the document', async () => {
    await expect(drawThumbnail({ pdf: Buffer.from('%PDF-1.7 nothing'), width: 320 })).rejects.toMatchObject({
      fields: { name: 'conversion_failed' },
    });
  });
});
