import { deepestIndent } from '../depth.ts';
import { refusal } from '../refusal.ts';
import { printTable } from '../table/print.ts';
import { escapeHtml } from '../text/escape.ts';
import { tableOf } from './tabular.ts';
import { isContainer, type JsonContainer, type JsonValue } from './value.ts';

const maxLines = 200_000;

/** The HTML of a value as an indented outline; arrays of flat objects within it become tables. Throws a Problem where it has too many lines. */
export const printTree = (root: JsonValue): string => {
  const lines: string[] = [];
  printValue(lines, '', root, 0);
  return `<div class="tree">\n${lines.join('\n')}\n</div>`;
};

const printValue = (lines: string[], label: string, value: JsonValue, depth: number): void => {
  if (lines.length >= maxLines) throw refusal('json', `The JSON has more than ${maxLines} values to show; send it in parts.`, { details: { reason: 'too many values', limit: maxLines } });
  if (!isContainer(value)) lines.push(line(depth, `${label}${scalar(value)}`));
  else if (sizeOf(value) === 0) lines.push(line(depth, `${label}<span class="count">${value.type === 'array' ? 'empty list' : 'empty'}</span>`));
  else printContainer(lines, label, value, depth);
};

const printContainer = (lines: string[], label: string, value: JsonContainer, depth: number): void => {
  const inner = label === '' ? depth : depth + 1;
  if (label !== '') lines.push(line(depth, `${label}<span class="count">${value.type === 'array' ? counted(value.items.length) : ''}</span>`, 'l open'));
  const table = tableOf(value);
  if (table) lines.push(`<div style="--d:${Math.min(inner, deepestIndent)}">${printTable(table)}</div>`);
  else if (value.type === 'array') value.items.forEach((item, index) => printValue(lines, `<span class="index">${index + 1}.</span> `, item, inner));
  else value.entries.forEach(([key, entry]) => printValue(lines, `<span class="key">${escapeHtml(key) || '""'}</span>  `, entry, inner));
};

const sizeOf = (value: JsonContainer): number => (value.type === 'array' ? value.items.length : value.entries.length);

const counted = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`;

const scalar = ({ type, text }: Exclude<JsonValue, JsonContainer>): string => (type === 'string' && text === '' ? '<span class="null">""</span>' : `<span class="${type}">${escapeHtml(text)}</span>`);

const line = (depth: number, content: string, kind = 'l'): string =>
  depth > deepestIndent ? `<div class="${kind}" style="--d:${deepestIndent}"><span class="depth">level ${depth}</span> ${content}</div>` : `<div class="${kind}" style="--d:${depth}">${content}</div>`;
