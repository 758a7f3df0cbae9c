import type { Parts } from '../office/archive.ts';
import { hidesStoredResult } from '../office/fields.ts';

// The converter prints hidden text, passes over some elements with their text, and does not know which parts of a field
// are its instruction. Elements it knows take the place of others: it reads the content of `w:smartTag`, and no
// `w:delText`.

const unwrapped = new Set(['fldSimple', 'dir', 'bdo', 'ruby', 'rubyBase']);
const contents =
  't|tab|br|cr|sym|noBreakHyphen|softHyphen|drawing|pict|object|footnoteReference|endnoteReference'.split('|');
const printed = new Set(contents);
const properties = ['pStyle', 'rStyle', 'vanish', 'rPrChange', 'pPrChange', 'fldChar', 'instrText'];
const tags = new RegExp(
  String.raw`<(\/?)w:(p|r|${[...unwrapped, ...contents, ...properties].join('|')})(?=[\s/>])([^<>]*)>`,
  'g',
);

const valueOf = (attributes: string): string => /\sw:val="([^"]*)"/.exec(attributes)?.[1] ?? '';
const isOn = (attributes: string): boolean => !/^(?:0|false|off)$/.test(valueOf(attributes));

/** The ids of the styles whose text is hidden, by themselves or by the styles they are based on. */
const hiddenStylesOf = (styles: string): ReadonlySet<string> => {
  const [, ...elements] = styles.split(/(?=<w:style\s)/);
  const found = new Map(
    elements.map((style) => [
      /\sw:styleId="([^"]*)"/.exec(style)?.[1] ?? '',
      {
        base: /<w:basedOn\s+w:val="([^"]*)"/.exec(style)?.[1] ?? '',
        vanish: /<w:vanish(?=[\s/>])([^<>]*)>/.exec(style)?.[1],
      },
    ]),
  );
  const known = new Map<string, boolean>();
  for (const first of found.keys()) {
    const passed = new Set<string>();
    let id = first;
    while (found.has(id) && !known.has(id) && !passed.has(id) && found.get(id)!.vanish === undefined) {
      passed.add(id);
      id = found.get(id)!.base;
    }
    const vanish = found.get(id)?.vanish;
    const isHidden = vanish === undefined ? known.get(id) === true : isOn(vanish);
    for (const one of passed.add(id)) known.set(one, isHidden);
  }
  return new Set([...known].flatMap(([id, isHidden]) => (isHidden ? [id] : [])));
};

/** A paragraph or run that is open: whether its style and the paragraph around it hide it, and what it says itself. */
type Open = { isRun: boolean; isStyleHidden: boolean; isParagraphHidden: boolean; isHidden?: boolean };

/** The instruction of a field, or its result. */
type FieldPart = { isHidden: boolean; instruction: string };

const marks = /<w:fldChar(?=[\s/>])[^<>]*>/g;
const markType = (attributes: string): string | undefined => /\sw:fldCharType="(\w+)"/.exec(attributes)?.[1];

/** Where the fields begin that also end. Without an end, all text after a field would be its instruction. */
const fieldStarts = (xml: string): ReadonlySet<number> => {
  const open: number[] = [];
  const starts = new Set<number>();
  for (const { 0: mark, index } of xml.matchAll(marks)) {
    const type = markType(mark);
    if (type === 'begin') open.push(index);
    else if (type === 'end' && open.length > 0) starts.add(open.pop()!);
  }
  return starts;
};

/** The text of Word elements as Word prints it, in elements that the converter knows. */
const shownText = (xml: string, hiddenStyles: ReadonlySet<string>): string => {
  const open: Open[] = [];
  const starts = fieldStarts(xml);
  const fields: FieldPart[] = [];
  let [hiddenParts, isFormer] = [0, false];
  const isHidden = (): boolean => {
    const run = open.at(-1);
    if (!run?.isRun) return false;
    if (hiddenParts > 0) return true;
    // Text that both styles hide is shown (ECMA-376, part 1, 17.7.3).
    return run.isHidden ?? run.isStyleHidden !== run.isParagraphHidden;
  };
  const begin = (isRun: boolean): void => {
    const around = open.at(-1);
    const isParagraphHidden = isRun && !!(around?.isRun ? around.isParagraphHidden : around?.isStyleHidden);
    open.push({ isRun, isStyleHidden: false, isParagraphHidden });
  };
  const readField = (type: string | undefined, at: number): void => {
    if (type === 'begin' && !starts.has(at)) return;
    const ended = type === 'begin' ? undefined : fields.pop();
    if (ended?.isHidden) hiddenParts -= 1;
    if (type === 'end') return;
    const isHidden = type === 'begin' || hidesStoredResult(ended?.instruction ?? '');
    fields.push({ isHidden, instruction: '' });
    if (isHidden) hiddenParts += 1;
  };
  const readInstruction = (start: number): void => {
    const part = fields.at(-1);
    if (part) part.instruction += xml.slice(start, xml.indexOf('<', start));
  };
  const readProperty = (name: string, rest: string, at: number): void => {
    const last = open.at(-1);
    if (name === 'fldChar') readField(markType(rest), at);
    else if (last && !isFormer) {
      if (name === 'vanish' && last.isRun) last.isHidden = isOn(rest);
      if (name === (last.isRun ? 'rStyle' : 'pStyle')) last.isStyleHidden = hiddenStyles.has(valueOf(rest));
    }
  };
  return xml.replace(tags, (tag, slash: string, name: string, rest: string, at: number) => {
    if (unwrapped.has(name)) return `<${slash}w:smartTag${rest}>`;
    if (printed.has(name)) {
      if (isHidden()) return `<${slash}w:delText${rest}>`;
      return name === 'cr' ? `<${slash}w:br${rest}>` : tag;
    }
    if (name === 'p' || name === 'r') {
      if (slash) open.pop();
      else if (!rest.endsWith('/')) begin(name === 'r');
    } else if (name.endsWith('Change')) isFormer = !slash && !rest.endsWith('/');
    else if (name === 'instrText') {
      if (!slash) readInstruction(at + tag.length);
    } else if (!slash) readProperty(name, rest, at);
    return tag;
  });
};

const headerRow = /<w:tblHeader\s([^<>]*)>/g;

/** Without what says that a row is no header row: the converter takes each row with the element for one. */
const withoutNoHeaderRows = (xml: string): string =>
  xml.replace(headerRow, (tag, attributes: string) =>
    attributes.endsWith('/') && /w:val="(?:0|false|off)"/.test(attributes) ? '' : tag,
  );

/** Hides the hidden text of a Word document from the converter, and shows it the text that it would pass over. */
export const showPrintedText = (parts: Parts): void => {
  const textOf = (path: string): string => Buffer.from(parts.get(path) ?? []).toString('utf8');
  const hiddenStyles = hiddenStylesOf(textOf('word/styles.xml'));
  for (const path of parts.keys())
    if (/^word\/(?!styles)[^/]+\.xml$/i.test(path))
      parts.set(path, Buffer.from(withoutNoHeaderRows(shownText(textOf(path), hiddenStyles))));
};
