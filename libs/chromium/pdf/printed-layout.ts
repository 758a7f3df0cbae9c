import { constants, inflateSync } from 'node:zlib';
import { openPdfObjects, pageObjects, type PdfObjects } from './objects.ts';

/** Boxes in the margins come before the content. Most documents have none, and inflating less takes less time. */
const compressedStartBytes = [512, 2048];
const startCharacters = 8192;
const maxSearchedPages = 5;

const startOfContent = (
  pdf: Buffer,
  { bytesOf, reference, dictionary }: PdfObjects,
  page: number,
  maxBytes: number,
): string => {
  const content = reference('Contents', dictionary(page));
  const { start, end } = bytesOf(content);
  const stream = pdf.indexOf('stream\n', start) + 'stream\n'.length;
  const bytes = pdf.subarray(stream, Math.min(end, stream + maxBytes));
  // The content of an empty page is too short to be compressed.
  if (!dictionary(content).includes('/FlateDecode')) return bytes.toString('latin1');
  return inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1', 0, startCharacters);
};

/** What Skia writes before the content of a page, in units of 1/300 inch: the area of the content, and its scale. */
const contentTransform = /\nq\n([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\nW\* n\nq\n([\d.]+) 0 0 \5 \1 -?[\d.]+ cm\n/;
const findContentTransform = (pdf: Buffer, objects: PdfObjects, page: number): RegExpExecArray | null => {
  for (const maxBytes of compressedStartBytes) {
    const found = contentTransform.exec(startOfContent(pdf, objects, page, maxBytes));
    if (found) return found;
  }
  return null;
};

/** Of a CSS pixel at scale 1. */
const deviceUnitsPerPixel = 300 / 96;

/**
 * How the browser laid out the document: the printed area in CSS pixels of the document, and how large a CSS pixel is
 * on paper (1 is 1/96 inch). It is less than the requested scale if the browser has shrunk the document to fit.
 */
export type PrintedLayout = { width: number; height: number; scale: number };

/** Reads the layout from the first page with content; undefined if none has any. */
export const readPrintedLayout = (pdf: Buffer): PrintedLayout | undefined => {
  const objects = openPdfObjects(pdf);
  let searched = 0;
  for (const page of pageObjects(objects)) {
    if ((searched += 1) > maxSearchedPages) return undefined;
    const found = findContentTransform(pdf, objects, page)?.slice(1).map(Number);
    if (!found) continue;
    const [x = 0, y = 0, width = 0, height = 0, unitsPerPixel = 1] = found;
    // This is the header and footer, which cover the paper, or content that was not shrunk on paper without margins.
    if (x === 0 && y === 0 && unitsPerPixel === deviceUnitsPerPixel) continue;
    return {
      width: width / unitsPerPixel,
      height: height / unitsPerPixel,
      scale: unitsPerPixel / deviceUnitsPerPixel,
    };
  }
  return undefined;
};

/**
 * The pages of named destinations that begin with the prefix and end in a number, by that number. Pages count from 1.
 */
export const readDestinationPages = (pdf: Buffer, prefix: string): Map<number, number> => {
  const objects = openPdfObjects(pdf);
  const pages = new Map([...pageObjects(objects)].map((object, index) => [object, index + 1]));
  const catalogue = objects.dictionary(objects.reference('Root', objects.trailer));
  if (!catalogue.includes('/Dests ')) return new Map();
  const destinations = objects.dictionary(objects.reference('Dests', catalogue));
  const found = new Map<number, number>();
  for (const [, number, object] of destinations.matchAll(new RegExp(`/${prefix}(\\d+) \\[(\\d+) 0 R`, 'g'))) {
    const page = pages.get(Number(object));
    if (page !== undefined) found.set(Number(number), page);
  }
  return found;
};
