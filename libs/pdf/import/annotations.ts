import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFString,
} from '@cantoo/pdf-lib';
import { name, textOf } from '../names-and-texts.ts';
import type { SafeCopier } from './copier.ts';
import type { Destinations } from './destinations.ts';
import type { IsHidden } from './optional-content.ts';
import { type Box, boxOf, numbersOf, type SourcePage } from './pages.ts';
import { requireAppearance } from './require-appearance.ts';

const flags = { hidden: 2, noView: 32 };

/** Links to the outside that are kept. Others could run a script or open a file. */
const allowedUri = /^(?:https?|mailto|tel):[\x21-\x7e]+$/i;

const hasHiddenFlag = (annotation: PDFDict): boolean => {
  const value = annotation.lookup(name('F'));
  const bits = value instanceof PDFNumber ? value.asNumber() : 0;
  return (bits & (flags.hidden | flags.noView)) !== 0;
};

/** The normal appearance of an annotation in its present state (ISO 32000-1, 12.5.5). */
const appearanceOf = (annotation: PDFDict): { reference: PDFRef; form: PDFRawStream } | null => {
  const appearances = annotation.lookup(name('AP'));
  if (!(appearances instanceof PDFDict)) return null;
  let reference = appearances.get(name('N'));
  const states = appearances.lookup(name('N'));
  if (states instanceof PDFDict) {
    const state = annotation.lookup(name('AS'));
    reference = state instanceof PDFName ? states.get(state) : undefined;
  }
  const form = appearances.context.lookup(reference);
  return reference instanceof PDFRef && form instanceof PDFRawStream ? { reference, form } : null;
};

type Matrix = [number, number, number, number, number, number];

/** The matrix that draws an appearance into the rectangle of its annotation (ISO 32000-1, 12.5.5, algorithm 8.1). */
const appearanceMatrix = (box: Box, [a, b, c, d, e, f]: Matrix, rectangle: Box): Matrix | null => {
  const xs = [box[0], box[2]].flatMap((x) => [box[1], box[3]].map((y) => a * x + c * y + e));
  const ys = [box[0], box[2]].flatMap((x) => [box[1], box[3]].map((y) => b * x + d * y + f));
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (right - left < 1e-6 || top - bottom < 1e-6) return null;
  const [scaleX, scaleY] = [
    (rectangle[2] - rectangle[0]) / (right - left),
    (rectangle[3] - rectangle[1]) / (top - bottom),
  ];
  return [scaleX, 0, 0, scaleY, rectangle[0] - left * scaleX, rectangle[1] - bottom * scaleY];
};

export type ImportedAnnotations = {
  /** The links, with the reference of the annotation in the source. */
  links: { reference: PDFRef; source: PDFObject }[];
  /** What the page draws in place of its other annotations. */
  drawn: { content: string; xObjects: Map<string, PDFRef> };
};

type Importing = {
  from: PDFContext;
  to: PDFContext;
  copier: SafeCopier;
  destinations: Destinations;
  isHidden: IsHidden | null;
};

const importLink = ({ from, to, destinations }: Importing, annotation: PDFDict): PDFDict | null => {
  const rectangle = boxOf(from, annotation.get(name('Rect')));
  if (!rectangle) return null;
  const link = to.obj({ Type: 'Annot', Subtype: 'Link', Rect: rectangle, Border: [0, 0, 0], F: 4 });
  const quads = annotation.lookup(name('QuadPoints'));
  if (quads instanceof PDFArray && quads.size() % 8 === 0 && quads.size() <= 800) {
    const points = numbersOf(from, quads, quads.size());
    if (points) link.set(name('QuadPoints'), to.obj(points));
  }
  const contents = annotation.lookup(name('Contents'));
  if (textOf(contents)) link.set(name('Contents'), contents!);
  const action = annotation.lookup(name('A'));
  const destination = destinations.resolve(annotation.get(name('Dest'))) ?? destinations.ofAction(action);
  if (destination) {
    link.set(name('Dest'), destination);
    return link;
  }
  const uri = action instanceof PDFDict && action.lookup(name('S')) === name('URI') ? action.lookup(name('URI')) : null;
  const address = uri ? textOf(uri) : null;
  if (address === null || address.length > 4096 || !allowedUri.test(address)) return null;
  const escaped = address.replaceAll(/[()\\]/g, (character) => `\\${character}`);
  link.set(name('A'), to.obj({ S: 'URI', URI: PDFString.of(escaped) }));
  return link;
};

/**
 * Keeps links to places in the document and to the web. Everything else, such as form fields, notes and stamps, becomes
 * what it looks like: part of the content of the page.
 * @throws ApiError invalid_pdf for an annotation or the value of a form field that would be lost
 */
export const importAnnotations = (importing: Importing, page: SourcePage, pageNumber: number): ImportedAnnotations => {
  const { from, to, copier, isHidden } = importing;
  const links: ImportedAnnotations['links'] = [];
  const xObjects = new Map<string, PDFRef>();
  let content = '';
  const annotations = page.dictionary.lookup(name('Annots'));
  for (const source of annotations instanceof PDFArray ? annotations.asArray() : []) {
    const annotation = from.lookup(source);
    if (!(annotation instanceof PDFDict) || isHidden?.(annotation.get(name('OC')))) continue;
    const subtype = annotation.lookup(name('Subtype'));
    if (subtype === name('Link')) {
      const link = importLink(importing, annotation);
      if (link) links.push({ reference: to.register(link), source });
      continue;
    }
    if (subtype === name('Popup') || hasHiddenFlag(annotation)) continue;
    const appearance = appearanceOf(annotation);
    if (!appearance) {
      requireAppearance(annotation, pageNumber);
      continue;
    }
    const { reference, form } = appearance;
    if (isHidden?.(form.dict.get(name('OC')))) continue;
    const rectangle = boxOf(from, annotation.get(name('Rect')));
    const box = boxOf(from, form.dict.get(name('BBox')));
    const own = (numbersOf(from, form.dict.get(name('Matrix')), 6) ?? [1, 0, 0, 1, 0, 0]) as Matrix;
    const matrix = rectangle && box && appearanceMatrix(box, own, rectangle);
    form.dict.set(name('Subtype'), name('Form'));
    const copy = matrix && copier.referenceTo(reference, 'xObject');
    if (!copy) continue;
    const xObject = `Annotation${xObjects.size + 1}`;
    xObjects.set(xObject, copy);
    content += `q ${matrix.map((number) => Number(number.toFixed(5))).join(' ')} cm /${xObject} Do Q\n`;
  }
  return { links, drawn: { content, xObjects } };
};
