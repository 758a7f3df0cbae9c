import { PDFDict, type PDFDocument, PDFNumber, type PDFObject, PDFRawStream, PDFRef } from '@cantoo/pdf-lib';
import type { ConformanceViolation } from '#contracts/http/conformance.ts';
import { readOperations } from './content-stream.ts';
import { name } from './names-and-texts.ts';
import { contentOf, pageContent, withContent } from './streams.ts';

const toUnicode = name('ToUnicode');
/** A mapping to no character. Skia gives it to glyphs whose text is in an ActualText. */
const toNoCharacter = /(<[0-9A-F]+>) <(?:0000|FEFF|FFFE)>/gi;
const zeroWidthSpace = '200B';

/** The codes of one byte that a map has, alone or in a range. */
const mappedCodes = (map: string): Set<number> => {
  const codes = new Set<number>();
  for (const [, kind, entries] of map.matchAll(/beginbf(char|range)([^]*?)endbf\1/g)) {
    const entry = kind === 'char' ? /<(..)>()\s*<[^>]*>/g : /<(..)>\s*<(..)>\s*(?:<[^>]*>|\[[^\]]*\])/g;
    for (const [, first, last] of entries!.matchAll(entry))
      for (let code = parseInt(first!, 16); code <= parseInt(last || first!, 16); code += 1) codes.add(code);
  }
  return codes;
};

/**
 * Adds what the map of a font of one-byte codes leaves out. If several glyphs are one text together, LibreOffice writes
 * it as an ActualText and maps only the first of them.
 */
const withMissingCodes = (map: string, font: PDFDict): string => {
  const [first, last] = ['FirstChar', 'LastChar'].map((key) => font.lookup(name(key)));
  if (!(first instanceof PDFNumber && last instanceof PDFNumber)) return map;
  const mapped = mappedCodes(map);
  let added = '';
  for (let code = first.asNumber(); code <= Math.min(255, last.asNumber()); code += 1)
    if (!mapped.has(code))
      added += `1 beginbfchar\n<${code.toString(16).padStart(2, '0')}> <${zeroWidthSpace}>\nendbfchar\n`;
  return map.replace(/\bendcmap\b/, `${added}endcmap`);
};

/** Maps every glyph to a character that a reader may get (ISO 19005-2, 6.2.11.7.2; ISO 14289-1, 7.21.7). */
export const completeUnicodeMaps = (document: PDFDocument): void => {
  const { context } = document;
  for (const [, font] of context.enumerateIndirectObjects()) {
    const reference = font instanceof PDFDict ? font.get(toUnicode) : undefined;
    const map = context.lookup(reference);
    if (!(font instanceof PDFDict && reference instanceof PDFRef && map instanceof PDFRawStream)) continue;
    const content = contentOf(map);
    const completed = withMissingCodes(content.replaceAll(toNoCharacter, `$1 <${zeroWidthSpace}>`), font);
    if (completed !== content) context.assign(reference, withContent(document, map, completed));
  }
};

const resourcesOf = (dictionary: PDFDict, kind: 'Font' | 'XObject'): PDFDict | undefined =>
  dictionary.lookupMaybe(name('Resources'), PDFDict)?.lookupMaybe(name(kind), PDFDict);

/** The codes in a string operand, in hex: of one byte in Type 3 fonts, else of two. */
const codesOf = (operand: string, areShort = false): string[] =>
  operand.startsWith('<')
    ? (operand
        .slice(1, -1)
        .replaceAll(/\s/g, '')
        .toUpperCase()
        .match(areShort ? /.{2}/g : /.{4}/g) ?? [])
    : [];

const isType3 = (font: PDFObject | undefined): boolean =>
  font instanceof PDFDict && font.get(name('Subtype')) === name('Type3');

/** The codes that each composite or Type 3 font shows, on a page and in the forms that it draws. */
const usedCodes = (
  document: PDFDocument,
  dictionary: PDFDict,
  content: string,
  into: Map<PDFObject, Set<string>>,
): void => {
  const pending = [{ dictionary, content }];
  const seen = new Set<PDFObject>();
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [fonts, forms] = [resourcesOf(next.dictionary, 'Font'), resourcesOf(next.dictionary, 'XObject')];
    let codes: Set<string> | undefined;
    let hasShortCodes = false;
    for (const { operator, operands } of readOperations(next.content)) {
      if (operator === 'Tf') {
        const font = fonts?.get(name(operands[0]!.slice(1)));
        const fontDictionary = font && document.context.lookupMaybe(font, PDFDict);
        hasShortCodes = isType3(fontDictionary);
        const isRead = hasShortCodes || fontDictionary?.get(name('Subtype')) === name('Type0');
        codes = font && isRead ? (into.get(font) ?? new Set<string>()) : undefined;
        if (codes) into.set(font!, codes);
      } else if (operator === 'Tj' || operator === 'TJ') {
        for (const code of operands.flatMap((operand) => codesOf(operand, hasShortCodes))) codes?.add(code);
      } else if (operator === 'Do') {
        const reference = forms?.get(name(operands[0]!.slice(1)));
        const form = reference && document.context.lookup(reference);
        if (!form || !isForm(form) || seen.has(reference)) continue;
        seen.add(reference);
        pending.push({ dictionary: form.dict, content: contentOf(form) });
      }
    }
  }
};

/** The codes of the glyph that a font shows for characters it does not have. Skia's Type 3 fonts have it as code 0. */
const [codeOfNotdef, shortCodeOfNotdef] = ['0000', '00'];

/** Whether a string in hex, or what looks like one, has the code of no glyph. */
const mayShowNotdef = (content: string, hasType3: boolean): boolean =>
  (hasType3 || /0\s*0\s*0\s*0/.test(content)) &&
  content
    .matchAll(/<[^<>]*>/g)
    .some(
      ([operand]) =>
        codesOf(operand).includes(codeOfNotdef) || (hasType3 && codesOf(operand, true).includes(shortCodeOfNotdef)),
    );

const isForm = (object: PDFObject): object is PDFRawStream =>
  object instanceof PDFRawStream && object.dict.get(name('Subtype')) === name('Form');

/** Searches without reading operators, because nearly all documents show only characters that their fonts have. */
const mayMissGlyphs = (document: PDFDocument): boolean => {
  const objects = document.context.enumerateIndirectObjects();
  const hasType3 = objects.some(([, object]) => isType3(object));
  return (
    document.getPages().some((page) => mayShowNotdef(pageContent(page), hasType3)) ||
    objects.some(([, object]) => isForm(object) && mayShowNotdef(contentOf(object), hasType3))
  );
};

const skiaNotdef = /^\[ 0 \/g0[ \]]/;

/** Whether a font shows the glyph for characters that it does not have. */
const showsNotdef = (document: PDFDocument, reference: PDFObject, codes: ReadonlySet<string>): boolean => {
  const font = document.context.lookup(reference);
  if (!isType3(font)) return codes.has(codeOfNotdef);
  const differences = (font as PDFDict).lookupMaybe(name('Encoding'), PDFDict)?.lookup(name('Differences'));
  return codes.has(shortCodeOfNotdef) && skiaNotdef.test(String(differences));
};

const violation = (standard: string, page: number, message: string): ConformanceViolation => ({
  standard,
  element: `Text on page ${page}`,
  message,
});

/** Characters that no installed font has. They are printed as boxes, and no reader can tell what they mean. */
export const findMissingGlyphs = (document: PDFDocument): ConformanceViolation[] => {
  if (!mayMissGlyphs(document)) return [];
  const reported = new Set<PDFObject>();
  return document.getPages().flatMap((page, index) => {
    const used = new Map<PDFObject, Set<string>>();
    usedCodes(document, page.node, pageContent(page), used);
    return [...used]
      .filter(([font, codes]) => !reported.has(font) && showsNotdef(document, font, codes))
      .map(([font]) => {
        reported.add(font);
        return violation(
          'ISO 19005-3, 6.2.11.8',
          index + 1,
          'Replace the characters that are printed as empty boxes, or name a font that has them.',
        );
      });
  });
};
