import { constants, inflateSync } from 'node:zlib';
import { openPdfObjects, pageObjects, type PdfObjects } from './objects.ts';

/** Boxes in the margins come before the content. Most documents have none, and inflating less takes less time. */
const compressedStartBytes = [512, 2048];
/** Of a page that seems to be shrunk: its first drawing may be a large picture with a scale of its own. */
const compressedPageBytes = 64 * 1024;
const minCharacters = 8192;
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
  return inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString(
    'latin1',
    0,
    Math.max(minCharacters, 8 * maxBytes),
  );
};

/**
 * What Skia writes before the parts of a page, in units of 1/300 inch: their area, or their scale and left edge. Not the
 * scale of a layer, such as a part with opacity or text filled with a picture, which is drawn in these units.
 */
const area = String.raw`([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\nW\* n`;
const scaleAndLeft = String.raw`([\d.]+) 0 0 \5 ([\d.]+) -?[\d.]+ cm`;
const layer = String.raw`\n(?:.* (?:rg|gs|BDC)\n|EMC\n){0,9}/X\d+ Do\n`;
const areaOrScale = new RegExp(String.raw`\nq\n(?:${area}|${scaleAndLeft})(?=\n)(?!${layer})`, 'g');

/** Of a CSS pixel at scale 1. */
const deviceUnitsPerPixel = 300 / 96;

/**
 * How the browser laid out the document: the printed area in CSS pixels of the document, and how large a CSS pixel is
 * on paper (1 is 1/96 inch). It is less than the requested scale if the browser has shrunk the document to fit.
 */
export type PrintedLayout = { width: number; height: number; scale: number };

/** `isAssumed`: nothing but a picture that is cut shows the layout; the document may cut it on purpose. */
type FoundLayout = PrintedLayout & { isAssumed?: boolean };

/** The browser makes wide content smaller by at most this factor, and cuts off the rest. */
const maxShrinkFactor = 1.5;

/** A picture as the first drawing of a page, with the printed area before it, which Skia draws in a scale of its own. */
const firstPicture = new RegExp(
  String.raw`^.* cm\nq\n${area}\nq\n([\d.]+) 0 0 -[\d.]+ [\d.]+ -?[\d.]+ cm\n(?:.*(?:rg|gs|BDC)\n|EMC\n){0,9}/X\d+ Do\n`,
);

/** The layout of a page that begins with a picture wider than the page; undefined for other pages. */
const layoutOfCutPicture = (
  content: string,
  requestedScale: number,
  expectedWidth: number,
): FoundLayout | undefined => {
  const [, , , width = 0, height = 0, ofPicture = 0] = (firstPicture.exec(content) ?? []).map(Number);
  if (!width || !height || !ofPicture || ofPicture < width * 1.01) return undefined;
  // Another area is that of a box that cuts the picture.
  if (Math.abs(width / (expectedWidth * requestedScale * deviceUnitsPerPixel) - 1) > 0.01) return undefined;
  const scale = requestedScale / maxShrinkFactor;
  const unitsPerPixel = deviceUnitsPerPixel * scale;
  return { width: width / unitsPerPixel, height: height / unitsPerPixel, scale, isAssumed: true };
};

/** Header and footer cover the paper, or content that was not shrunk on paper without margins. */
type Part = PrintedLayout & { coversPaper: boolean };

const partsOf = (content: string): Part[] => {
  const found: Part[] = [];
  let current: number[] = [];
  for (const match of content.matchAll(areaOrScale)) {
    if (match[5] === undefined) current = match.slice(1, 5).map(Number);
    const [x, y = 0, width = 0, height = 0] = current;
    const [unitsPerPixel, left] = [Number(match[5]), Number(match[6])];
    if (match[5] === undefined || left !== x) continue;
    found.push({
      width: width / unitsPerPixel,
      height: height / unitsPerPixel,
      scale: unitsPerPixel / deviceUnitsPerPixel,
      coversPaper: x === 0 && y === 0 && unitsPerPixel === deviceUnitsPerPixel,
    });
  }
  return found;
};

const areaOnPaper = ({ width, height, scale }: PrintedLayout): number => width * height * scale ** 2;
const largestArea = (parts: readonly Part[]): number =>
  parts.reduce((largest, part) => Math.max(largest, areaOnPaper(part)), 0);

/** Drawings have scales of their own. Most have smaller areas, or make their content smaller or larger than the page. */
const contentOf = (parts: readonly Part[], requestedScale: number): Part | undefined => {
  const [covering, others] = [parts.filter((part) => part.coversPaper), parts.filter((part) => !part.coversPaper)];
  const notEnlarged = others.filter(({ scale }) => scale < requestedScale * 1.001);
  const minArea = Math.max(largestArea(notEnlarged) * 0.999, largestArea(covering) / 4);
  return notEnlarged.filter((part) => areaOnPaper(part) >= minArea).toSorted((a, b) => b.scale - a.scale)[0];
};

const layoutOfPage = (partsIn: (maxBytes: number) => Part[], requestedScale: number): PrintedLayout | undefined => {
  let parts: Part[] = [];
  let found: Part | undefined;
  for (const maxBytes of [...compressedStartBytes, compressedPageBytes]) {
    if (maxBytes === compressedPageBytes && parts.length === 0) break;
    parts = partsIn(maxBytes);
    if (parts[0]?.coversPaper) return undefined;
    found = contentOf(parts, requestedScale);
    if (found && found.scale > requestedScale * 0.999) break;
  }
  return found && { width: found.width, height: found.height, scale: found.scale };
};

/**
 * Reads the layout from the first page with content; undefined if none has any that shows it.
 * @param requestedScale the scale of the document if it was not shrunk
 * @param expectedWidth of the printed area in CSS pixels of a document that was not shrunk
 */
export const readPrintedLayout = (
  pdf: Buffer,
  requestedScale: number,
  expectedWidth: number,
): FoundLayout | undefined => {
  const objects = openPdfObjects(pdf);
  let searched = 0;
  let assumed: FoundLayout | undefined;
  for (const page of pageObjects(objects)) {
    if ((searched += 1) > maxSearchedPages) return assumed;
    const start = (maxBytes: number) => startOfContent(pdf, objects, page, maxBytes);
    const found = layoutOfPage((maxBytes) => partsOf(start(maxBytes)), requestedScale);
    if (found) return found;
    assumed ??= layoutOfCutPicture(start(compressedStartBytes[0]!), requestedScale, expectedWidth);
  }
  return assumed;
};
