import { escapeHtml } from '../html-document.ts';
import { type Cell, isNumericColumn, type Table } from './cells.ts';
import { measureColumns, type TableSection, splitIntoSections } from './columns.ts';

/** The most columns and cells of a printed table. */
export const tableLimits = { columns: 500, cells: 1_000_000 };

/**
 * The HTML of a table: the header row repeats on every page, numbers are right-aligned, and wide tables are split into
 * sections.
 */
export const tableToHtml = (table: Table): string => {
  const numeric = table.header.map((_, column) => isNumericColumn(columnCells(table, column)));
  const sections = splitIntoSections(measureColumns(table));
  return sections
    .map((section, index) => caption(section, index, sections.length, table) + sectionToHtml(section, table, numeric))
    .join('\n');
};

function* columnCells({ rows }: Table, column: number): Generator<Cell> {
  for (const row of rows) yield row[column] ?? '';
}

const caption = ({ columns }: TableSection, index: number, count: number, { header }: Table): string => {
  if (count === 1) return '';
  const shown = index === 0 ? columns : columns.slice(1);
  return `<p class="part">Columns ${(shown[0] ?? 0) + 1}–${(shown.at(-1) ?? 0) + 1} of ${header.length}</p>\n`;
};

const sectionToHtml = (
  { columns, shares, characters }: TableSection,
  { header, rows }: Table,
  numeric: readonly boolean[],
): string => {
  const attributes = columns.map((column) => (numeric[column] ? 'class="n"' : ''));
  const cells = (tag: 'th' | 'td', row: readonly Cell[]) =>
    `<tr>${columns.map((column, index) => cellToHtml(tag, attributes[index] ?? '', row[column] ?? null)).join('')}</tr>`;
  return `<table class="grid" style="--characters:${characters.toFixed(1)}">
<colgroup>${shares.map((share) => `<col style="width:${share.toFixed(2)}%">`).join('')}</colgroup>
<thead>${cells('th', header)}</thead>
<tbody>
${rows.map((row) => cells('td', row)).join('\n')}
</tbody>
</table>`;
};

const cellToHtml = (tag: 'th' | 'td', attributes: string, cell: Cell): string =>
  `<${tag}${attributes && ` ${attributes}`}>` +
  `${cell === null ? '<span class="null">null</span>' : escapeHtml(cell)}</${tag}>`;
