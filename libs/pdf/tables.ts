import { PDFArray, type PDFDocument, PDFNumber } from '@cantoo/pdf-lib';
import { name, textOf } from './names-and-texts.ts';
import { attributesOf, type StructureElement } from './structure-tree.ts';

const spanOf = (cell: StructureElement, direction: 'RowSpan' | 'ColSpan'): number => {
  const spans = attributesOf(cell).map((one) => one.get(name(direction)));
  const span = spans.find((one) => one instanceof PDFNumber)?.asNumber() ?? 1;
  return Math.max(1, Math.min(1000, span));
};

const headersOf = (cell: StructureElement): string[] =>
  attributesOf(cell).flatMap((one) => {
    const headers = one.lookup(name('Headers'));
    return headers instanceof PDFArray ? headers.asArray().flatMap((header) => textOf(header) ?? []) : [];
  });

const isCell = ({ role }: StructureElement): boolean => role === 'TD' || role === 'TH';

/** The rows of each group of rows. */
const rowGroupsOf = (table: StructureElement): StructureElement[][] => {
  const loose = table.children.filter(({ role }) => role === 'TR');
  const groups = table.children.filter(({ role }) => ['THead', 'TBody', 'TFoot'].includes(role));
  return [loose, ...groups.map(({ children }) => children)];
};

const rowsOf = (table: StructureElement): StructureElement[] =>
  table.children.flatMap((child) =>
    child.role === 'TR' ? [child] : ['THead', 'TBody', 'TFoot'].includes(child.role) ? child.children : [],
  );

const limitRowSpan = ({ context }: PDFDocument, cell: StructureElement, left: number): void => {
  for (const attributes of attributesOf(cell)) {
    const span = attributes.lookup(name('RowSpan'));
    const isWithin = !(span instanceof PDFNumber) || (span.asNumber() >= 1 && span.asNumber() <= left);
    if (!isWithin) attributes.set(name('RowSpan'), context.obj(left));
  }
};

/**
 * HTML may let a cell go on below the last row of its group, or to it without a number (0). The browser ends it there
 * (ISO 14289-1, 7.5).
 */
const limitRowSpans = (document: PDFDocument, table: StructureElement): void => {
  for (const rows of rowGroupsOf(table))
    for (const [at, row] of rows.entries())
      for (const cell of row.children.filter(isCell)) limitRowSpan(document, cell, rows.length - at);
};

/** Columns from `start` to before `end`. */
type Range = { start: number; end: number };
/** `cell` is null for empty cells, which the browser leaves out. */
type Position = Range & { cell: StructureElement | null };
/** A cell from above that goes on in `rows` further rows. */
type Spanning = Range & { rows: number };

const byStart = (one: Range, other: Range): number => one.start - other.start;

/**
 * The column of a cell, at least `earliest`, by its headers: those of the row are before it, and those of groups may
 * begin before it.
 */
const columnByHeaders = (
  cell: StructureElement,
  earliest: number,
  headerColumns: ReadonlyMap<string, number>,
): number => {
  const columns = headersOf(cell).map((header) => headerColumns.get(header) ?? -1);
  const possible = columns.filter((column) => column >= earliest).toSorted((one, other) => one - other);
  return (spanOf(cell, 'ColSpan') > 1 ? possible[0] : possible.at(-1)) ?? earliest;
};

/** The cells of a row at their columns. `above` is sorted. */
const placeCells = (
  row: StructureElement,
  above: readonly Spanning[],
  headerColumns: ReadonlyMap<string, number>,
): Position[] => {
  const positions: Position[] = [];
  let column = 0;
  let next = 0;
  for (const cell of row.children.filter(isCell)) {
    column = columnByHeaders(cell, column, headerColumns);
    for (; next < above.length && above[next]!.start <= column; next += 1) column = Math.max(column, above[next]!.end);
    positions.push({ cell, start: column, end: column + spanOf(cell, 'ColSpan') });
    column = positions.at(-1)!.end;
  }
  return positions;
};

/** The columns before `width` that none of the ranges has. */
const gapsBetween = (ranges: readonly Range[], width: number): Range[] => {
  const gaps: Range[] = [];
  let column = 0;
  for (const { start, end } of [...ranges.toSorted(byStart), { start: width, end: width }]) {
    if (start > column) gaps.push({ start: column, end: start });
    column = Math.max(column, end);
  }
  return gaps;
};

const newCell = ({ context }: PDFDocument, row: StructureElement, columns: number): StructureElement => {
  const dictionary = context.obj({ Type: 'StructElem', S: 'TD', P: row.reference });
  if (columns > 1) dictionary.set(name('A'), context.obj({ O: 'Table', ColSpan: columns }));
  return { reference: context.register(dictionary), dictionary, role: 'TD', children: [] };
};

/** A table with more empty cells gets one cell for those that are next to each other: each takes 90 bytes. */
const maxSingleCells = 2000;

type PlacedRow = { row: StructureElement; positions: Position[]; above: Spanning[] };

const placeRows = (rows: readonly StructureElement[]): { placed: PlacedRow[]; width: number } => {
  const headerColumns = new Map<string, number>();
  const placed: PlacedRow[] = [];
  let above: Spanning[] = [];
  let width = 0;
  for (const row of rows) {
    const positions = placeCells(row, above, headerColumns);
    placed.push({ row, positions, above });
    const going = above.flatMap((one) => (one.rows > 1 ? [{ ...one, rows: one.rows - 1 }] : []));
    for (const { cell, start, end } of positions) {
      width = Math.max(width, end);
      const id = cell?.role === 'TH' ? textOf(cell.dictionary.get(name('ID'))) : null;
      if (id !== null) headerColumns.set(id, start);
      const rowSpan = cell ? spanOf(cell, 'RowSpan') : 1;
      if (rowSpan > 1) going.push({ start, end, rows: rowSpan - 1 });
    }
    above = going.toSorted(byStart);
  }
  return { placed, width };
};

/** Adds the empty cells that the browser leaves out, so that all rows have the same columns (ISO 14289-1, 7.5). */
const completeTable = (document: PDFDocument, table: StructureElement): void => {
  limitRowSpans(document, table);
  const { placed, width } = placeRows(rowsOf(table));
  const gaps = placed.map(({ positions, above }) => gapsBetween([...positions, ...above], width));
  const missing = gaps.flat().reduce((sum, { start, end }) => sum + end - start, 0);
  for (const [at, { row, positions }] of placed.entries()) {
    if (gaps[at]!.length === 0) continue;
    const empty = gaps[at]!.flatMap(({ start, end }): Position[] =>
      missing > maxSingleCells
        ? [{ cell: null, start, end }]
        : Array.from({ length: end - start }, (_, index) => ({
            cell: null,
            start: start + index,
            end: start + index + 1,
          })),
    );
    const others = row.children.filter((child) => !isCell(child));
    const cells = [...positions, ...empty].toSorted(byStart);
    row.children = [...cells.map(({ cell, start, end }) => cell ?? newCell(document, row, end - start)), ...others];
    row.dictionary.set(name('K'), document.context.obj(row.children.map(({ reference }) => reference)));
  }
};

/** Completes all tables of the structure tree. */
export const completeTables = (document: PDFDocument, elements: readonly StructureElement[]): void => {
  for (const element of elements) if (element.role === 'Table') completeTable(document, element);
};
