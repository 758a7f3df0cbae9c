import { inlineImageEnd } from './inline-image.ts';

/** An operator of a content stream, with its operands, from `start` to before `end` (ISO 32000-1, 7.8.2). */
export type Operation = { operator: string; operands: string[]; start: number; end: number };

const whitespace = /[\0\t\n\f\r ]*(?:%[^\n\r]*[\0\t\n\f\r ]*)*/y;
const token =
  /<<|>>|[[\]]|<[^>]*>?|\/[^\0\t\n\f\r ()<>[\]{}/%]*|[+-]?[\d.][\d.eE+-]*|[^\0\t\n\f\r ()<>[\]{}/%]+|[\s\S]/y;

const stringEnd = (content: string, start: number): number => {
  const special = /[\\()]/g;
  special.lastIndex = start + 1;
  let depth = 1;
  for (let match = special.exec(content); match; match = special.exec(content)) {
    if (match[0] === '\\') special.lastIndex += 1;
    else depth += match[0] === '(' ? 1 : -1;
    if (depth === 0) return special.lastIndex;
  }
  return content.length;
};

const afterMatch = (pattern: RegExp, content: string, position: number): number => {
  pattern.lastIndex = position;
  pattern.test(content);
  return pattern.lastIndex;
};

const isOperand = (text: string): boolean => /^[-+./\d<>([\]]/.test(text) || ['true', 'false', 'null'].includes(text);

/**
 * Reads the operators of a content stream (one character for each byte). Inline images are one operator, `EI`; one that
 * has no end is `ID`, up to the end of the content.
 */
export function* readOperations(content: string): Generator<Operation> {
  let operands: string[] = [];
  let start = -1;
  let position = afterMatch(whitespace, content, 0);
  while (position < content.length) {
    const end = content[position] === '(' ? stringEnd(content, position) : afterMatch(token, content, position);
    const text = content.slice(position, end);
    if (start < 0) start = position;
    if (isOperand(text)) {
      operands.push(text);
      position = afterMatch(whitespace, content, end);
      continue;
    }
    const imageEnd = text === 'ID' ? inlineImageEnd(content, end, operands) : null;
    const operationEnd = text === 'ID' ? (imageEnd ?? content.length) : end;
    position = afterMatch(whitespace, content, operationEnd);
    if (text !== 'BI') {
      yield { operator: imageEnd === null ? text : 'EI', operands, start, end: operationEnd };
      start = -1;
    }
    operands = [];
  }
}

export const pathPainting = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'S', 's']);
const pathConstruction = new Set(['m', 're']);
const beginsMarked = new Set(['BMC', 'BDC']);
export const showsText = new Set(['Tj', 'TJ', "'", '"']);
const otherPainting = new Set([...showsText, 'Do', 'sh', 'EI']);

type Range = { start: number; end: number };
/** What to write in place of a range. */
export type Change = Range & { text: string };

/** A content stream with other texts in place of ranges of it. */
export const withChanges = (content: string, changes: readonly Change[]): string => {
  let [result, copied] = ['', 0];
  for (const { start, end, text } of changes.toSorted((one, other) => one.start - other.start)) {
    result += content.slice(copied, start) + text;
    copied = end;
  }
  return result + content.slice(copied);
};

/**
 * Content that belongs to an element of the structure. `paints` says whether it paints nothing, nothing but lines and
 * areas, or more; `text` reads the codes of its text, `placedText` also the places of its pieces, and `begin` is the operator
 * that begins it.
 */
export type MarkedContent = {
  id: number;
  paints: 'nothing' | 'paths' | 'more';
  text: () => string;
  placedText: () => string;
  begin: Range;
};

type OpenMark = { id: number; begin: Range; hasPaths: boolean; hasMore: boolean };

/** Whether an operator begins content of the structure. */
const beginsStructure = ({ operator, operands }: Operation): boolean =>
  operator === 'BDC' && operands.includes('/MCID');

/** The browser also marks text for its `ActualText` or direction: that alone is neither structure nor artifact. */
const beginsKnown = (operation: Operation): boolean =>
  operation.operands[0] === '/Artifact' || beginsStructure(operation);

/** Whether a content stream has content of the structure. */
export const hasStructure = (content: string): boolean =>
  content.includes('/MCID') && readOperations(content).some(beginsStructure);

/** The marked content of an operator that begins it; null if it has no id of its own. */
const openMark = ({ operator, operands, start, end }: Operation): OpenMark | null => {
  const at = operator === 'BDC' ? operands.indexOf('/MCID') : -1;
  const id = at < 0 ? Number.NaN : Number(operands[at + 1]);
  return Number.isInteger(id) ? { id, begin: { start, end }, hasPaths: false, hasMore: false } : null;
};

const closeMark = (content: string, { id, begin, hasPaths, hasMore }: OpenMark, end: number): MarkedContent => {
  const find = (pattern: RegExp): string => content.slice(begin.end, end).match(pattern)?.join('') ?? '';
  return {
    id,
    begin,
    paints: hasMore ? 'more' : hasPaths ? 'paths' : 'nothing',
    text: () => find(/<[\dA-Fa-f]*>/g),
    placedText: () => find(/<[\dA-Fa-f]*>|^[-\d. ]+ T[dDm]$/gm),
  };
};

/**
 * The parts of a content stream that paint and belong neither to the structure nor to an artifact, and the content of
 * the structure that is in no other. `artifactOf` is that of `markArtifacts`.
 */
const readMarks = (
  content: string,
  artifactOf: (xObject: string) => string | null,
): { unmarked: Change[]; marked: MarkedContent[] } => {
  const unmarked: Change[] = [];
  const add = (start: number, end: number, text = content.slice(start, end)): void => {
    unmarked.push({ start, end, text });
  };
  const marked: MarkedContent[] = [];
  const open: boolean[] = [];
  let depth = 0;
  let mark: OpenMark | null = null;
  let path: number | null = null;
  let text: { start: number; hasMarks: boolean } | null = null;
  for (const operation of readOperations(content)) {
    const { operator, operands, start, end } = operation;
    if (beginsMarked.has(operator)) {
      const isKnown = beginsKnown(operation);
      open.push(isKnown);
      if (mark) mark.hasMore = true;
      if (!isKnown) continue;
      if (depth === 0) mark = openMark(operation);
      depth += 1;
      if (text) text.hasMarks = true;
    } else if (operator === 'EMC') {
      if (!open.pop()) continue;
      depth -= 1;
      if (depth === 0 && mark) marked.push(closeMark(content, mark, start));
      if (depth === 0) mark = null;
    } else if (operator === 'BT') text = { start, hasMarks: depth > 0 };
    else if (operator === 'ET') {
      if (text && !text.hasMarks) add(text.start, end);
      text = null;
    } else if (depth > 0 || text) {
      if (mark && pathPainting.has(operator)) mark.hasPaths = true;
      if (mark && otherPainting.has(operator)) mark.hasMore = true;
    } else if (pathConstruction.has(operator)) path ??= start;
    else if (pathPainting.has(operator)) {
      add(path ?? start, end);
      path = null;
    } else if (operator === 'n') path = null;
    else if (operator === 'sh' || operator === 'EI') add(start, end);
    else if (operator === 'Do') {
      const xObject = artifactOf(operands[0]!.slice(1));
      if (xObject !== null) add(start, end, `/${xObject} Do`);
    }
  }
  return { unmarked, marked };
};

/** Whether a content stream has text that belongs neither to the structure nor to an artifact. */
export const hasLooseText = (content: string): boolean =>
  readMarks(content, () => null).unmarked.some(({ text }) =>
    readOperations(text).some(({ operator }) => showsText.has(operator)),
  );

/**
 * Marks everything that belongs to no marked content as an artifact: readers skip it (ISO 14289-1, 7.1). The same for
 * marked content that is decoration, which `selectDecoration` finds. `artifactOf` gives the name under which an XObject
 * is drawn as an artifact; null if it has content of the structure.
 */
export const markArtifacts = (
  content: string,
  artifactOf: (xObject: string) => string | null,
  selectDecoration: (marked: readonly MarkedContent[]) => readonly MarkedContent[] = () => [],
): string => {
  const { unmarked, marked } = readMarks(content, artifactOf);
  return withChanges(content, [
    ...unmarked.map((range) => ({ ...range, text: `/Artifact BMC\n${range.text}\nEMC\n` })),
    ...selectDecoration(marked).map(({ begin }) => ({ ...begin, text: '/Artifact BMC' })),
  ]);
};

/** A content stream of which nothing belongs to the structure or is marked as an artifact. */
export const withoutMarks = (content: string): string => {
  const open: boolean[] = [];
  const changes: Change[] = [];
  for (const operation of readOperations(content)) {
    const begins = beginsMarked.has(operation.operator);
    if (begins) open.push(beginsKnown(operation));
    const isKnown = begins ? open.at(-1) : operation.operator === 'EMC' && open.pop();
    if (isKnown) changes.push({ start: operation.start, end: operation.end, text: '' });
  }
  return withChanges(content, changes);
};
