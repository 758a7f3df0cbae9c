import { valuesOf } from './edit-tags.ts';

export type Range = { from: number; to: number };
export type Margins = { left: number; right: number };

export type Row = {
  /** The end of its start tag. */
  start: number;
  properties: Range | null;
  hasHeight: boolean;
};

export type Cell = {
  row: Row;
  column: number;
  span: number;
  /** The width that the cell itself names; undefined for none. */
  width: number | undefined;
  margins: Partial<Margins>;
  isRotated: boolean;
  /** Whether it has text or a picture. */
  isFilled: boolean;
  characters: number;
  /** The end of its start tag. */
  start: number;
  properties: Range | null;
  marginsAt: Range | null;
};

export type Table = {
  /** Where each column of the grid begins, and the end of the last one. */
  edges: number[];
  gridAt: Range[];
  /** In `dxa`, or in fiftieths of a per cent: `pct`. */
  width: { value: number; unit: string } | null;
  isFixed: boolean;
  style: string | undefined;
  margins: Partial<Margins>;
  /** The cell that the table is in, with its table. */
  outer: { table: Table; cell: Cell } | null;
  cells: Cell[];
};

/** The margins that Word uses if neither a style nor the table names others. */
export const defaultMargins: Margins = { left: 108, right: 108 };

type OpenTable = { table: Table; row: Row | null; column: number; cell: Cell | null };

const tags = new RegExp(
  String.raw`<(\/?)w:(tbl|tblW|tblLayout|tblStyle|tblCellMar|gridCol|gridBefore|tr|trPr|trHeight|tc|tcPr|tcW|gridSpan|tcMar|` +
    String.raw`textDirection|left|right|start|end|t|sym|drawing|pict|object|\w+Change)(?=[\s/>])[^<>]*>`,
  'g',
);

export const attributeOf = (tag: string, name: string): string | undefined => valuesOf(tag, name)[0];

/** A length in twentieths of a point; undefined for another unit. */
export const lengthIn = (tag: string): number | undefined => {
  const length = Number(attributeOf(tag, 'w') ?? Number.NaN);
  return (attributeOf(tag, 'type') ?? 'dxa') === 'dxa' && Number.isFinite(length) ? length : undefined;
};

const countIn = (tag: string): number => Math.max(0, Math.trunc(Number(attributeOf(tag, 'val'))) || 0);

export const widthInGrid = ({ edges }: Table, { column, span }: Cell): number => {
  const edge = (at: number): number => edges[Math.min(at, edges.length - 1)]!;
  return edge(column + span) - edge(column);
};

const newTable = (outer: Table['outer']): Table => ({
  edges: [0],
  gridAt: [],
  width: null,
  isFixed: false,
  style: undefined,
  margins: {},
  outer,
  cells: [],
});

const newCell = (row: Row, column: number, start: number): Cell => ({
  row,
  column,
  span: 1,
  width: undefined,
  margins: {},
  isRotated: false,
  isFilled: false,
  characters: 0,
  start,
  properties: null,
  marginsAt: null,
});

const readTableTag = (table: Table, name: string, tag: string, range: Range): void => {
  if (name === 'gridCol') {
    table.edges.push(table.edges.at(-1)! + (lengthIn(tag) ?? 0));
    table.gridAt.push(range);
  } else if (name === 'tblW') {
    const [value = '', unit = 'dxa'] = [attributeOf(tag, 'w'), attributeOf(tag, 'type')];
    table.width = value.endsWith('%')
      ? { value: Number.parseFloat(value) * 50, unit: 'pct' }
      : { value: Number(value), unit };
  } else if (name === 'tblLayout') table.isFixed = attributeOf(tag, 'type') === 'fixed';
  else if (name === 'tblStyle') table.style = attributeOf(tag, 'val');
};

const readRowTag = (open: OpenTable, row: Row, name: string, tag: string, range: Range): void => {
  if (name === 'trPr') row.properties ??= range;
  else if (name === 'trHeight') row.hasHeight = true;
  else if (name === 'gridBefore') open.column += countIn(tag);
};

const readCellTag = (cell: Cell, name: string, tag: string, range: Range, nextTag: number): void => {
  if (name === 'tcPr') cell.properties ??= range;
  else if (name === 'tcW') cell.width = lengthIn(tag);
  else if (name === 'gridSpan') cell.span = Math.max(1, countIn(tag));
  else if (name === 'tcMar') cell.marginsAt ??= range;
  else if (name === 'textDirection')
    cell.isRotated = /^(?:btLr|tbRl|tbLr|rl|lr)V?$/.test(attributeOf(tag, 'val') ?? '');
  else if (/^(?:t|sym|drawing|pict|object)$/.test(name)) {
    cell.isFilled = true;
    if (name === 't') cell.characters += Math.max(0, nextTag - range.to);
  }
};

/** The tables in a part of a Word document, inner ones first, with the lengths that they name. */
export const readWordTables = (xml: string): Table[] => {
  const tables: Table[] = [];
  const stack: OpenTable[] = [];
  let margins: Partial<Margins> | null = null;
  /** How many elements with former properties, of tracked changes, are open. */
  let changes = 0;
  for (const { 0: tag, 1: slash, 2: name = '', index } of xml.matchAll(tags)) {
    const [isEnd, isEmpty, range] = [slash === '/', tag.endsWith('/>'), { from: index, to: index + tag.length }];
    if (name.endsWith('Change')) changes += isEnd ? -1 : isEmpty ? 0 : 1;
    if (changes > 0) continue;
    const open = stack.at(-1);
    if (name === 'tbl') {
      const outer = open?.cell ? { table: open.table, cell: open.cell } : null;
      if (!isEnd) stack.push({ table: newTable(outer), row: null, column: 0, cell: null });
      else if (open) tables.push(stack.pop()!.table);
      continue;
    }
    if (!open) continue;
    const { table, row, cell } = open;
    if (name === 'tr') Object.assign(open, { row: isEnd ? null : newRow(range.to), column: 0 });
    else if (name === 'tc' && isEnd && cell) {
      table.cells.push(cell);
      Object.assign(open, { column: cell.column + cell.span, cell: null });
    } else if (name === 'tc' && row && !isEmpty) open.cell = newCell(row, open.column, range.to);
    else if (name === 'tcMar' || name === 'tblCellMar') {
      margins = isEnd || isEmpty ? null : cell ? cell.margins : row ? {} : table.margins;
    } else if (margins && /^(?:left|start)$/.test(name)) margins.left = lengthIn(tag) ?? defaultMargins.left;
    else if (margins && /^(?:right|end)$/.test(name)) margins.right = lengthIn(tag) ?? defaultMargins.right;
    if (isEnd) closeRange(name, row, cell, range.to);
    else if (cell) readCellTag(cell, name, tag, range, name === 't' ? xml.indexOf('<', range.to) : 0);
    else if (row) readRowTag(open, row, name, tag, range);
    else readTableTag(table, name, tag, range);
  }
  return tables;
};

const newRow = (start: number): Row => ({ start, properties: null, hasHeight: false });

const closeRange = (name: string, row: Row | null, cell: Cell | null, to: number): void => {
  const range = name === 'tcPr' ? cell?.properties : name === 'tcMar' ? cell?.marginsAt : row?.properties;
  if (range && /^(?:tcPr|tcMar|trPr)$/.test(name)) range.to = to;
};
