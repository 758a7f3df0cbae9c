import { describe, expect, it } from 'vitest';
import { prepareHtml } from '../html/convert.ts';
import { convertMarkdown } from '../markdown/convert.ts';
import { encodeBundle } from './bundle.ts';
import { findTruncation, findTruncationInDataUrl } from './truncated-images.ts';
import { createAssetInliner } from './inline.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const scan = 'x'.repeat(200);
const jpeg = bytes(`\xff\xd8\xff\xe1\0\x06\xff\xd9\0\0\xff\xff\xda\0\x04\0\0${scan}\xff\xd9`);
const chunk = (type: string, data: string): string => `\0\0\0${String.fromCharCode(data.length)}${type}${data}CRCx`;
const png = bytes(`\x89PNG\r\n\x1a\n${chunk('IHDR', 'y'.repeat(13))}${chunk('IDAT', scan)}${chunk('IEND', '')}`);
const webp = bytes(`RIFF\xd4\0\0\0WEBP${scan}abcdefgh`);
const box = (type: string, data: string): string => `\0\0\0${String.fromCharCode(8 + data.length)}${type}${data}`;
const avif = bytes(box('ftyp', 'avif\0\0\0\0mif1') + box('meta', 'z'.repeat(40)) + box('mdat', scan));
const truncate = (file: Buffer): Buffer => file.subarray(0, file.length - 60);
const dataUrl = (file: Buffer): string => `data:image/png;base64,${file.toString('base64')}`;

const files = { jpeg, png, webp, avif };
const shown = { jpeg: 'beginning', png: 'beginning', webp: 'nothing', avif: 'nothing' };

describe('The file of an image', () => {
  it.each(Object.entries(files))('is whole: %s', (_, file) => {
    expect(findTruncation(file)).toBeUndefined();
    expect(findTruncationInDataUrl(dataUrl(file))).toBeUndefined();
    expect(findTruncation(Buffer.concat([file, bytes('after the end, as cameras write it')]))).toBeUndefined();
    expect(findTruncationInDataUrl(dataUrl(Buffer.concat([file, Buffer.alloc(50)])))).toBeUndefined();
    expect(findTruncationInDataUrl(dataUrl(file).replace(/.{76}/g, '$&\r\n'))).toBeUndefined();
  });

  it.each(Object.entries(files))('ends too early: %s', (name, file) => {
    const truncated = truncate(file);
    const expected = shown[name as keyof typeof shown];
    expect(findTruncation(truncated)).toBe(expected);
    expect(findTruncationInDataUrl(dataUrl(truncated))).toBe(expected);
    expect(findTruncationInDataUrl(dataUrl(truncated).replaceAll('/', '%2F').replaceAll('+', '%2B'))).toBe(expected);
    expect(findTruncationInDataUrl(dataUrl(truncated).replace(/.{76}/g, '$&\r\n'))).toBe(expected);
  });

  it.each([
    ['a JPEG without a scan', jpeg.subarray(0, 12)],
    ['a PNG without pixels', png.subarray(0, 20)],
    ['an AVIF whose last box has no size', bytes(box('ftyp', 'avif\0\0\0\0mif1') + '\0\0\0\0mdat12345678')],
    ['an AVIF with a box that is too short', bytes(box('ftyp', 'avif\0\0\0\0mif1') + '\0\0\0\x07mdat12345678')],
    ['another file', bytes('GIF89a')],
    ['an empty file', bytes('')],
  ])('is not known to end too early: %s', (_, file) => expect(findTruncation(file)).toBeUndefined());
});

describe('A document with an image whose file ends too early', () => {
  const [truncatedJpeg, truncatedWebp] = [truncate(jpeg), truncate(webp)];
  const warning = {
    kind: 'resource_failed',
    url: expect.stringMatching(/^data:image\/png;base64,.{38}…$/),
    reason: 'the file of the image ends too early, so the PDF shows only its beginning (line 2)',
  };

  it('has a warning if a browser shows the beginning', () => {
    expect(prepareHtml(`<p>\n<img src="${dataUrl(truncatedJpeg)}">`, 50).warnings).toEqual([warning]);
    expect(convertMarkdown(`Text\n![a](${dataUrl(truncatedJpeg)})`, 50).warnings).toEqual([
      { ...warning, reason: warning.reason.replace('2', '1') },
    ]);
    const two = [truncatedJpeg, truncate(png), truncatedJpeg].map((file) => `<img src="${dataUrl(file)}">`);
    expect(prepareHtml(`<p>\n${two.join('')}`, 50).warnings).toEqual([warning, warning]);
    const many = Array.from({ length: 30 }, (_, index) => dataUrl(Buffer.concat([truncatedJpeg, Buffer.alloc(index)])));
    expect(prepareHtml(many.map((url) => `<img src="${url}">`).join(''), 50).warnings).toHaveLength(20);
    expect(prepareHtml(`<img src="${dataUrl(jpeg)}">`, 50).warnings).toBeUndefined();
    expect(prepareHtml(`<script>1</script><img src="${dataUrl(truncatedJpeg)}">`, 50).warnings).toBeUndefined();
  });

  it('is refused if a browser shows nothing', () => {
    expect(() => prepareHtml(`<img src="${dataUrl(truncatedWebp)}">`, 50)).toThrow(
      /cannot be loaded: the file of the image ends/,
    );
    const asSvg = dataUrl(truncatedJpeg).replace('image/png', 'image/svg+xml');
    expect(() => prepareHtml(`<img src="${asSvg}">`, 50)).toThrow(
      /cannot be loaded: its data: URL is not an SVG image/,
    );
  });

  it('is treated in the same way if the image is an asset', () => {
    const use = (file: Buffer, html: string) => {
      const assets = createAssetInliner(encodeBundle([{ name: 'a.img', type: null, bytes: new Uint8Array(file) }]));
      assets.inline(html);
      return assets.use().missing;
    };
    const missing = [{ url: 'a.img', reason: warning.reason.replace(' (line 2)', '') }];
    expect(use(truncatedJpeg, '<img src="a.img"><p style="background: url(a.img)">')).toEqual(missing);
    expect(use(truncatedJpeg, '<p style="background: url(a.img)">')).toEqual(missing);
    expect(use(jpeg, '<img src="a.img">')).toEqual([]);
    expect(() => use(truncatedWebp, '<img src="a.img"><img src="a.img">')).toThrow(
      /"a.img" cannot be loaded: the file/,
    );
    expect(use(truncatedWebp, '<p style="background: url(a.img)">')).toEqual([
      { url: 'a.img', reason: 'the file of the image ends too early' },
    ]);
  });
});
