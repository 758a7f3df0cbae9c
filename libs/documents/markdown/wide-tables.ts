import type { Token } from 'markdown-it';
import { columnsCaption } from '../table/captions.ts';
import { cellPadding, lineLengthsFor, measureColumns, splitIntoSections, type TableSection } from '../table/columns.ts';
import { defaultTextWidthMm } from '../input.ts';

/** `width` is that of the longest word, or of the first words, in characters. */
type Cell = { tokens: Token[]; text: string; width: number };
type Row = { open: Token; cells: Cell[]; close: Token };
/** The rows of the head and the body, between the other tokens of the table. */
type TableTokens = { open: Token; close: Token; head: Row[]; body: Row[] };

const textOf = (tokens: readonly Token[]): string =>
  tokens
    .flatMap(({ children, content }) => children?.map((child) => child.content) ?? [content])
    .join('')
    .trim();

const cellOf = (tokens: Token[]): Cell => {
  const text = textOf(tokens);
  const longestWord = Math.max(0, ...text.split(/\s+/, 1000).map((word) => word.length));
  return { tokens, text, width: Math.max(longestWord, Math.min(text.length, 14)) };
};

const rowsOf = (tokens: readonly Token[]): Row[] => {
  const rows: Row[] = [];
  let cellStart = 0;
  tokens.forEach((token, index) => {
    if (token.type === 'tr_open') rows.push({ open: token, cells: [], close: token });
    if (token.type === 'tr_close') rows.at(-1)!.close = token;
    if (token.type === 'th_open' || token.type === 'td_open') cellStart = index;
    if (token.type === 'th_close' || token.type === 'td_close')
      rows.at(-1)!.cells.push(cellOf(tokens.slice(cellStart, index + 1)));
  });
  return rows;
};

const readTable = (tokens: readonly Token[]): TableTokens => {
  const bodyStart = tokens.findIndex(({ type }) => type === 'tbody_open');
  const headEnd = bodyStart === -1 ? tokens.length : bodyStart;
  return {
    open: tokens[0]!,
    close: tokens.at(-1)!,
    head: rowsOf(tokens.slice(0, headEnd)),
    body: rowsOf(tokens.slice(headEnd)),
  };
};

const rowTexts = ({ cells }: Row): string[] => cells.map(({ text }) => text);

/** Whether the browser can lay the table out without smaller type and without breaking words. */
const fits = ({ head, body }: TableTokens, textWidthMm: number): boolean => {
  const widths: number[] = [];
  for (const { cells } of [...head, ...body])
    cells.forEach(({ width }, column) => (widths[column] = Math.max(widths[column] ?? 0, width)));
  const needed = widths.reduce((total, width) => total + width + cellPadding, 0);
  return needed <= lineLengthsFor(textWidthMm).normal;
};

const htmlToken = (like: Token, content: string): Token => {
  const token = Object.assign(Object.create(Object.getPrototypeOf(like) as object) as Token, like);
  return Object.assign(token, { type: 'html_block', tag: '', nesting: 0, attrs: null, children: null, content });
};

const sectionTokens = (
  { open, close, head, body }: TableTokens,
  { columns, shares, characters }: TableSection,
  caption: string,
): Token[] => {
  const named = open.attrGet('dir');
  const direction = named === null ? '' : ` dir="${named}"`;
  const rows = (list: readonly Row[]) =>
    list.flatMap(({ open: rowOpen, cells, close: rowClose }) => [
      rowOpen,
      ...columns.flatMap((column) => cells[column]?.tokens ?? []),
      rowClose,
    ]);
  const columnWidths = shares.map((share) => `<col style="width:${share.toFixed(2)}%">`).join('');
  const start =
    `${caption}<table class="grid"${direction} style="--characters:${characters.toFixed(1)}">\n` +
    `<colgroup>${columnWidths}</colgroup>\n`;
  return [
    htmlToken(open, `${start}<thead>\n`),
    ...rows(head),
    htmlToken(open, '</thead>\n<tbody>\n'),
    ...rows(body),
    htmlToken(close, '</tbody>\n</table>\n'),
  ];
};

const fitTable = (tokens: readonly Token[], textWidthMm: number, language?: string): readonly Token[] => {
  const table = readTable(tokens);
  const header = table.head[0];
  if (!header || fits(table, textWidthMm)) return tokens;
  const demands = measureColumns({ header: rowTexts(header), rows: table.body.map(rowTexts) });
  const sections = splitIntoSections(demands, textWidthMm);
  return sections.flatMap((section, index) => {
    const group = { index, count: sections.length };
    return sectionTokens(table, section, columnsCaption(section.columns, group, demands.length, language));
  });
};

/** How much narrower the text is at each level of lists and quotations. */
const indentMm = 6;
const minTextWidthMm = 40;

/**
 * Tables that are too wide for the page get smaller type, then more lines in a cell, and are then split into groups of
 * columns that repeat the first one. `isWide` says whether there are any.
 */
export const fitTables = (
  tokens: readonly Token[],
  textWidthMm: number = defaultTextWidthMm,
  language?: string,
): { tokens: Token[]; isWide: boolean } => {
  const fitted: Token[] = [];
  let isWide = false;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token.type !== 'table_open') {
      fitted.push(token);
      continue;
    }
    let end = index;
    while (tokens[end]!.type !== 'table_close') end += 1;
    const table = tokens.slice(index, end + 1);
    const width = Math.max(minTextWidthMm, textWidthMm - (token.level / 2) * indentMm);
    const result = fitTable(table, width, language);
    isWide ||= result !== table;
    for (const each of result) fitted.push(each);
    index = end;
  }
  return { tokens: fitted, isWide };
};
