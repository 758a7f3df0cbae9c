import { escapeMarkup } from '#libs/markup/escape.ts';
import type { Cell } from '../table/cells.ts';
import { cellTextToHtml, tableToHtml, type TablePage } from '../table/table-html.ts';
import { recordsToTable } from './records.ts';
import { cellOf, isContainer, type JsonValue } from './value.ts';

/** Shows a value that is not a table. */
type TreeToHtml = (value: JsonValue) => string;
type SectionContext = { page: TablePage; treeToHtml: TreeToHtml };

const maxHeadingLevel = 4;
const maxScalars = 200;

const cellToHtml = (cell: Cell): string => (cell === '' ? '<span class="null">""</span>' : cellTextToHtml(cell));

/** Keys with their values, side by side. */
const scalarsToHtml = (scalars: readonly [key: string, cell: Cell][]): string => {
  if (scalars.length === 0) return '';
  const rows = scalars.map(
    ([key, cell]) => `<tr><th>${cellTextToHtml(key) || '""'}</th><td>${cellToHtml(cell)}</td></tr>`,
  );
  return `<table class="scalars">\n${rows.join('\n')}\n</table>`;
};

const hasTable = (value: JsonValue, level: number): boolean => {
  if (recordsToTable(value)) return true;
  if (value.type !== 'object' || level > maxHeadingLevel) return false;
  return value.entries.some(([, inner]) => isContainer(inner) && hasTable(inner, level + 1));
};

const headingToHtml = (key: string, level: number): string =>
  `<h${level} class="section">${escapeMarkup(key) || '""'}</h${level}>`;

const objectToHtml = (
  entries: readonly (readonly [string, JsonValue])[],
  level: number,
  context: SectionContext,
): string => {
  const scalars: [string, Cell][] = [];
  const sections: string[] = [];
  for (const [key, value] of entries) {
    const cell = recordsToTable(value) ? undefined : cellOf(value);
    if (cell && !cell.isCompact && scalars.length < maxScalars) scalars.push([key, cell.cell]);
    else sections.push(`${headingToHtml(key, level)}\n${sectionToHtml(value, level, context)}`);
  }
  return [scalarsToHtml(scalars), ...sections].filter((part) => part !== '').join('\n');
};

const isFlat = (value: JsonValue): boolean =>
  value.type === 'object' &&
  value.entries.length > 0 &&
  value.entries.every(([, inner]) => cellOf(inner)?.isCompact === false);

const sectionToHtml = (value: JsonValue, level: number, context: SectionContext): string => {
  const table = recordsToTable(value);
  if (table) return tableToHtml(table, context.page);
  if (value.type === 'object' && level < maxHeadingLevel && (isFlat(value) || hasTable(value, level)))
    return objectToHtml(value.entries, level + 1, context);
  return context.treeToHtml(value);
};

/**
 * The HTML of a value that is a table, or an object with tables in it: its scalars come first, then each table under a
 * heading. Undefined for other values, which are better shown as a tree.
 */
export const sectionsToHtml = (value: JsonValue, context: SectionContext): string | undefined => {
  const table = recordsToTable(value);
  if (table) return tableToHtml(table, context.page);
  return value.type === 'object' && hasTable(value, 1) ? objectToHtml(value.entries, 2, context) : undefined;
};
