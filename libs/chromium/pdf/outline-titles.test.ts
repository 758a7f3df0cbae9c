import { expect, it } from 'vitest';
import { buildPdf } from '#libs/pdf/testing/build-pdf.ts';
import type { HeadingText } from './heading-texts.ts';
import { openPdfObjects } from './objects.ts';
import { withHeadingTitles } from './outline-titles.ts';

/** A PDF as the browser writes it, with an outline of these titles. */
const pdfOf = (titles: readonly string[]): Buffer => {
  const items = titles.map((title, index) => {
    const next = index + 1 < titles.length ? ` /Next ${index + 4} 0 R` : '';
    return `<</Title <FEFF${Buffer.from(title, 'utf16le').swap16().toString('hex')}>${next}>>`;
  });
  const objects = ['<</Outlines 2 0 R>>', '<</First 3 0 R>>', ...items];
  return Buffer.from(buildPdf(Object.fromEntries(objects.map((object, index) => [index + 1, object]))));
};

const titlesOf = (pdf: Buffer): string[] => {
  const { size, bytesOf } = openPdfObjects(pdf);
  return Array.from({ length: size - 3 }, (_, index) => {
    const { start, end } = bytesOf(index + 3);
    const [, hex] = /<FEFF([\da-f]*)>/i.exec(pdf.toString('latin1', start, end))!;
    return Buffer.from(hex!, 'hex').swap16().toString('utf16le');
  });
};

const textsOf = (texts: readonly string[]): HeadingText[] => texts.map((text) => ({ text, title: text }));

it('Titles get the texts of the headings with the same letters', () => {
  const pdf = pdfOf(['theend', 'xyz', 'not a heading', 'x😀y']);
  const headings = ['the end', 'z yx', 'x 😀 y'];
  expect(titlesOf(withHeadingTitles(pdf, textsOf(headings)))).toEqual(['the end', 'z yx', 'not a heading', 'x 😀 y']);
});

it('Titles stay as the browser wrote them after 200,000 letters, and if they are very long', () => {
  // Each character is compared as 15 letters.
  const long = '\ufdfa'.repeat(500);
  const headings = ['a b', ...Array.from({ length: 30 }, (_, n) => `${n} ${long}`), 'c d'];
  const titles = headings.map((heading) => heading.replaceAll(' ', ''));
  const given = titlesOf(withHeadingTitles(pdfOf(titles), textsOf(headings)));
  expect(given).toEqual([...headings.slice(0, 27), ...titles.slice(27)]);
  const tooLong = `${'e'.repeat(3_000)} f`;
  const written = tooLong.replace(' ', '');
  expect(titlesOf(withHeadingTitles(pdfOf([written]), textsOf([tooLong])))).toEqual([written]);
});

it('Titles are written once if the browser writes them several times', () => {
  const pdf = pdfOf(['MonthMonth', 'Bora Bora', 'x x', 'theendtheendtheend', 'aa']);
  const headings = ['Month', 'Bora Bora', 'x x', 'the end'];
  const titles = titlesOf(withHeadingTitles(pdf, textsOf(headings)));
  expect(titles).toEqual(['Month', 'Bora Bora', 'x x', 'the end', 'aa']);
});
