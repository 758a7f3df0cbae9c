import { expect, test } from 'vitest';
import { buildPdf } from '#libs/pdf/testing/build-pdf.ts';
import { countPages, replaceObjects, setPdfDates } from './objects.ts';

const dates = (time: string) => `/CreationDate (D:${time}+00'00')\n/ModDate (D:${time}+00'00')`;
const info = `<</Title (mine (D:1) /CreationDate (D:19990101000000+00'00') endobj)\n${dates('20200101000000')}>>`;
const sample = () =>
  Buffer.from(
    buildPdf(
      {
        1: '<</Type /Catalog\n/Lang (x /Pages 4 0 R)\n/Pages 3 0 R>>',
        2: info,
        3: '<</Type /Pages\n/Count 12\n/Kids []>>',
        4: '<</Type /Pages\n/Count 99>>',
      },
      '/Info 2 0 R',
    ),
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
  const bare = { 1: '<</Pages 2 0 R>>', 2: '<</Type /Pages\n/Count 1>>', 3: '<</Creator (x)>>' };
  expect(() => setPdfDates(Buffer.from(buildPdf(bare, '/Info 3 0 R')), new Date())).toThrow('/CreationDate');
});

test('replacing objects leaves unused numbers unused', () => {
  const { 3: pages, ...others } = { 1: '<</Pages 3 0 R>>', 3: '<</Type /Pages\n/Count 1>>', 4: '<</Title (old)>>' };
  const replaced = replaceObjects(
    Buffer.from(buildPdf({ ...others, 3: pages })),
    new Map([[4, '4 0 obj\n<</Title (new)>>']]),
  );
  const [, table] = replaced.toString('latin1').split(/\nxref\n0 5\n/);
  expect(
    table!
      .split('\n')
      .slice(0, 5)
      .map((row) => row.slice(11, 18)),
  ).toEqual(['65535 f', '00000 n', '65535 f', '00000 n', '00000 n']);
});
