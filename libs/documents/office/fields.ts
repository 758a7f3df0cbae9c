import { escapeMarkup } from '#libs/markup/escape.ts';
import { decodeReferences, keepAttributes, localNameOf, valuesOf } from './edit-tags.ts';

const readingFields = /^\s*(?:INCLUDETEXT|INCLUDEPICTURE|INCLUDE|IMPORT|DDE|DDEAUTO|LINK|DATABASE|RD)\b/i;
/** LibreOffice works these out with the data of a mail merge, which it does not have, and prints nothing. */
const mailMergeFields = /^\s*(?:IF|MERGEREC)\b/i;

/** Whether a field is printed with its stored result, because its instruction reads another file or needs other data. */
export const printsStoredResult = (instruction: string): boolean =>
  readingFields.test(instruction) || mailMergeFields.test(instruction);

/** The folder of the file is one of the service, and another one each time. */
const namesFolder = /^\s*FILENAME\b[^]*\\p\b/i;

/** Whether the instruction of a field shows the folder of the file. */
export const isFolderField = (instruction: string): boolean => namesFolder.test(instruction);

/** The instruction, as XML, without its switch `\p` and without quotation marks. */
const withoutFolder = (instruction: string): string =>
  escapeMarkup(instruction.replaceAll('"', '').replace(/\\p\b/gi, ''));

const tags = /<(\/?)([^\s<>!?/"'=]+)((?:"[^"]*"|'[^']*'|[^<>"'])*)>/g;
const fieldNames = new Set(['fldChar', 'instrText', 'fldSimple']);

type Range = { start: number; end: number };
type Change = Range & { text: string };
type Instruction = { text: string; pieces: Range[] };

const emptied = (range: Range): Change => ({ ...range, text: '' });

/**
 * The changes that empty the instructions of fields which are printed with their stored results. An instruction can have
 * several pieces and contain fields.
 */
const changesOf = (xml: string): Change[] => {
  const changes: Change[] = [];
  const open: Instruction[] = [];
  let pieceStart: number | null = null;
  const end = (instruction: Instruction | undefined): void => {
    if (!instruction) return;
    const { text, pieces } = instruction;
    if (isFolderField(text)) {
      const [first, ...others] = pieces;
      changes.push({ ...first!, text: withoutFolder(text) });
      for (const piece of others) changes.push(emptied(piece));
    }
    if (!printsStoredResult(text)) return;
    // One by one: a call can have only about 100,000 arguments.
    for (const piece of pieces) changes.push(emptied(piece));
  };
  const addPiece = (piece: Range): void => {
    const text = decodeReferences(xml.slice(piece.start, piece.end).replace(/<[^<>]*>/g, ''));
    const instruction = open.at(-1);
    if (!instruction) return end({ text, pieces: [piece] });
    instruction.text += text;
    instruction.pieces.push(piece);
  };
  const mark = (kind: string): void => {
    if (kind === 'begin') open.push({ text: '', pieces: [] });
    if (kind === 'separate' || kind === 'end') end(open.pop());
    if (kind === 'separate') open.push({ text: '', pieces: [] });
  };
  for (const { 0: tag, 1: slash, 2: name, index } of xml.matchAll(tags)) {
    const local = localNameOf(name!);
    if (!fieldNames.has(local)) continue;
    if (local === 'instrText' && slash && pieceStart !== null) {
      addPiece({ start: pieceStart, end: index });
      pieceStart = null;
    }
    if (slash) continue;
    if (local === 'instrText' && !tag.endsWith('/>')) pieceStart = index + tag.length;
    if (local === 'fldChar') valuesOf(tag, 'fldCharType').forEach(mark);
    if (local !== 'fldSimple') continue;
    const instruction = valuesOf(tag, 'instr').find((value) => printsStoredResult(value) || isFolderField(value));
    if (instruction === undefined) continue;
    const emptyTag = keepAttributes(tag, (attribute) => attribute.local !== 'instr');
    const kept = printsStoredResult(instruction) ? '' : withoutFolder(instruction);
    const text = emptyTag.replace(/instr=""/i, () => `instr="${kept}"`);
    changes.push({ start: index, end: index + tag.length, text });
  }
  open.forEach(end);
  return changes.toSorted((one, other) => one.start - other.start);
};

/**
 * Empties the instructions of fields that are printed with their stored results, and lets none show the folder of the
 * file. `xml` is a result of `editTags`.
 */
export const withStoredResults = (xml: string): string => {
  if (!/fldChar|fldSimple|instrText/.test(xml)) return xml;
  const kept: string[] = [];
  let position = 0;
  for (const { start, end, text } of changesOf(xml)) {
    kept.push(xml.slice(position, start), text);
    position = end;
  }
  return kept.length === 0 ? xml : kept.join('') + xml.slice(position);
};
