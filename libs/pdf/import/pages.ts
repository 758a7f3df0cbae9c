import { type PDFContext, PDFArray, PDFDict, PDFNumber, type PDFObject, PDFRef } from '@cantoo/pdf-lib';
import { name } from '../names-and-texts.ts';
import { damaged, invalidPdf } from './invalid-pdf.ts';

/** A rectangle: left, bottom, right, top, in points. */
export type Box = [number, number, number, number];

/** A page with the attributes that it inherits (ISO 32000-1, 7.7.3.4). */
export type SourcePage = {
  reference: PDFRef;
  dictionary: PDFDict;
  mediaBox: Box;
  /** What viewers show of the page; null for all of it. */
  cropBox: Box | null;
  /** 0, 90, 180 or 270. */
  rotation: number;
  /** How long a unit of the page is, in points. */
  userUnit: number;
  resources: PDFObject | undefined;
};

const inheritable = ['Resources', 'MediaBox', 'CropBox', 'Rotate'] as const;
type Inherited = Partial<Record<(typeof inheritable)[number], PDFObject>>;

/** The numbers of an array; null if it is another kind of value. */
export const numbersOf = (context: PDFContext, value: PDFObject | undefined, length: number): number[] | null => {
  const array = context.lookup(value);
  if (!(array instanceof PDFArray) || array.size() !== length) return null;
  const numbers = array.asArray().map((item) => {
    const number = context.lookup(item);
    return number instanceof PDFNumber ? number.asNumber() : NaN;
  });
  return numbers.every((number) => Number.isFinite(number) && Math.abs(number) < 1e7) ? numbers : null;
};

/** A rectangle with its corners in order; null if the value is none. */
export const boxOf = (context: PDFContext, value: PDFObject | undefined): Box | null => {
  const numbers = numbersOf(context, value, 4);
  if (!numbers) return null;
  const [x1, y1, x2, y2] = numbers as Box;
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
};

const usLetter: Box = [0, 0, 612, 792];
/** The limits of a page in points (ISO 32000-1, Annex C). */
const isPageSize = ([left, bottom, right, top]: Box): boolean =>
  [right - left, top - bottom].every((length) => length >= 1 && length <= 14_400);

/** Viewers show nothing outside of the MediaBox (ISO 32000-1, 14.11.2). A CropBox apart from it is ignored. */
const cropBoxOf = (context: PDFContext, value: PDFObject | undefined, mediaBox: Box): Box | null => {
  const own = boxOf(context, value);
  if (!own) return null;
  const [left, bottom] = [Math.max(own[0], mediaBox[0]), Math.max(own[1], mediaBox[1])];
  const shown: Box = [left, bottom, Math.min(own[2], mediaBox[2]), Math.min(own[3], mediaBox[3])];
  return isPageSize(shown) ? shown : null;
};

const rotationOf = (context: PDFContext, value: PDFObject | undefined): number => {
  const rotation = context.lookup(value);
  const degrees = rotation instanceof PDFNumber ? rotation.asNumber() : 0;
  return degrees % 90 === 0 ? ((degrees % 360) + 360) % 360 : 0;
};

/** A page of more than a kilometre is none that a browser could print stamps for. */
const maxPoints = 3_000_000;

/** @throws ApiError invalid_pdf if it makes the page impossibly small or large */
const userUnitOf = (page: PDFDict, [left, bottom, right, top]: Box): number => {
  const value = page.lookup(name('UserUnit'));
  const unit = value instanceof PDFNumber && value.asNumber() > 0 ? value.asNumber() : 1;
  const lengths = [right - left, top - bottom].map((length) => length * unit);
  if (lengths.some((length) => length < 1 || length > maxPoints)) throw damaged('a page has an impossible size');
  return unit;
};

/**
 * The pages of a document in order. Walks the tree without recursion, and each node once.
 * @throws ApiError invalid_pdf if the tree is damaged, has a loop, or has too many pages
 */
export const readPages = (context: PDFContext, catalog: PDFDict, maxPages: number | null): SourcePage[] => {
  const pages: SourcePage[] = [];
  const seen = new Set<string>();
  const pending: { reference: PDFObject | undefined; inherited: Inherited }[] = [
    { reference: catalog.get(name('Pages')), inherited: {} },
  ];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { reference } = next;
    if (!(reference instanceof PDFRef)) throw damaged('its page tree is broken');
    if (seen.has(reference.tag)) throw damaged('its page tree has a loop');
    seen.add(reference.tag);
    const dictionary = context.lookup(reference);
    if (!(dictionary instanceof PDFDict)) throw damaged('its page tree is broken');
    const inherited = { ...next.inherited };
    for (const key of inheritable) {
      const own = dictionary.get(name(key));
      if (own) inherited[key] = own;
    }
    if (context.lookup(dictionary.get(name('Kids'))) instanceof PDFArray) {
      const kids = context.lookup(dictionary.get(name('Kids')), PDFArray).asArray();
      // One by one: a call has room for some 100,000 arguments.
      for (const kid of kids.toReversed()) pending.push({ reference: kid, inherited });
      continue;
    }
    if (dictionary.lookup(name('Type')) === name('Pages')) continue;
    if (maxPages !== null && pages.length >= maxPages)
      throw invalidPdf('too_many_pages', `The PDF has more pages than the ${maxPages} that are allowed.`);
    const mediaBox = boxOf(context, inherited.MediaBox) ?? usLetter;
    if (!isPageSize(mediaBox)) throw damaged('a page has an impossible size');
    pages.push({
      reference,
      dictionary,
      mediaBox,
      cropBox: cropBoxOf(context, inherited.CropBox, mediaBox),
      rotation: rotationOf(context, inherited.Rotate),
      userUnit: userUnitOf(dictionary, mediaBox),
      resources: inherited.Resources,
    });
  }
  if (pages.length === 0) throw damaged('it has no pages');
  return pages;
};
