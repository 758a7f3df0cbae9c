import { PDFDict, type PDFRawStream } from '@cantoo/pdf-lib';
import { expect, it } from 'vitest';
import { completeUnicodeMaps } from './glyphs.ts';
import { loadPdf } from './load-and-save.ts';
import { name } from './names-and-texts.ts';
import { contentOf } from './streams.ts';
import { buildPdf, onePage } from './testing/build-pdf.ts';

const completed = async (font: string, entries: string): Promise<string> => {
  const map = `begincmap\n1 begincodespacerange\n<00> <FF>\nendcodespacerange\n${entries}\nendcmap\n`;
  const document = await loadPdf(
    buildPdf({
      ...onePage,
      5: `<< /Type /Font ${font} /ToUnicode 6 0 R >>`,
      6: { dictionary: '', stream: map },
    }),
  );
  completeUnicodeMaps(document);
  const fonts = document.context.enumerateIndirectObjects().map(([, object]) => object);
  const changed = fonts.find((one) => one instanceof PDFDict && one.has(name('ToUnicode'))) as PDFDict;
  return contentOf(changed.lookup(name('ToUnicode')) as PDFRawStream).replaceAll(/\s+/g, ' ');
};

const trueType = '/Subtype /TrueType /FirstChar 0 /LastChar 9';

it('Glyphs that a font of one-byte codes maps to nothing get a character', async () => {
  const entries =
    '3 beginbfchar\n<00> <0048>\n<01> <0939093F>\n<0A> <48>\nendbfchar\n' +
    '2 beginbfrange\n<03> <05> <0061>\n<07> <08> [<0061> <0062>]\nendbfrange';
  const map = await completed(trueType, entries);
  const added = ['02', '06', '09'].map((code) => `1 beginbfchar <${code}> <200B> endbfchar `).join('');
  expect(map).toContain(`endbfrange ${added}endcmap`);
});

it('A map that has all codes, or is that of a font of longer codes, stays as it is', async () => {
  const range = '1 beginbfrange\n<00> <09> <0061>\nendbfrange';
  expect(await completed(trueType, range)).toContain('endbfrange endcmap');
  expect(await completed('/Subtype /Type0', '1 beginbfchar\n<0001> <0061>\nendbfchar')).toContain('endbfchar endcmap');
});

it('A glyph that is mapped to no character gets one', async () => {
  const map = await completed('/Subtype /Type0', '2 beginbfchar\n<0001> <0000>\n<0002> <feff>\nendbfchar');
  expect(map).toContain('<0001> <200B> <0002> <200B>');
});
