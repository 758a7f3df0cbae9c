import type { MarkdownIt, StateBlock, Token } from 'markdown-it';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';

type LeftOut = Extract<RenderWarning, { kind: 'content_left_out' }> & { line: number; source: string };
type Environment = { [name: string]: unknown; leftOut?: LeftOut[]; footnotes?: { refs?: Record<string, number> } };

const maxWarnings = 50;
const maxSourceLength = 200;

const add = (environment: Environment, { source, ...what }: Omit<LeftOut, 'kind'>): void => {
  const found = (environment.leftOut ??= []);
  if (found.length < maxWarnings)
    found.push({ kind: 'content_left_out', ...what, source: source.slice(0, maxSourceLength) });
};

/** The cells of a row, between vertical bars without a backslash, as the parser reads them, also in code. */
const cellsOf = (row: string): string[] => {
  const cells = row.trim().split(/(?<!\\)\|/);
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.map((cell) => cell.trim());
};

/** A cell that is a comment prints nothing. */
const isPrinted = (cell: string): boolean => cell !== '' && !/^<!--.*-->$/.test(cell);

const findCells = ({ src, bMarks, eMarks, tShift, env }: StateBlock, table: readonly Token[]): void => {
  const columns = table.filter(({ type }) => type === 'th_open').length;
  const cells = table.flatMap(({ type, map }) => {
    if (type !== 'tr_open' || !map) return [];
    const [line] = map;
    const row = src.slice(bMarks[line]! + tShift[line]!, eMarks[line]);
    const further = cellsOf(row).slice(columns);
    return further.filter(isPrinted).map((source) => ({ line: line + 1, source }));
  });
  if (cells[0])
    add(env, {
      content: 'cells beyond the columns of the table header',
      count: cells.length,
      ...cells[0],
    });
};

const findFootnotes = (tokens: readonly Token[], environment: Environment): void => {
  const lastOf = new Map<string, Token>();
  const labelOf = (token: Token): string => (token.meta as { label: string }).label;
  const definitions = tokens.flatMap((token, index) => (token.type === 'footnote_reference_open' ? [index] : []));
  for (const index of definitions) lastOf.set(labelOf(tokens[index]!), tokens[index]!);
  for (const index of definitions) {
    const definition = tokens[index]!;
    const label = labelOf(definition);
    const [line] = tokens[index + 1]?.map ?? [];
    // An empty definition has nothing to print.
    if (line === undefined || tokens[index + 1]!.type === 'footnote_reference_close') continue;
    const what = { count: 1, line: line + 1, source: `[^${label}]` };
    if (lastOf.get(label) !== definition)
      add(environment, { content: 'footnotes whose label is defined again', ...what });
    else if (environment.footnotes?.refs?.[`:${label}`] === -1)
      add(environment, { content: 'footnotes that nothing refers to', ...what });
  }
};

/** Finds what the parser leaves out silently: cells beyond the columns of the header, and footnotes. See `leftOutOf`. */
export const findLeftOut = (markdown: MarkdownIt): void => {
  const { ruler } = markdown.block;
  const parseTable = ruler.getRules('').find(({ name }) => name === 'table')!;
  ruler.at(
    'table',
    (state, startLine, endLine, silent) => {
      const start = state.tokens.length;
      const isTable = parseTable(state, startLine, endLine, silent);
      if (isTable && !silent) findCells(state, state.tokens.slice(start));
      return isTable;
    },
    { alt: ['paragraph', 'reference'] },
  );
  markdown.core.ruler.before('footnote_tail', 'left-out', ({ tokens, env }) => findFootnotes(tokens, env));
};

/** What the document of this environment leaves out: one warning for each table and footnote, with the first line. */
export const leftOutOf = ({ leftOut = [] }: Environment): RenderWarning[] => leftOut;
