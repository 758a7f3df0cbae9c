import { escapeMarkup } from '#libs/markup/escape.ts';
import { recordsToTable } from '../data/records.ts';
import { defaultTextWidthMm, inputError, maxIndent } from '../input.ts';
import { tableToHtml, type TablePage } from '../table/table-html.ts';
import { isContainer, type JsonContainer, type JsonValue } from './parse.ts';

const maxLines = 200_000;

type Tree = { lines: string[]; values: number; page: TablePage & { textWidthMm: number } };

/**
 * The HTML of a value as an indented tree. Arrays of objects in it become tables.
 * @throws ApiError for too many lines
 */
export const treeToHtml = (root: JsonValue, page: TablePage = {}): string => {
  const tree: Tree = { lines: [], values: 0, page: { ...page, textWidthMm: page.textWidthMm ?? defaultTextWidthMm } };
  appendValue(tree, '', root, 0);
  return `<div class="tree">\n${tree.lines.join('\n')}\n</div>`;
};

const appendValue = (tree: Tree, label: string, value: JsonValue, depth: number): void => {
  tree.values += 1;
  if (tree.values > maxLines)
    throw inputError('json', `The JSON has more than ${maxLines} values to show; send it in parts.`, {
      details: { reason: 'too many values', limit: maxLines },
    });
  if (!isContainer(value)) tree.lines.push(lineToHtml(depth, `${label}${scalarToHtml(value)}`));
  else if ((value.type === 'array' ? value.items : value.entries).length === 0)
    tree.lines.push(
      lineToHtml(depth, `${label}<span class="count">${value.type === 'array' ? 'empty list' : 'empty'}</span>`),
    );
  else appendContainer(tree, label, value, depth);
};

const indentMm = 5;
const minTextWidthMm = 40;

const appendContainer = (tree: Tree, label: string, value: JsonContainer, depth: number): void => {
  const { lines } = tree;
  const inner = label === '' ? depth : depth + 1;
  if (label !== '')
    lines.push(
      lineToHtml(
        depth,
        `${label}<span class="count">${value.type === 'array' ? itemCountText(value.items.length) : ''}</span>`,
        ' class="open"',
      ),
    );
  const isIndented = label !== '' && depth < maxIndent;
  if (isIndented) lines.push('<div class="in">');
  const table = recordsToTable(value);
  const textWidthMm = Math.max(minTextWidthMm, tree.page.textWidthMm - Math.min(inner, maxIndent) * indentMm);
  if (table) lines.push(tableToHtml(table, { ...tree.page, textWidthMm }));
  else if (value.type === 'array')
    value.items.forEach((item, index) => appendValue(tree, `<span class="index">${index + 1}.</span> `, item, inner));
  else
    value.entries.forEach(([key, entry]) =>
      appendValue(tree, `<span class="key">${escapeMarkup(key) || '""'}</span>  `, entry, inner),
    );
  if (isIndented) lines.push('</div>');
};

const itemCountText = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`;

const scalarToHtml = ({ type, text }: Exclude<JsonValue, JsonContainer>): string =>
  type === 'string' && text === ''
    ? '<span class="null">""</span>'
    : `<span class="${type}">${escapeMarkup(text)}</span>`;

const lineToHtml = (depth: number, content: string, attributes = ''): string =>
  `<p${attributes}>${depth > maxIndent ? `<span class="depth">level ${depth}</span> ` : ''}${content}</p>`;
