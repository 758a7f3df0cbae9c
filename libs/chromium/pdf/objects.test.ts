import { expect, test } from 'vitest';
import { countPages, setPdfDates } from './objects.ts';

/** A PDF of these objects, numbered from 1, with a plain cross-reference table. */
const pdfOf = (objects: string[], trailer: string): Buffer => {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
};

const dates = (time: string) => `/CreationDate (D:${time}+00'00')\n/ModDate (D:${time}+00'00')`;
const info = `<</Title (mine (D:1) /CreationDate (D:19990101000000+00'00') endobj)\n${dates('20200101000000')}>>`;
const sample = () =>
  pdfOf(
    [
      info,
      '<</Type /Pages\n/Count 12\n/Kids []>>',
      '<</Type /Pages\n/Count 99>>',
      '<</Type /Catalog\n/Lang (x /Pages 3 0 R)\n/Pages 2 0 R>>',
    ],
    '<</Size 5\n/Root 4 0 R\n/Info 1 0 R>>',
  );

test('the page count is that of the page tree in the catalogue, not of one in a text', () => {
  expect(countPages(sample())).toBe(12);
});

test('the dates are set in place and the title keeps its text', () => {
  const [before, after] = [sample(), sample()];
  setPdfDates(after, new Date('2026-02-03T04:05:06.999Z'));
  expect(after.toString('latin1')).toBe(
    before.toString('latin1').replace(dates('20200101000000'), dates('20260203040506')),
  );
});

test('setting the dates fails for a PDF without dates in the expected place', () => {
  const bare = pdfOf(
    ['<</Creator (x)>>', '<</Type /Pages\n/Count 1>>', '<</Pages 2 0 R>>'],
    '<</Root 3 0 R\n/Info 1 0 R>>',
  );
  expect(() => setPdfDates(bare, new Date())).toThrow('/CreationDate');
});
