import type { Cell, Table } from '../table/cells.ts';
import { tableLimits } from '../table/table-html.ts';
import { cellOf, type JsonValue } from './value.ts';

/** A column: a key of the records, or a key of the objects under that key. */
type Column = { group: string | undefined; name: string };
type Columns = Map<string, { own: boolean; inner: Map<string, undefined> }>;

/** With more values written as JSON than this share, a tree is easier to read. */
const maxCompactShare = 0.4;

const hasUniqueKeys = (entries: readonly [string, unknown][]): boolean =>
  new Set(entries.map(([key]) => key)).size === entries.length;

/** The keys of the records in their order, with those of the objects in them. Undefined for other values. */
const columnsOf = (items: readonly JsonValue[]): Columns | undefined => {
  const columns: Columns = new Map();
  for (const item of items) {
    if (item.type !== 'object' || !hasUniqueKeys(item.entries)) return undefined;
    for (const [key, value] of item.entries) {
      const column = columns.get(key) ?? { own: false, inner: new Map() };
      columns.set(key, column);
      if (value.type !== 'object' || value.entries.length === 0) column.own = true;
      else if (!hasUniqueKeys(value.entries)) return undefined;
      else for (const [inner] of value.entries) column.inner.set(inner, undefined);
      if (columns.size > tableLimits.columns || column.inner.size > tableLimits.columns) return undefined;
    }
  }
  return columns;
};

const flattened = (columns: Columns): Column[] =>
  [...columns].flatMap(([key, { own, inner }]) => [
    ...(own ? [{ group: undefined, name: key }] : []),
    ...[...inner.keys()].map((name) => ({ group: key, name })),
  ]);

const known = new WeakMap<JsonValue, { table: Table | undefined }>();

/**
 * Converts an array of objects to a table. Objects in them become groups of columns, small arrays and small deeper
 * values become one cell. Undefined for anything else, and for tables that are too large or mostly empty.
 */
export const recordsToTable = (value: JsonValue): Table | undefined => {
  const result = known.get(value) ?? { table: toTable(value) };
  known.set(value, result);
  return result.table;
};

const toTable = (value: JsonValue): Table | undefined => {
  if (value.type !== 'array' || value.items.length === 0) return undefined;
  const found = columnsOf(value.items);
  if (!found) return undefined;
  const columns = flattened(found);
  const cells = columns.length * value.items.length;
  if (columns.length === 0 || columns.length > tableLimits.columns || cells > tableLimits.cells) return undefined;
  const positions = new Map(columns.map(({ group, name }, index) => [JSON.stringify([group ?? null, name]), index]));
  let [filled, compact] = [0, 0];
  const rows: Cell[][] = [];
  for (const item of value.items) {
    if (item.type !== 'object') return undefined;
    const row: Cell[] = columns.map(() => '');
    const put = (group: string | null, name: string, content: JsonValue): boolean => {
      const cell = cellOf(content);
      if (!cell) return false;
      filled += 1;
      if (cell.isCompact) compact += 1;
      row[positions.get(JSON.stringify([group, name]))!] = cell.cell;
      return true;
    };
    for (const [key, content] of item.entries) {
      const isGroup = content.type === 'object' && content.entries.length > 0;
      const isShown = isGroup
        ? content.entries.every(([name, inner]) => put(key, name, inner))
        : put(null, key, content);
      if (!isShown) return undefined;
    }
    rows.push(row);
  }
  if (filled < cells / 3 || compact > filled * maxCompactShare) return undefined;
  return {
    header: columns.map(({ name }) => name),
    ...(columns.some(({ group }) => group !== undefined) ? { groups: columns.map(({ group }) => group) } : {}),
    rows,
  };
};
