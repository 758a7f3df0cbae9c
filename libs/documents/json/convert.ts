import { escapeHtml, detectLanguage, htmlDocument } from '../html-document.ts';
import { scriptFreeDocument, type PreparedDocument } from '../prepared-document.ts';
import { maxIndent, inputError } from '../input.ts';
import type { Cell, Table } from '../table/cells.ts';
import { tableToHtml, tableLimits } from '../table/table-html.ts';
import { isContainer, type JsonContainer, type JsonValue, parseJson } from './parse.ts';

/**
 * Converts an array of flat objects to a table; undefined for anything else, and for tables too wide or mostly empty.
 */
const toTable = (value: JsonValue): Table | undefined => {
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
  if (header.length === 0 || header.length > tableLimits.columns || cells > tableLimits.cells || filled < cells / 3)
    return undefined;
  return {
    header,
    rows: records.map((record) => header.map((key) => (record.has(key) ? (record.get(key) ?? null) : ''))),
  };
};

/** Undefined for anything but a flat object with unique keys, which a table could not show. */
const flatRecord = (item: JsonValue): Map<string, Cell> | undefined => {
  if (item.type !== 'object') return undefined;
  const record = new Map<string, Cell>();
  for (const [key, value] of item.entries) {
    if (isContainer(value) || record.has(key)) return undefined;
    record.set(key, value.type === 'null' ? null : value.text);
  }
  return record;
};

const maxLines = 200_000;

/**
 * The HTML of a value as an indented outline. Arrays of flat objects in it become tables.
 * @throws ApiError for too many lines
 */
const treeToHtml = (root: JsonValue): string => {
  const lines: string[] = [];
  appendValue(lines, '', root, 0);
  return `<div class="tree">\n${lines.join('\n')}\n</div>`;
};

const appendValue = (lines: string[], label: string, value: JsonValue, depth: number): void => {
  if (lines.length >= maxLines)
    throw inputError('json', `The JSON has more than ${maxLines} values to show; send it in parts.`, {
      details: { reason: 'too many values', limit: maxLines },
    });
  if (!isContainer(value)) lines.push(lineToHtml(depth, `${label}${scalarToHtml(value)}`));
  else if (entryCount(value) === 0)
    lines.push(
      lineToHtml(depth, `${label}<span class="count">${value.type === 'array' ? 'empty list' : 'empty'}</span>`),
    );
  else appendContainer(lines, label, value, depth);
};

const appendContainer = (lines: string[], label: string, value: JsonContainer, depth: number): void => {
  const inner = label === '' ? depth : depth + 1;
  if (label !== '')
    lines.push(
      lineToHtml(
        depth,
        `${label}<span class="count">${value.type === 'array' ? itemCountText(value.items.length) : ''}</span>`,
        'l open',
      ),
    );
  const table = toTable(value);
  if (table) lines.push(`<div style="--d:${Math.min(inner, maxIndent)}">${tableToHtml(table)}</div>`);
  else if (value.type === 'array')
    value.items.forEach((item, index) => appendValue(lines, `<span class="index">${index + 1}.</span> `, item, inner));
  else
    value.entries.forEach(([key, entry]) =>
      appendValue(lines, `<span class="key">${escapeHtml(key) || '""'}</span>  `, entry, inner),
    );
};

const entryCount = (value: JsonContainer): number =>
  value.type === 'array' ? value.items.length : value.entries.length;

const itemCountText = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`;

const scalarToHtml = ({ type, text }: Exclude<JsonValue, JsonContainer>): string =>
  type === 'string' && text === ''
    ? '<span class="null">""</span>'
    : `<span class="${type}">${escapeHtml(text)}</span>`;

const lineToHtml = (depth: number, content: string, kind = 'l'): string =>
  depth > maxIndent
    ? `<div class="${kind}" style="--d:${maxIndent}"><span class="depth">level ${depth}</span> ${content}</div>`
    : `<div class="${kind}" style="--d:${depth}">${content}</div>`;

/** Converts JSON to a table if possible, else to an indented outline. @throws ApiError */
export const convertJson = (text: string): PreparedDocument => {
  const value = parseJson(text);
  const table = toTable(value);
  return scriptFreeDocument(
    htmlDocument({
      title: 'Data',
      language: detectLanguage(text),
      styleSheets: ['table', 'tree'],
      body: table ? tableToHtml(table) : treeToHtml(value),
    }),
    'made from JSON',
  );
};
