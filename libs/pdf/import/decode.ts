import { createInflate, inflateSync } from 'node:zlib';
import { decodePDFRawStream, PDFArray, PDFDict, PDFName, PDFNumber, PDFRawStream } from '@cantoo/pdf-lib';
import { name } from '../names-and-texts.ts';
import { damaged, tooLarge } from './invalid-pdf.ts';
import { importLimits } from './limits.ts';

const numberOf = (parameters: PDFDict, key: string, otherwise: number): number => {
  const value = parameters.lookup(PDFName.of(key));
  const number = value instanceof PDFNumber ? value.asNumber() : otherwise;
  if (!Number.isInteger(number) || number < 1 || number > 1_000_000) throw damaged('a predictor has a wrong parameter');
  return number;
};

const paeth = (left: number, up: number, upperLeft: number): number => {
  const estimate = left + up - upperLeft;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - upperLeft)];
  return a <= b && a <= c ? left : b <= c ? up : upperLeft;
};

/** The prediction of a byte by the filter type of its row (PNG, 9.2). */
const predictions: readonly ((left: number, up: number, upperLeft: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
];

/** Undoes the PNG predictors (ISO 32000-1, 7.4.4.4). Others are only used for images. @throws ApiError invalid_pdf */
const undoPredictor = (bytes: Uint8Array, parameters: PDFDict): Uint8Array => {
  const predictor = numberOf(parameters, 'Predictor', 1);
  if (predictor < 10) throw damaged('data that is no image uses the predictor of TIFF');
  const bits = numberOf(parameters, 'Colors', 1) * numberOf(parameters, 'BitsPerComponent', 8);
  const pixel = Math.max(1, bits >> 3);
  const width = Math.ceil((bits * numberOf(parameters, 'Columns', 1)) / 8);
  const rows = Math.ceil(bytes.length / (width + 1));
  // The last row may be incomplete. A document decides the width, so nothing is added to the row.
  const output = new Uint8Array(bytes.length - rows);
  for (let row = 0; row < rows; row += 1) {
    const predict = predictions[bytes[row * (width + 1)]!];
    if (!predict) throw damaged('a predictor has an unknown type');
    const [from, to] = [row * (width + 1) + 1, row * width];
    const length = Math.min(width, output.length - to);
    for (let at = 0; at < length; at += 1) {
      const left = at < pixel ? 0 : output[to + at - pixel]!;
      const up = row === 0 ? 0 : output[to - width + at]!;
      const upperLeft = at < pixel || row === 0 ? 0 : output[to - width + at - pixel]!;
      output[to + at] = bytes[from + at]! + predict(left, up, upperLeft);
    }
  }
  return output;
};

/** How many bytes may still be decoded. */
export type DecodeBudget = { bytesLeft: number };

const readChunk = 2 ** 20;
const generic = new Set(['FlateDecode', 'LZWDecode', 'ASCII85Decode', 'ASCIIHexDecode', 'RunLengthDecode']);
const image = new Set(['DCTDecode', 'JPXDecode', 'CCITTFaxDecode', 'JBIG2Decode']);

export type StreamFilter = { filter: string; parameters: PDFDict | null };

/** The filters of a stream in the order of decoding (ISO 32000-1, 7.3.8.2). */
export const filtersOf = (dict: PDFDict): StreamFilter[] => {
  const filter = dict.lookup(name('Filter'));
  const parameters = dict.lookup(name('DecodeParms'));
  const names = filter instanceof PDFArray ? Array.from({ length: filter.size() }, (_, at) => filter.lookup(at)) : [];
  if (filter instanceof PDFName) names.push(filter);
  if (names.length > 10) throw damaged('a stream has too many filters');
  return names.map((one, at) => {
    const own = parameters instanceof PDFArray ? parameters.lookup(at) : at === 0 ? parameters : undefined;
    if (!(one instanceof PDFName)) throw damaged('a stream has a filter without a name');
    const known = one.decodeText();
    if (!generic.has(known) && !image.has(known)) throw damaged(`it uses the unknown filter ${known.slice(0, 30)}`);
    return { filter: known, parameters: own instanceof PDFDict ? own : null };
  });
};

const tooManyBytes = () =>
  tooLarge(`a stream has more than ${importLimits.streamBytes / 2 ** 20} MiB when it is decoded`);

const inflate = (bytes: Uint8Array, limit: number): Uint8Array => {
  // Many programs write an empty stream like this.
  if (bytes.length === 0) return bytes;
  try {
    return inflateSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooManyBytes();
    throw damaged('a compressed stream cannot be decoded');
  }
};

/** Decodes with a filter of pdf-lib, which has no limit of its own. */
const decodeOther = (bytes: Uint8Array, { filter, parameters }: StreamFilter, dict: PDFDict, limit: number) => {
  const single = PDFDict.withContext(dict.context);
  single.set(name('Filter'), name(filter));
  if (parameters) single.set(name('DecodeParms'), parameters);
  const decoder = decodePDFRawStream(PDFRawStream.of(single, bytes)) as { getBytes: (length: number) => Uint8Array };
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const chunk = decoder.getBytes(readChunk);
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) throw tooManyBytes();
    if (chunk.length < readChunk) return Buffer.concat(chunks);
  }
};

const predictorOf = ({ parameters }: StreamFilter): number => {
  const predictor = parameters?.lookup(name('Predictor'));
  return predictor instanceof PDFNumber ? predictor.asNumber() : 1;
};

/** The bytes of a stream without the filters that any data can have; `left` are those of an image. */
export type DecodedStream = { bytes: Uint8Array; left: StreamFilter[]; last: StreamFilter | null };

/**
 * Undoes the filters of a stream up to those of images. With `keepPredictor`, the predictor of the last of them is not
 * undone: it is in `last`.
 * @throws ApiError invalid_pdf
 */
export const decodeStream = (
  { dict, contents }: PDFRawStream,
  budget: DecodeBudget,
  keepPredictor = false,
): DecodedStream => {
  const filters = filtersOf(dict);
  let bytes: Uint8Array = contents;
  let last: StreamFilter | null = null;
  while (filters[0] && generic.has(filters[0].filter)) {
    const filter = filters.shift()!;
    const limit = Math.min(importLimits.streamBytes, budget.bytesLeft);
    bytes = filter.filter === 'FlateDecode' ? inflate(bytes, limit) : decodeOther(bytes, filter, dict, limit);
    budget.bytesLeft -= bytes.length;
    if (budget.bytesLeft <= 0) throw tooLarge('its streams have more than 1 GiB when they are decoded');
    const isLast = !filters[0] || !generic.has(filters[0].filter);
    last = isLast && keepPredictor && predictorOf(filter) > 1 ? filter : null;
    if (!last && predictorOf(filter) > 1) bytes = undoPredictor(bytes, filter.parameters!);
  }
  return { bytes, left: filters, last };
};

/** Decodes an image without keeping it, to see that it can be decoded. @throws ApiError invalid_pdf */
export const checkInflates = async (bytes: Uint8Array): Promise<void> => {
  const inflating = createInflate();
  inflating.end(bytes);
  let length = 0;
  try {
    for await (const chunk of inflating) {
      length += (chunk as Buffer).length;
      if (length > importLimits.imageBytes) break;
    }
  } catch {
    throw damaged('a compressed image cannot be decoded');
  }
  if (length > importLimits.imageBytes) throw tooLarge('an image has more than 2 GiB when it is decoded');
};
