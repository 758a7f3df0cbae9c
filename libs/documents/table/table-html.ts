import { escapeMarkup } from '#libs/markup/escape.ts';
import { columnsCaption } from './captions.ts';
import { type Cell, isNumericColumn, type Table } from './cells.ts';
import { measureColumns, type TableSection, splitIntoSections } from './columns.ts';

/** The most columns and cells of a printed table. */
export const tableLimits = { columns: 500, cells: 1_000_000 };

/** The width of the text on the page, and the language tag of the document. */
export type TablePage = { textWidthMm?: number | undefined; language?: string };

/**
 * The memory of the browser grows with the square of the rows of a table: 20,000 rows of 4 cells need 4 GB. In several
 * tables, each of which begins on a new page, they need 1 GB.
 */
const maxOfEachTable = { rows: 2_000, cells: 20_000 };

/** Only tables of more than twice these sizes are split, because the page before a new table has room left. */
const splitRows = (rows: Table['rows'], columns: number): Table['rows'][] => {
  const rowsOfEach = Math.min(maxOfEachTable.rows, Math.floor(maxOfEachTable.cells / columns));
  if (rows.length <= 2 * rowsOfEach) return [rows];
  return Array.from({ length: Math.ceil(rows.length / rowsOfEach) }, (_, index) =>
    rows.slice(index * rowsOfEach, (index + 1) * rowsOfEach),
  );
};

/**
 * The HTML of a table: the header row repeats on every page, numbers are right-aligned, wide tables are split into
 * sections, and very long ones into several tables of the same columns.
 */
export const tableToHtml = (table: Table, { textWidthMm, language }: TablePage = {}): string => {
  const numeric = table.header.map((_, column) => isNumericColumn(columnCells(table, column)));
  const sections = splitIntoSections(measureColumns(table), textWidthMm);
  return sections
    .map(
      (section, index) =>
        columnsCaption(section.columns, { index, count: sections.length }, table.header.length, language) +
        sectionToHtml(section, table, numeric),
    )
    .join('\n');
};

function* columnCells({ rows }: Table, column: number): Generator<Cell> {
  for (const row of rows) yield row[column] ?? '';
}

const sectionToHtml = (
  { columns, shares, characters }: TableSection,
  { header, groups, rows }: Table,
  numeric: readonly boolean[],
): string => {
  const attributes = columns.map((column) => (numeric[column] ? 'class="n"' : ''));
  const cells = (tag: 'th' | 'td', row: readonly Cell[]) =>
    `<tr>${columns.map((column, index) => cellToHtml(tag, attributes[index] ?? '', row[column] ?? null)).join('')}</tr>`;
  const head = `<colgroup>${shares.map((share) => `<col style="width:${share.toFixed(2)}%">`).join('')}</colgroup>
<thead>${groups ? groupedHeader(columns, groups, header, attributes) : cells('th', header)}</thead>`;
  return splitRows(rows, columns.length)
    .map(
      (
        some,
        index,
      ) => `<table class="grid${index > 0 ? ' continued' : ''}" style="--characters:${characters.toFixed(1)}">
${head}
<tbody>
${some.map((row) => cells('td', row)).join('\n')}
</tbody>
</table>`,
    )
    .join('\n');
};

/** Two header rows: the groups, and the columns in them. A column without a group takes both rows. */
const groupedHeader = (
  columns: readonly number[],
  groups: readonly (string | undefined)[],
  header: readonly string[],
  attributes: readonly string[],
): string => {
  const upper: string[] = [];
  const lower: string[] = [];
  columns.forEach((column, index) => {
    const group = groups[column];
    const attribute = attributes[index] && ` ${attributes[index]}`;
    const name = cellTextToHtml(header[column] ?? '');
    if (group === undefined) return void upper.push(`<th rowspan="2"${attribute}>${name}</th>`);
    lower.push(`<th${attribute}>${name}</th>`);
    const isFirst = index === 0 || columns[index - 1] !== column - 1 || groups[column - 1] !== group;
    if (!isFirst) return;
    let span = 1;
    while (columns[index + span] === column + span && groups[column + span] === group) span += 1;
    upper.push(`<th class="group" colspan="${span}">${escapeMarkup(group)}</th>`);
  });
  return `<tr>${upper.join('')}</tr><tr>${lower.join('')}</tr>`;
};

const cellToHtml = (tag: 'th' | 'td', attributes: string, cell: Cell): string =>
  `<${tag}${attributes && ` ${attributes}`}>${cellTextToHtml(cell)}</${tag}>`;

const isUrlOrName = (text: string): boolean => /[/@\\_]/.test(text) && !/[\s<]/.test(text);

/** The escaped text of a cell. URLs and names are not hyphenated, and null is marked. */
export const cellTextToHtml = (cell: Cell): string => {
  if (cell === null) return '<span class="null">null</span>';
  const html = escapeMarkup(cell);
  return isUrlOrName(cell) ? `<span class="verbatim">${html}</span>` : html;
};
