import { type HeadingText, maxHeadingLetters } from './heading-texts.ts';
import { textString } from './information.ts';
import { openPdfObjects, type PdfObjects, replaceObjects } from './objects.ts';

/** Of all headings. Other documents wait while they are compared, which takes up to a tenth of a second. */
const maxLetters = maxHeadingLetters;

const maxItems = 200_000;
/** A title in UTF-16 has four digits for each of its letters. The texts of longer ones are cut, so that none is found. */
const maxItemBytes = 8 * 1024;

/** The numbers of the items of the outline, parents before their children. */
function* outlineItems({ trailer, dictionary, reference }: PdfObjects): Generator<number> {
  const referenceIn = (text: string, key: string): number[] => {
    const number = new RegExp(`/${key} (\\d+) 0 R`).exec(text)?.[1];
    return number === undefined ? [] : [Number(number)];
  };
  const pending = referenceIn(dictionary(reference('Root', trailer)), 'Outlines').flatMap((root) =>
    referenceIn(dictionary(root), 'First'),
  );
  for (let visited = 0; visited < maxItems; visited += 1) {
    const item = pending.pop();
    if (item === undefined) return;
    yield item;
    const text = dictionary(item);
    pending.push(...referenceIn(text, 'Next'), ...referenceIn(text, 'First'));
  }
}

/** A title as Skia writes it: in ASCII with escapes, or in UTF-16. */
const titlePattern = /\/Title (?:<FEFF([\dA-F]*)>|\(((?:\\[^]|[^\\()])*)\))/i;
const titleOf = (item: string): string | null => {
  const [, hex, literal] = titlePattern.exec(item) ?? [];
  if (hex !== undefined) return Buffer.from(hex, 'hex').swap16().toString('utf16le');
  return (
    literal?.replaceAll(/\\([0-7]{1,3}|[^])/g, (_, escaped: string) =>
      /^[0-7]/.test(escaped) ? String.fromCharCode(Number.parseInt(escaped, 8)) : escaped,
    ) ?? null
  );
};

const lettersOf = (text: string): string => text.normalize('NFKC').replaceAll(/[\s\u00ad\u2010-]|\p{Cf}/gu, '');
const sorted = (letters: string): string => {
  const units = new Uint16Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) units[at] = letters.charCodeAt(at);
  return Buffer.from(units.toSorted().buffer).toString('utf16le');
};

/** Gives texts whose letters are the same, in any order, the same key; '' after `maxLetters` letters. */
const openKeys = (): ((text: string) => string) => {
  let left = maxLetters;
  return (text) => {
    const letters = left < 0 ? '' : lettersOf(text);
    left -= letters.length;
    return left < 0 ? '' : sorted(letters);
  };
};

/** The browser draws a heading once more at the end of a page where it has no room, and then repeats its text. */
const maxRepetitions = 4;

/** A title, and the text that it repeats, if it repeats one. */
function* readingsOf(title: string): Generator<string> {
  yield title;
  for (let count = 2; count <= maxRepetitions; count += 1) {
    const text = title.slice(0, title.length / count);
    if (text !== '' && text.repeat(count) === title) yield text;
  }
}

/**
 * Finds the heading of each title, in the order of the document. The browser writes text that runs from right to left in
 * the order in which it is drawn. The search therefore compares letters, and ignores their order.
 */
const openTitleSearch = (headings: readonly HeadingText[]): ((title: string) => string | null) => {
  const keyOfText = openKeys();
  const keys = headings.map(({ text }) => keyOfText(text));
  // In reverse, because `pop` takes the last one.
  const indexes = [...headings.keys()].toReversed();
  const byLetters = Map.groupBy(indexes, (at) => keys[at]!);
  const keyOfTitle = openKeys();
  let next = 0;
  const search = (text: string): string | null => {
    const key = keyOfTitle(text);
    const left = key === '' ? [] : (byLetters.get(key) ?? []);
    while (left.length > 0 && left.at(-1)! < next) left.pop();
    const found = left.pop();
    if (found === undefined) return null;
    next = found + 1;
    return headings[found]!.title;
  };
  return (title) => {
    for (const text of readingsOf(title)) {
      const found = search(text);
      if (found !== null) return found;
    }
    return null;
  };
};

/**
 * Gives the outline of a printed PDF the texts of the headings. The browser writes what is drawn: without the spaces at
 * the ends of lines, with hyphens, and without what style sheets add. `headings` are in the order of the document.
 */
export const withHeadingTitles = (pdf: Buffer, headings: readonly HeadingText[]): Buffer => {
  const objects = openPdfObjects(pdf);
  const textFor = openTitleSearch(headings);
  const changed = new Map<number, string>();
  for (const number of outlineItems(objects)) {
    const { start, end } = objects.bytesOf(number);
    if (end - start > maxItemBytes) continue;
    const item = pdf.toString('latin1', start, end);
    const title = titleOf(item);
    const text = title === null ? null : textFor(title);
    if (text !== null && text !== title)
      changed.set(
        number,
        item.replace(titlePattern, () => `/Title ${textString(text)}`),
      );
  }
  return changed.size === 0 ? pdf : replaceObjects(pdf, changed);
};
