import { PDFArray, PDFDict, type PDFDocument, PDFNumber, type PDFObject } from '@cantoo/pdf-lib';
import { expect, it } from 'vitest';
import { markPageArtifacts } from './artifacts.ts';
import { loadPdf } from './load-and-save.ts';
import { name } from './names-and-texts.ts';
import { pageContent } from './streams.ts';
import { kidsOf } from './structure-tree.ts';
import { buildPdf } from './testing/build-pdf.ts';

/** A table on two pages: a header cell, a cell and a drawing, and a heading that is drawn on both, but has no room on the first. */
const first = [
  ['TR', '0 0 9 9 re f'],
  ['NonStruct', 'BT <0041> Tj ET'],
  ['NonStruct', 'BT <0042> Tj ET'],
  ['Figure', '0 0 9 9 re f'],
  ['NonStruct', 'BT ET'],
];
const second = [
  ['NonStruct', 'BT <0041> Tj ET'],
  ['NonStruct', 'BT <0042> Tj ET'],
  ['NonStruct', 'BT <0043> Tj ET'],
  ['NonStruct', 'BT <0044> Tj ET'],
];
const contentOf = (marked: readonly string[][]): string =>
  marked.map(([role, content], id) => `/${role} <</MCID ${id} >>BDC\n${content}\nEMC`).join('\n');
const kid = (page: number, id: number): string => `<< /Type /MCR /Pg ${page} 0 R /MCID ${id} >>`;
const element = (role: string, parent: number, kids: string): string =>
  `<< /Type /StructElem /S /${role} /P ${parent} 0 R /Pg 3 0 R /K [${kids}] >>`;

const build = (): Promise<PDFDocument> =>
  loadPdf(
    buildPdf({
      1: '<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 7 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 9 9] >>',
      3: '<< /Type /Page /Parent 2 0 R /Contents 5 0 R /StructParents 0 >>',
      4: '<< /Type /Page /Parent 2 0 R /Contents 6 0 R /StructParents 1 >>',
      5: { dictionary: '', stream: contentOf(first) },
      6: { dictionary: '', stream: contentOf(second) },
      7: '<< /Type /StructTreeRoot /K [8 0 R] /ParentTree 20 0 R >>',
      8: element('Document', 7, '9 0 R 15 0 R 16 0 R'),
      9: element('Table', 8, '10 0 R'),
      // The marked content of an element can be a number alone.
      10: element('TR', 9, '0 11 0 R 13 0 R'),
      11: element('TH', 10, '12 0 R'),
      12: element('NonStruct', 11, `${kid(3, 1)} ${kid(4, 0)} ${kid(4, 2)}`),
      13: element('TD', 10, '14 0 R'),
      14: element('NonStruct', 13, `${kid(3, 2)} ${kid(4, 1)}`),
      15: element('Figure', 8, kid(3, 3)),
      16: element('H1', 8, '17 0 R'),
      17: element('NonStruct', 16, `${kid(3, 4)} ${kid(4, 3)}`),
      20: '<< /Nums [0 [10 0 R 12 0 R 14 0 R 15 0 R 17 0 R] 1 [12 0 R 14 0 R 12 0 R 17 0 R]] >>',
    }),
  );

const isArtifact = (document: PDFDocument, page: number): boolean[] =>
  [...pageContent(document.getPage(page)).matchAll(/\/(\w+) (?:<<.*>>)?B[MD]C/g)].map(
    ([, role]) => role === 'Artifact',
  );

it('Borders, repeated header cells and what has no room on its page are artifacts, and everything else stays', async () => {
  const document = await build();
  markPageArtifacts(document);
  expect(isArtifact(document, 0)).toEqual([true, false, false, false, true]);
  // The text of the header cell is repeated, but not that of the cell, and not what the header cell has in addition.
  expect(isArtifact(document, 1)).toEqual([true, false, false, false]);
});

it('The structure has no reference to what is now an artifact', async () => {
  const document = await build();
  markPageArtifacts(document);
  const { context } = document;
  const marked = new Map<string, number[]>();
  for (const [reference, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict) || object.get(name('Type')) !== name('StructElem')) continue;
    const ids = kidsOf(object).flatMap((one): number[] => {
      const found = context.lookup(one);
      const id: PDFObject | undefined = found instanceof PDFDict ? found.lookup(name('MCID')) : found;
      return id instanceof PDFNumber ? [id.asNumber()] : [];
    });
    marked.set(reference.toString(), ids);
  }
  expect([10, 12, 14, 15, 17].map((number) => marked.get(`${number} 0 R`))).toEqual([[], [1, 2], [2, 1], [3], [3]]);
  const root = document.catalog.lookup(name('StructTreeRoot'), PDFDict);
  const numbers = root.lookup(name('ParentTree'), PDFDict).lookup(name('Nums'), PDFArray);
  expect([1, 3].map((at) => numbers.lookup(at, PDFArray).toString())).toEqual([
    '[ null 12 0 R 14 0 R 15 0 R null ]',
    '[ null 14 0 R 12 0 R 17 0 R ]',
  ]);
});
