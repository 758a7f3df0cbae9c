import { tableLimits } from '../table/print.ts';
import type { Cell, Table } from '../table/table.ts';
import { isContainer, type JsonValue } from './value.ts';

/** The table that an array of flat objects is; undefined for anything else, and for what would be too wide or mostly empty. */
export const tableOf = (value: JsonValue): Table | undefined => {
  if (value.type !== 'array' || value.items.length === 0) return undefined;
  const columns = new Map<string, number>();
  const records: Map<string, Cell>[] = [];
  for (const item of value.items) {
    const record = flatRecord(item);
    if (!record) return undefined;
    for (const key of record.keys()) if (!columns.has(key)) columns.set(key, columns.size);
    records.push(record);
  }
  const header = [...columns.keys()];
  const filled = records.reduce((total, record) => total + record.size, 0);
  const cells = header.length * records.length;
  if (header.length === 0 || header.length > tableLimits.columns || cells > tableLimits.cells || filled < cells / 3) return undefined;
  return { header, rows: records.map((record) => header.map((key) => (record.has(key) ? (record.get(key) ?? null) : ''))) };
};

/** Undefined for what is no object, holds containers, or says a key twice: a table could not show both. */
const flatRecord = (item: JsonValue): Map<string, Cell> | undefined => {
  if (item.type !== 'object') return undefined;
  const record = new Map<string, Cell>();
  for (const [key, value] of item.entries) {
    if (isContainer(value) || record.has(key)) return undefined;
    record.set(key, value.type === 'null' ? null : value.text);
  }
  return record;
};
