import { escapeMarkup } from '#libs/markup/escape.ts';
import { decodeReferences, keepAttributes, localNameOf, valuesOf } from './edit-tags.ts';

const readingFields = /^\s*(?:INCLUDETEXT|INCLUDEPICTURE|INCLUDE|IMPORT|DDE|DDEAUTO|LINK|DATABASE|RD)\b/i;
/** LibreOffice works these out with the data of a mail merge, which it does not have, and prints nothing. */
const mailMergeFields = /^\s*(?:IF|MERGEREC)\b/i;
/** These show the text of their instruction, and store no result. */
const instructionFields = /^\s*(?:MACROBUTTON|GOTOBUTTON|EQ)\b/i;

/**
 * Whether a field is printed with its stored result, because its instruction reads another file or needs other data.
 * LibreOffice prints a field in the instruction (`hasField`) as well, so the `{ 5 }` of `{ = { 5 } * 2 }` before its 10.
 */
export const printsStoredResult = (instruction: string, hasField: boolean): boolean =>
  readingFields.test(instruction) ||
  mailMergeFields.test(instruction) ||
  (hasField && !instructionFields.test(instruction));

/** Their stored result is a value for other fields, and is not shown. */
const valueFields = /^\s*(?:SET|ASK)\b/i;

/** Whether the stored result of a field is not shown. */
export const hidesStoredResult = (instruction: string): boolean => valueFields.test(instruction);

/** The folder of the file is one of the service, and another one each time. */
const namesFolder = /^\s*FILENAME\b[^]*\\p\b/i;

/** Whether the instruction of a field shows the folder of the file. */
export const isFolderField = (instruction: string): boolean => namesFolder.test(instruction);

/** The instruction, as XML, without its switch `\p` and without quotation marks. */
const withoutFolder = (instruction: string): string =>
  escapeMarkup(instruction.replaceAll('"', '').replace(/\\p\b/gi, ''));

/** LibreOffice only draws it, and assistive technology would not know its state. */
const tickBox = /^\s*FORMCHECKBOX\b/i;
const isOn = (tag: string): boolean => !valuesOf(tag, 'val').some((value) => /^(?:0|false|off)$/.test(value));
const isLockedBy = (tag: string): boolean => valuesOf(tag, 'fldLock').some((value) => /^(?:1|true|on)$/.test(value));

/** LibreOffice prints an error for a reference to a missing bookmark, where Word shows the stored result. */
const references = /^\s*(?:REF|PAGEREF|NOTEREF)\s+(?:"([^"]*)"|([^\s"\\]+))/i;
/** LibreOffice prints the results of these as they are stored, or needs their instructions. */
const structuralFields = /^\s*(?:TOC|TOA|INDEX|BIBLIOGRAPHY|HYPERLINK|FORM\w+)\b/i;

/** Whether a field is printed with its stored result because its author locked it, or because its bookmark is missing. */
const isFixed = (instruction: string, isLocked: boolean, bookmarks: ReadonlySet<string>): boolean => {
  if (isLocked) return !structuralFields.test(instruction) && !instructionFields.test(instruction);
  const [, quoted, plain] = references.exec(instruction) ?? [];
  const bookmark = quoted ?? plain;
  return bookmark !== undefined && !bookmarks.has(bookmark);
};

const tags = /<(\/?)([^\s<>!?/"'=]+)((?:"[^"]*"|'[^']*'|[^<>"'])*)>/g;
const readNames = new Set(['fldChar', 'instrText', 'fldSimple', 'r', 'default', 'checked']);

type Range = { start: number; end: number };
type Change = Range & { text: string };
/** A tick box begins with this start tag, and is ticked or not. */
type Box = { start: number; prefix: string; isTicked: boolean };
/**
 * An instruction, or a result, which can have pieces of the instruction around it. `isHidden` is a result not shown.
 * `box` is what an instruction for a tick box would show.
 */
type Part = { text: string; pieces: Range[]; hasField: boolean; isHidden: boolean; isLocked?: boolean; box?: Box };

const newPart = (isHidden = false): Part => ({ text: '', pieces: [], hasField: false, isHidden });
const textOf = ({ start, prefix, isTicked }: Box): Change => {
  const text = `<${prefix}t>${isTicked ? '☒' : '☐'}</${prefix}t>`;
  return { start, end: start, text };
};
const emptied = (range: Range): Change => ({ ...range, text: '' });

/**
 * The changes that empty the instructions of fields which are printed with their stored results, hide those that are not
 * shown, and put a text in the place of tick boxes. An instruction can have several pieces and contain fields.
 */
const changesOf = (xml: string, bookmarks: ReadonlySet<string>): Change[] => {
  const changes: Change[] = [];
  const open: Part[] = [];
  let pieceStart: number | null = null;
  /** Returns whether the result that follows is hidden. */
  const end = (part: Part | undefined): boolean => {
    if (!part) return false;
    const { text, pieces, hasField, isHidden, isLocked = false, box } = part;
    const isTickBox = box !== undefined && tickBox.test(text);
    const isStored = printsStoredResult(text, hasField) || isTickBox || isFixed(text, isLocked, bookmarks);
    // Within the instruction of another field, it would be printed beside the result of that field.
    if (isTickBox && !open.at(-1)?.box) changes.push(textOf(box));
    if (!isStored && !isFolderField(text)) return isHidden;
    const [first, ...others] = pieces;
    if (first) changes.push(isStored ? emptied(first) : { ...first, text: withoutFolder(text) });
    // One by one: a call can have only about 100,000 arguments.
    for (const piece of others) changes.push(emptied(piece));
    return isHidden || isTickBox || (isStored && hidesStoredResult(text));
  };
  const addPiece = (piece: Range): void => {
    const text = decodeReferences(xml.slice(piece.start, piece.end).replace(/<[^<>]*>/g, ''));
    const part = open.at(-1);
    if (!part) return void end({ ...newPart(), text, pieces: [piece] });
    part.text += text;
    part.pieces.push(piece);
  };
  const addField = (): void => {
    const around = open.at(-1);
    if (around) around.hasField = true;
  };
  const mark = (kind: string, start: number, prefix: string, isLocked: boolean): void => {
    if (kind === 'begin') {
      addField();
      open.push({ ...newPart(open.at(-1)?.isHidden), isLocked, box: { start, prefix, isTicked: false } });
    }
    const isHidden = (kind === 'separate' || kind === 'end') && end(open.pop());
    if (kind === 'separate') open.push(newPart(isHidden));
  };
  for (const { 0: tag, 1: slash, 2: name, index } of xml.matchAll(tags)) {
    const local = localNameOf(name!);
    if (!readNames.has(local)) continue;
    if (local === 'instrText' && slash && pieceStart !== null) {
      addPiece({ start: pieceStart, end: index });
      pieceStart = null;
    }
    if (slash) continue;
    if (local === 'instrText' && !tag.endsWith('/>')) pieceStart = index + tag.length;
    const prefix = name!.slice(0, -local.length);
    if (local === 'fldChar')
      for (const kind of valuesOf(tag, 'fldCharType')) mark(kind, index, prefix, isLockedBy(tag));
    const { box, isHidden } = open.at(-1) ?? {};
    // `checked` comes after `default`, and overrides it.
    if (box && (local === 'default' || local === 'checked')) box.isTicked = isOn(tag);
    if (local === 'r' && isHidden && !tag.endsWith('/>')) {
      const at = index + tag.length;
      changes.push({ start: at, end: at, text: `<${prefix}rPr><${prefix}vanish/></${prefix}rPr>` });
    }
    if (local !== 'fldSimple') continue;
    addField();
    const isLocked = isLockedBy(tag);
    const isStored = (value: string): boolean =>
      printsStoredResult(value, false) || isFixed(value, isLocked, bookmarks);
    const instruction = valuesOf(tag, 'instr').find((value) => isStored(value) || isFolderField(value));
    if (instruction === undefined) continue;
    const emptyTag = keepAttributes(tag, (attribute) => attribute.local !== 'instr');
    const kept = isStored(instruction) ? '' : withoutFolder(instruction);
    const text = emptyTag.replace(/instr=""/i, () => `instr="${kept}"`);
    changes.push({ start: index, end: index + tag.length, text });
  }
  while (open.length > 0) end(open.pop());
  return changes.toSorted((one, other) => one.start - other.start);
};

const bookmarkStarts = /<(?:[^\s<>"'=/:]+:)?bookmarkStart\s[^<>]*>/g;

/** The names of the bookmarks in a part of a Word document. */
export const bookmarksOf = (xml: string): string[] =>
  [...xml.matchAll(bookmarkStarts)].flatMap(([tag]) => valuesOf(tag, 'name'));

/**
 * Empties the instructions of fields that are printed with their stored results, makes tick boxes texts, and lets no field
 * show the folder of the file. `xml` is a result of `editTags`, `bookmarks` the names of all bookmarks of the document.
 */
export const withStoredResults = (xml: string, bookmarks: ReadonlySet<string>): string => {
  if (!/fldChar|fldSimple|instrText/.test(xml)) return xml;
  const kept: string[] = [];
  let position = 0;
  for (const { start, end, text } of changesOf(xml, bookmarks)) {
    kept.push(xml.slice(position, start), text);
    position = end;
  }
  return kept.length === 0 ? xml : kept.join('') + xml.slice(position);
};
