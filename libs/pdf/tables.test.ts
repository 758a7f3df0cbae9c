import { PDFArray, PDFDict, PDFDocument, PDFHexString, PDFNumber, type PDFRef } from '@cantoo/pdf-lib';
import { describe, expect, it, vi } from 'vitest';
import { name } from './names-and-texts.ts';
import { completeStructure } from './structure.ts';

type Cell = { role?: 'TH'; id?: string; headers?: string[]; columns?: number; rows?: number };

/** A tagged document with one table. */
const documentWith = async (rows: readonly (readonly Cell[])[]) => {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context } = document;
  const element = (role: string, kids: readonly PDFRef[]): PDFRef =>
    context.register(context.obj({ Type: 'StructElem', S: role, K: [...kids] }));
  const cellOf = ({ role, id, headers, columns = 1, rows: spanned = 1 }: Cell): PDFRef => {
    const reference = element(role ?? 'TD', []);
    const dictionary = context.lookup(reference, PDFDict);
    const attributes = context.obj({ O: 'Table', ColSpan: columns, RowSpan: spanned });
    if (headers) attributes.set(name('Headers'), context.obj(headers.map((one) => PDFHexString.fromText(one))));
    dictionary.set(name('A'), attributes);
    if (id) dictionary.set(name('ID'), PDFHexString.fromText(id));
    return reference;
  };
  const lines = rows.map((cells) => element('TR', cells.map(cellOf)));
  const top = element('Document', [element('Table', lines)]);
  const parents = context.register(context.obj({ Nums: [] }));
  const root = context.register(context.obj({ Type: 'StructTreeRoot', K: top, ParentTree: parents }));
  document.catalog.set(name('StructTreeRoot'), root);
  return { document, lines, top: context.lookup(top, PDFDict) };
};

const numberIn = (cell: PDFDict, key: string): number =>
  cell.lookupMaybe(name('A'), PDFDict)?.lookupMaybe(name(key), PDFNumber)?.asNumber() ?? 1;

const cellsOf = (document: PDFDocument, row: PDFRef): PDFDict[] => {
  const kids = document.context.lookup(row, PDFDict).lookup(name('K'), PDFArray);
  return Array.from({ length: kids.size() }, (_, at) => kids.lookup(at, PDFDict));
};
/** The columns of the cells of each row. */
const spansOf = (document: PDFDocument, rows: readonly PDFRef[]): number[][] =>
  rows.map((row) => cellsOf(document, row).map((cell) => numberIn(cell, 'ColSpan')));

describe('A table of the browser, which leaves out empty cells', () => {
  it('gets them at their columns', async () => {
    const { document, lines } = await documentWith([
      [
        { role: 'TH', id: 'a' },
        { role: 'TH', id: 'b' },
        { role: 'TH', id: 'c' },
        { role: 'TH', id: 'd' },
      ],
      [
        { role: 'TH', id: 'row', headers: ['a'] },
        { headers: ['row', 'c'], rows: 2 },
      ],
      [{ headers: ['d'] }],
      [],
    ]);
    completeStructure(document, true);
    expect(spansOf(document, lines)).toEqual([
      [1, 1, 1, 1],
      [1, 1, 1, 1],
      [1, 1, 1],
      [1, 1, 1, 1],
    ]);
    expect(cellsOf(document, lines[1]!).map((cell) => numberIn(cell, 'RowSpan'))).toEqual([1, 1, 2, 1]);
  });

  it('has no cell that goes on below the last row', async () => {
    const { document, lines } = await documentWith([
      [{ role: 'TH' }, { role: 'TH' }],
      [{ rows: 3 }, { rows: 2 }, { rows: 65_534 }],
      [],
    ]);
    completeStructure(document, true);
    expect(lines.map((line) => cellsOf(document, line).map((cell) => numberIn(cell, 'RowSpan')))).toEqual([
      [1, 1, 1],
      [2, 2, 2],
      [],
    ]);
  });

  it('has cells that go on to the last row, if HTML gives them a rowspan of 0', async () => {
    const { document, lines } = await documentWith([[{ rows: 0 }, {}, {}], [{ columns: 2 }], [{ columns: 2 }]]);
    completeStructure(document, true);
    expect(spansOf(document, lines)).toEqual([[1, 1, 1], [2], [2]]);
    expect(numberIn(cellsOf(document, lines[0]!)[0]!, 'RowSpan')).toBe(3);
  });

  it('gets one for empty cells next to each other, if there are many', async () => {
    const header = Array.from({ length: 300 }, (_, at): Cell => ({ role: 'TH', id: `c${at}` }));
    const rows = Array.from({ length: 800 }, (_, at): Cell[] => [{ headers: [`c${at % 300}`] }]);
    const { document, lines } = await documentWith([header, ...rows]);
    const before = document.context.enumerateIndirectObjects().length;
    completeStructure(document, true);
    const spans = spansOf(document, lines);
    expect(spans.every((row) => row.reduce((sum, span) => sum + span, 0) === 300)).toBe(true);
    expect(spans[3]).toEqual([2, 1, 297]);
    expect(document.context.enumerateIndirectObjects().length - before).toBeLessThanOrEqual(1600);
  });
});

it('Links of headers are added to the structure at once', async () => {
  const { document, top } = await documentWith([[{}]]);
  for (let at = 0; at < 20; at += 1) {
    const link = document.context.register(document.context.obj({ Type: 'Annot', Subtype: 'Link' }));
    document.addPage().node.set(name('Annots'), document.context.obj([link, link]));
  }
  const write = vi.spyOn(top, 'set');
  completeStructure(document, true);
  expect(top.lookup(name('K'), PDFArray).size()).toBe(21);
  expect(write.mock.calls.filter(([key]) => key === name('K')).length).toBeLessThanOrEqual(2);
});
