import { hidesStoredResult, isFolderField, printsStoredResult } from './fields.ts';

/** A control word with its number and the space that ends it, a character by its code, a control symbol, a brace, text. */
const tokens = /\\([a-z]+)(-?\d+)? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)/gi;

/** Control words that update or link objects. */
const linkingWords = new Set(['objupdate', 'objautlink', 'objlink']);

/**
 * What a group inherits from the one around it. `fallback` is how many characters follow `\u` for readers without Unicode
 * (`\uc`), `isHidden` whether the author of the text hides it.
 */
type Group = { fallback: number; isHidden: boolean; isDeleted: boolean };

/** The words that begin or end hidden text and deletions. */
const stateWords = new Set(['deleted', 'plain', 'v']);

const withWord = (group: Group, word: string, isOn: boolean): Group => {
  if (word === 'plain') return { ...group, isHidden: false, isDeleted: false };
  return word === 'v' ? { ...group, isHidden: isOn } : { ...group, isDeleted: isOn };
};

/** As long as `\deleted` and `\fldrslt`. */
const hiddenText = String.raw`\v\v\v\v`;

/**
 * Tracked changes are printed as accepted: what is deleted becomes hidden text, and what is new becomes ordinary. The
 * end of a deletion shows no text that is hidden anyway, and the end of hidden text none that is deleted.
 */
const acceptedWord = (word: string, isOn: boolean, group: Group): string | undefined => {
  if (word === 'revised') return String.raw`\xxxxxxx`;
  if (word === 'deleted') return isOn || (group.isDeleted && !group.isHidden) ? hiddenText : String.raw`\xxxxxxx`;
  return word === 'v' && !isOn && group.isDeleted ? String.raw`\x` : undefined;
};

/**
 * The instruction of a field: its text so far, where it and the control words of it and of its field are in the file, and
 * the depth of its group.
 */
type Instruction = {
  depth: number;
  starts: { field: number | null; instruction: number };
  text: string;
  pieces: { start: number; end: number }[];
  hasField: boolean;
};

/**
 * Removes the instructions of fields that are printed with their stored results or show the folder of the file, the
 * commands that update objects, and the marks of tracked changes. The length stays the same. Several groups can have
 * pieces of one instruction, and its characters can be written as codes.
 */
export const neutraliseRtf = (rtf: Buffer): Buffer => {
  const cleaned = Buffer.from(rtf);
  const open: Instruction[] = [];
  const groups: Group[] = [{ fallback: 1, isHidden: false, isDeleted: false }];
  let skipped = 0;
  let fieldStart: number | null = null;
  /** The depth of the result that is hidden. */
  let hiddenDepth: number | null = null;
  const end = ({ depth, starts, text, pieces, hasField }: Instruction): void => {
    if (printsStoredResult(text, hasField) || isFolderField(text))
      for (const piece of pieces) cleaned.fill(' ', piece.start, piece.end);
    if (!hasField || !hidesStoredResult(text) || starts.field === null) return;
    // LibreOffice shows the result of a field even if it is hidden text, so there must be no field.
    cleaned.write(String.raw`\xxxxx`, starts.field);
    cleaned.write(String.raw`\xxxxxxx`, starts.instruction);
    hiddenDepth = depth;
  };
  const text = rtf.toString('latin1');
  tokens.lastIndex = 0;
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token, word, number, code, symbol, brace, characters] = match;
    const piece = { start: match.index, end: match.index + token.length };
    const add = (added: string): void => {
      const instruction = open.at(-1);
      const omitted = Math.min(skipped, added.length);
      skipped -= omitted;
      if (!instruction) return;
      instruction.text += added.slice(omitted);
      instruction.pieces.push(piece);
    };
    if (brace) skipped = 0;
    const group = groups.at(-1)!;
    if (brace === '{') groups.push(group);
    else if (brace) {
      if (groups.length > 1) groups.pop();
      if (open.length > 0 && groups.length < open.at(-1)!.depth) end(open.pop()!);
    } else if (characters !== undefined) add(characters);
    else if (symbol === '\\') add(symbol);
    else if (code !== undefined) add(String.fromCharCode(Number.parseInt(code, 16)));
    else if (word === 'field') [fieldStart, hiddenDepth] = [piece.start, null];
    else if (word === 'fldrslt') {
      if (groups.length === hiddenDepth) cleaned.write(hiddenText, piece.start);
    } else if (word === 'fldinst') {
      const around = open.at(-1);
      if (around) around.hasField = true;
      const starts = { field: fieldStart, instruction: piece.start };
      open.push({ depth: groups.length, starts, text: '', pieces: [], hasField: false });
    } else if (word === 'bin') tokens.lastIndex += Math.max(0, Number(number ?? 0));
    else if (word === 'uc') groups[groups.length - 1] = { ...group, fallback: Math.max(0, Number(number ?? 1)) };
    else if (word === 'u' && number !== undefined) {
      skipped = 0;
      add(String.fromCharCode(Number(number) & 0xffff));
      skipped = group.fallback;
    } else if (word !== undefined && linkingWords.has(word))
      cleaned.fill('x', piece.start + 1, piece.start + 1 + word.length);
    else if (word !== undefined) {
      const isOn = Number(number ?? 1) !== 0;
      cleaned.write(acceptedWord(word, isOn, group) ?? '', piece.start, 'latin1');
      if (stateWords.has(word)) groups[groups.length - 1] = withWord(group, word, isOn);
    }
  }
  open.forEach(end);
  return cleaned;
};
