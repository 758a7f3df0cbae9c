import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFNumber,
  PDFObjectCopier,
  type PDFPage,
  type PDFRef,
} from '@cantoo/pdf-lib';
import { ApiError } from '#contracts/http/api-error.ts';
import type { PageNumbersOption } from '#contracts/http/page-numbers.ts';
import type { WatermarkOption } from '#contracts/http/watermark.ts';
import { name } from './names-and-texts.ts';
import { type NumberedPages, setPageLabels } from './page-labels.ts';
import { isPageIn, sideOf } from './stamp-places.ts';
import { pageContent } from './streams.ts';
import { loadPdf } from './load-and-save.ts';

/** In points, as the page is seen: a page turned by 90 degrees has its width and height exchanged. */
export type PageSize = { width: number; height: number };

/** What a page of `Stamps.pdf` is for: the watermark of pages of this size. `page` counts from 0. */
type WatermarkFrame = PageSize & { page: number };

/**
 * What to draw on pages. The browser has printed it, so that every script is shaped and every font embedded; see
 * application/renders/print-stamps.ts. `labelPages` has, for each page of the whole document, the page of `pdf` with its
 * number; -1 for none. Lengths are in points.
 */
export type Stamps = {
  pdf: Uint8Array;
  watermark: { layer: WatermarkOption['layer']; pages: string | null; frames: WatermarkFrame[] } | null;
  pageNumbers: {
    position: PageNumbersOption['position'];
    margin: number;
    labelPages: number[];
    numbered: NumberedPages[];
  } | null;
};

/** Stamps that are read once, for the documents of many parts. */
export type OpenStamps = Omit<Stamps, 'pdf'> & { source: PDFDocument };

const rounded = (value: number): number => Number(value.toFixed(3));

type SeenPage = { size: PageSize; matrix: readonly number[] };

/** How long a unit of the page is, in points (ISO 32000-1, 14.11.2, UserUnit). */
const userUnitOf = (page: PDFPage): number => page.node.lookupMaybe(name('UserUnit'), PDFNumber)?.asNumber() ?? 1;

const turnedMatrix = (page: PDFPage, turned: number): number[] => {
  const { x, y, width, height } = page.getCropBox();
  if (turned === 90) return [0, 1, -1, 0, x + width, y];
  if (turned === 180) return [-1, 0, 0, -1, x + width, y + height];
  if (turned === 270) return [0, -1, 1, 0, x, y + height];
  return [1, 0, 0, 1, x, y];
};

/** The size of a page as it is seen, and the matrix from there to its own coordinates (ISO 32000-1, 7.7.3.3, Rotate). */
const seenPage = (page: PDFPage): SeenPage => {
  const unit = userUnitOf(page);
  const turned = ((page.getRotation().angle % 360) + 360) % 360;
  const { width, height } = page.getCropBox();
  const [across, up] = turned % 180 === 0 ? [width, height] : [height, width];
  const matrix = turnedMatrix(page, turned);
  const scales = matrix.slice(0, 4).map((value) => Number((value / unit).toPrecision(6)));
  return { size: { width: across * unit, height: up * unit }, matrix: [...scales, ...matrix.slice(4).map(rounded)] };
};

/** The sizes of the pages, as they are seen. */
export const pageSizesOf = (document: PDFDocument): PageSize[] =>
  document.getPages().map((page) => seenPage(page).size);

/** What a content stream paints with: XObjects, text, paths and shadings. */
const painting = /(?:^|\s)(?:Do|Tj|TJ|f\*?|B\*?|S|sh)(?=\s|$)/;

/** A browser shows nothing in place of an image that it cannot read. @throws ApiError conversion_failed */
const requireVisible = ({ source, watermark }: OpenStamps): void => {
  if (!watermark || painting.test(pageContent(source.getPage(watermark.frames[0]!.page)))) return;
  throw ApiError.of(
    'conversion_failed',
    'The image of the watermark cannot be drawn: it is damaged or shows nothing.',
    {
      details: { reason: 'watermark_not_drawn' },
    },
  );
};

/** @throws ApiError conversion_failed if the watermark cannot be drawn */
export const openStamps = async ({ pdf, ...stamps }: Stamps): Promise<OpenStamps> => {
  const opened = { ...stamps, source: await loadPdf(pdf) };
  requireVisible(opened);
  return opened;
};

/** The sizes of the pages of a PDF, as they are seen. */
export const readPageSizes = async (pdf: Uint8Array): Promise<PageSize[]> => pageSizesOf(await loadPdf(pdf));

type Form = { reference: PDFRef; size: PageSize };

/** Copies pages of the stamps into a document as forms, each once, with their fonts and images. */
const createFormCopier = (document: PDFDocument, source: PDFDocument): ((page: number) => Form) => {
  const copier = PDFObjectCopier.for(source.context, document.context);
  const forms = new Map<number, Form>();
  return (index) => {
    const known = forms.get(index);
    if (known) return known;
    const page = source.getPage(index);
    const { width, height } = page.getSize();
    const resources = page.node.Resources();
    const stream = document.context.flateStream(Buffer.from(pageContent(page), 'latin1'), {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, width, height],
      Group: { Type: 'Group', S: 'Transparency' },
      ...(resources ? { Resources: copier.copy(resources) } : {}),
    });
    const form = { reference: document.context.register(stream), size: { width, height } };
    forms.set(index, form);
    return form;
  };
};

type Drawing = {
  key: string;
  form: PDFRef;
  matrix: readonly number[];
  scale: number;
  at: [x: number, y: number];
  kind: string;
};

const drawingText = ({ key, matrix, scale, at, kind }: Drawing): string => {
  const placed = [scale, 0, 0, scale, ...at].map(rounded).join(' ');
  return `/Artifact <</Type /Pagination /Subtype /${kind}>> BDC q ${matrix.join(' ')} cm ${placed} cm /${key} Do Q EMC`;
};

/** A name that the page does not use: its PDF may have been stamped before. */
const unusedKey = (xObjects: PDFDict, key: string): string => {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? key : `${key}${count}`;
    if (!xObjects.has(name(candidate))) return candidate;
  }
};

/** Adds drawings under and over the content of a page. `streamOf` gives the stream with a text. */
const addToPage = (
  { node, doc: { context } }: PDFPage,
  { under, over }: { under: Drawing[]; over: Drawing[] },
  streamOf: (text: string) => PDFRef,
): void => {
  const resources = node.Resources()?.clone(context) ?? context.obj({});
  const xObjects = resources.lookupMaybe(name('XObject'), PDFDict)?.clone(context) ?? context.obj({});
  const textOf = (drawing: Drawing): string => {
    const key = unusedKey(xObjects, drawing.key);
    xObjects.set(name(key), drawing.form);
    return drawingText({ ...drawing, key });
  };
  const before = [...under.map(textOf), 'q'].join('\n');
  const after = ['Q', ...over.map(textOf)].join('\n');
  resources.set(name('XObject'), xObjects);
  node.set(name('Resources'), resources);
  const contents = node.get(name('Contents'));
  const own = node.Contents();
  const ownParts = own instanceof PDFArray ? own.asArray() : contents ? [contents] : [];
  node.set(name('Contents'), context.obj([streamOf(before), ...ownParts, streamOf(after)]));
};

const nearestFrame = (frames: readonly WatermarkFrame[], { width, height }: PageSize): WatermarkFrame =>
  frames.find((frame) => Math.abs(frame.width - width) < 1 && Math.abs(frame.height - height) < 1) ?? frames[0]!;

/** A frame in the middle of a page, made smaller or larger if the page has another size. */
const placeWatermark = (frame: WatermarkFrame, size: PageSize): Pick<Drawing, 'scale' | 'at'> => {
  const exact = Math.min(size.width / frame.width, size.height / frame.height);
  const scale = Math.abs(exact - 1) < 0.01 ? 1 : exact;
  return { scale, at: [(size.width - frame.width * scale) / 2, (size.height - frame.height * scale) / 2] };
};

const placeNumber = (
  frame: PageSize,
  size: PageSize,
  margin: number,
  isTop: boolean,
  side: 'left' | 'center' | 'right',
): [number, number] => {
  const x = { left: margin, center: (size.width - frame.width) / 2, right: size.width - margin - frame.width }[side];
  return [x, isTop ? size.height - margin - frame.height : margin];
};

/**
 * Draws stamps on the pages of a document, which is a whole or one part of it. `firstPage` is the number of its first
 * page in the whole, from 1. Every stamp is an artifact: readers with assistive technology skip it.
 */
export const stampPages = (document: PDFDocument, stamps: OpenStamps, { firstPage }: { firstPage: number }): void => {
  const { watermark, pageNumbers } = stamps;
  const formOf = createFormCopier(document, stamps.source);
  const streams = new Map<string, PDFRef>();
  const streamOf = (text: string): PDFRef => {
    const reference = streams.get(text) ?? document.context.register(document.context.flateStream(text));
    streams.set(text, reference);
    return reference;
  };
  const hasWatermark = isPageIn(watermark?.pages ?? null);
  for (const [index, page] of document.getPages().entries()) {
    const number = firstPage + index;
    const { size, matrix } = seenPage(page);
    const drawings: { under: Drawing[]; over: Drawing[] } = { under: [], over: [] };
    if (watermark && hasWatermark(number)) {
      const frame = nearestFrame(watermark.frames, size);
      const form = formOf(frame.page).reference;
      const place = placeWatermark(frame, size);
      drawings[watermark.layer].push({ key: 'StampWatermark', form, matrix, ...place, kind: 'Watermark' });
    }
    const labelPage = pageNumbers?.labelPages[number - 1] ?? -1;
    if (pageNumbers && labelPage >= 0) {
      const isTop = pageNumbers.position.startsWith('top');
      const { reference: form, size: frame } = formOf(labelPage);
      const at = placeNumber(frame, size, pageNumbers.margin, isTop, sideOf(pageNumbers.position, number));
      const kind = isTop ? 'Header' : 'Footer';
      drawings.over.push({ key: 'StampPageNumber', form, matrix, scale: 1, at, kind });
    }
    if (drawings.under.length + drawings.over.length > 0) addToPage(page, drawings, streamOf);
  }
};

/** Stamps a whole document, and sets the labels of its pages. */
export const stampDocument = async (document: PDFDocument, stamps: Stamps): Promise<void> => {
  const opened = await openStamps(stamps);
  stampPages(document, opened, { firstPage: 1 });
  if (stamps.pageNumbers) setPageLabels(document, stamps.pageNumbers.numbered);
};
