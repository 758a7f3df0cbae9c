import { PDFDict } from '@cantoo/pdf-lib';
import { expect, it } from 'vitest';
import { conformPages } from './conform.ts';
import { loadPdf } from './load-and-save.ts';
import { name, textOf } from './names-and-texts.ts';
import { buildPdf, onePage } from './testing/build-pdf.ts';

it('Links are described by their URL, but not by that of a part, which no reader knows', async () => {
  const linkTo = (action: string): string => `<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] ${action} >>`;
  const document = await loadPdf(
    buildPdf({
      ...onePage,
      3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Annots [6 0 R 7 0 R 8 0 R] >>',
      6: linkTo('/A << /S /URI /URI (https://example.com/) >>'),
      7: linkTo('/A << /S /URI /URI (part:0#heading=1) >>'),
      8: linkTo('/Dest [3 0 R /Fit]'),
    }),
  );
  conformPages(document, { standards: { pdfa: null, isPdfUa: false }, namesLanguage: true, title: null });
  const annotations = document.getPage(0).node.Annots()!;
  const descriptions = [0, 1, 2].map((at) => textOf(annotations.lookup(at, PDFDict).get(name('Contents'))));
  expect(descriptions).toEqual(['https://example.com/', 'Link', 'Link']);
});
