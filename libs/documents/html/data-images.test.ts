import { describe, expect, it } from 'vitest';
import { dataImageProblem } from './data-images.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const pngText = png.toString('base64');
const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const svgText = (bytes: Buffer): string => `data:image/svg+xml;base64,${bytes.toString('base64')}`;
const base64 = (text: string): string => `data:;base64,${Buffer.from(text, 'latin1').toString('base64')}`;
const escaped = [...png].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

describe('The image of a data: URL', () => {
  it.each<[string, string]>([
    ['a PNG', `data:image/png;base64,${pngText}`],
    ['a PNG with another type or none', `data:text/html;base64,${pngText}`],
    ['a PNG without padding', `data:;base64,${pngText.replace(/=+$/, '')}`],
    [
      'a PNG with line breaks and spaces',
      ` DATA:image/png;charset=x; base64 ,\n ${pngText.replaceAll(/.{4}/g, '$&\r\n')}`,
    ],
    ['a PNG in escaped base64', `data:image/png;base64,${encodeURIComponent(pngText)}`],
    ['a PNG with escaped bytes', `data:image/png,${escaped}`],
    ['an SVG', `data:image/svg+xml,${svg}`],
    ['an escaped SVG', `data:IMAGE/SVG+XML ;utf8,%0a${encodeURIComponent(`<!-- a --><?xml version="1.0"?>${svg}`)}`],
    ['an SVG with a fragment', `data:image/svg+xml,${svg} #view`],
    ['an escaped SVG with a fragment', `data:image/svg+xml,${encodeURIComponent(svg)}#view`],
    ['an SVG with a fragment after a line break', `data:image/svg+xml,${svg.replace('/>', '>%3C/svg%3E%0A#view')}`],
    ['an SVG whose names have a prefix', `data:image/svg+xml,<s:svg xmlns:s="http://www.w3.org/2000/svg"></s:svg >#a`],
    ['an SVG with an escaped #', `data:image/svg+xml,${svg.replace('/>', ' fill="%23f00"/>')}`],
    ['an SVG in base64', svgText(Buffer.from(svg))],
    ['an SVG with a byte order mark', svgText(Buffer.from(`\ufeff${svg}`))],
    ['an SVG in UTF-16', svgText(Buffer.from(`\ufeff${svg}`, 'utf16le'))],
    ['an SVG in UTF-16 of the other byte order', svgText(Buffer.from(`\ufeff${svg}`, 'utf16le').swap16())],
    ['a cursor', base64('\0\0\x02\0')],
    ['an AVIF that is compatible with it', base64('\0\0\0\x1cftypMA1B\0\0\0\0mif1avif')],
    ['an SVG after a long comment', `data:image/svg+xml,<!-- ${'a'.repeat(20_000)} -->${svg}`],
    ['a PNG after many spaces', `data:image/png;base64,${'%20'.repeat(500)} ${pngText}`],
    ['a JPEG XL', base64('\xff\x0a\xfa')],
    ['none on purpose', 'data:,'],
    ['empty', 'data:image/png;base64,'],
    ['only spaces', 'data:image/png;base64, \n'],
  ])('may be %s', (_, url) => expect(dataImageProblem(url)).toBeUndefined());

  it.each<[string, string, RegExp]>([
    ['not an image', 'data:image/png;base64,Z2FyYmFnZQ==', /not an image/],
    ['a file of another kind', base64('ftypavif\0\0\0\0MP4 '), /not an image/],
    ['a font', base64('wOF2'), /not an image/],
    ['a PNG that is called SVG', `data:image/svg+xml;base64,${pngText}`, /not an SVG/],
    ['an SVG that is called PNG', `data:image/png;base64,${Buffer.from(svg).toString('base64')}`, /does not say/],
    ['an SVG cut at a colour', `data:image/svg+xml;utf8,${svg.replace('/>', ' fill="#f00"/>')}`, /write %23/],
    ['an SVG cut in its style', `data:image/svg+xml,${svg.replace('/>', '><style>#a{}</style></svg>')}`, /write %23/],
    ['an SVG cut in a text', `data:image/svg+xml,${encodeURI('<svg><text>#1</text></svg>')}`, /write %23/],
    ['a text that is called SVG', 'data:image/svg+xml,text', /not an SVG/],
  ])('is refused if it is %s', (_, url, problem) => expect(dataImageProblem(url)).toMatch(problem));

  it.each(['https://h/a.png', 'images/data:x', '#a', ''])('is none at the URL "%s"', (url) => {
    expect(dataImageProblem(url)).toBeUndefined();
  });
});
