import { PDFArray, PDFDict, type PDFDocument, PDFNumber, type PDFObject } from '@cantoo/pdf-lib';
import { expect, it } from 'vitest';
import { markPageArtifacts } from './artifacts.ts';
import { loadPdf } from './load-and-save.ts';
import { name } from './names-and-texts.ts';
import { pageContent } from './streams.ts';
import { kidsOf } from './structure-tree.ts';
import { buildPdf } from './testing/build-pdf.ts';

/**
 * On two pages: a row that is repeated, a row that goes on, a drawing, and a heading that is drawn on both, but has no
 * room on the first.
 */
const first = [
  ['TR', '0 0 9 9 re f'],
  ['NonStruct', 'BT <0041> Tj ET'],
  ['NonStruct', 'BT <0042> Tj ET'],
  ['Figure', '0 0 9 9 re f'],
  ['NonStruct', 'BT ET'],
  ['NonStruct', 'BT <0043> Tj ET'],
  ['NonStruct', 'BT <0043> Tj ET'],
];
const second = [
  ['NonStruct', 'BT <0041> Tj ET'],
  ['NonStruct', 'BT <0042> Tj ET'],
  ['NonStruct', 'BT <0043> Tj ET'],
  ['NonStruct', 'BT <0044> Tj ET'],
  ['NonStruct', 'BT <0043> Tj ET'],
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
      7: '<< /Type /StructTreeRoot /K [8 0 R] /ParentTree 24 0 R >>',
      8: element('Document', 7, '9 0 R 15 0 R 16 0 R'),
      9: element('Table', 8, '10 0 R 18 0 R'),
      // The marked content of an element can be a number alone.
      10: element('TR', 9, '0 11 0 R 13 0 R'),
      11: element('TH', 10, '12 0 R'),
      12: element('NonStruct', 11, `${kid(3, 1)} ${kid(4, 0)}`),
      13: element('TD', 10, '14 0 R'),
      14: element('NonStruct', 13, `${kid(3, 2)} ${kid(4, 1)}`),
      15: element('Figure', 8, kid(3, 3)),
      16: element('H1', 8, '17 0 R'),
      17: element('NonStruct', 16, `${kid(3, 4)} ${kid(4, 3)}`),
      // The two lines of a cell have the same text, and the second is on the second page.
      18: element('TR', 9, '19 0 R 22 0 R'),
      19: element('TD', 18, '20 0 R 21 0 R'),
      20: element('NonStruct', 19, kid(3, 5)),
      21: element('NonStruct', 19, kid(4, 2)),
      // A text goes on with the same characters, but others in its row do not.
      22: element('TD', 18, '23 0 R'),
      23: element('NonStruct', 22, `${kid(3, 6)} ${kid(4, 4)}`),
      24: `<< /Nums [
        0 [10 0 R 12 0 R 14 0 R 15 0 R 17 0 R 20 0 R 23 0 R]
        1 [12 0 R 14 0 R 21 0 R 17 0 R 23 0 R]
      ] >>`,
    }),
  );

const isArtifact = (document: PDFDocument, page: number): boolean[] =>
  [...pageContent(document.getPage(page)).matchAll(/\/(\w+) (?:<<.*>>)?B[MD]C/g)].map(
    ([, role]) => role === 'Artifact',
  );

it('Borders, repeated rows and what has no room on its page are artifacts, and everything else stays', async () => {
  const document = await build();
  markPageArtifacts(document);
  expect(isArtifact(document, 0)).toEqual([true, false, false, false, true, false, false]);
  expect(isArtifact(document, 1)).toEqual([true, true, false, false, false]);
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
  const kidsLeft = [10, 12, 14, 15, 17, 20, 21, 23].map((number) => marked.get(`${number} 0 R`));
  expect(kidsLeft).toEqual([[], [1], [2], [3], [3], [5], [2], [6, 4]]);
  const root = document.catalog.lookup(name('StructTreeRoot'), PDFDict);
  const numbers = root.lookup(name('ParentTree'), PDFDict).lookup(name('Nums'), PDFArray);
  expect([1, 3].map((at) => numbers.lookup(at, PDFArray).toString())).toEqual([
    '[ null 12 0 R 14 0 R 15 0 R null 20 0 R 23 0 R ]',
    '[ null null 21 0 R 17 0 R 23 0 R ]',
  ]);
});

it('Text at the same place of all pages is there once, and one that goes on with the same characters stays', async () => {
  const at = (place: number, text: string): string => `BT\n1 0 0 -1 8 ${place} Tm\n<${text}> Tj ET`;
  const contents = (places: readonly number[]) => ({
    dictionary: '',
    stream: contentOf(places.map((place) => ['NonStruct', at(place, '0041')])),
  });
  const kids = (id: number): string => `${kid(3, id)} ${kid(4, id)}`;
  const document = await loadPdf(
    buildPdf({
      1: '<< /Type /Catalog /Pages 2 0 R /StructTreeRoot 7 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 9 9] >>',
      3: '<< /Type /Page /Parent 2 0 R /Contents 5 0 R /StructParents 0 >>',
      4: '<< /Type /Page /Parent 2 0 R /Contents 6 0 R /StructParents 1 >>',
      5: contents([14, 50]),
      6: contents([14, 70]),
      7: '<< /Type /StructTreeRoot /K [8 0 R] /ParentTree 11 0 R >>',
      8: element('Document', 7, '9 0 R 10 0 R'),
      9: element('NonStruct', 8, kids(0)),
      10: element('NonStruct', 8, kids(1)),
      11: '<< /Nums [0 [9 0 R 10 0 R] 1 [9 0 R 10 0 R]] >>',
    }),
  );
  markPageArtifacts(document);
  expect([isArtifact(document, 0), isArtifact(document, 1)]).toEqual([
    [false, false],
    [true, false],
  ]);
});
