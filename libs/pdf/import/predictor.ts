import { type PDFDict, PDFName, PDFNumber } from '@cantoo/pdf-lib';
import { damaged } from './invalid-pdf.ts';

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
export const undoPredictor = (bytes: Uint8Array, parameters: PDFDict): Uint8Array => {
  const predictor = numberOf(parameters, 'Predictor', 1);
  if (predictor < 10) throw damaged('data that is no image uses the predictor of TIFF');
  const bits = numberOf(parameters, 'Colors', 1) * numberOf(parameters, 'BitsPerComponent', 8);
  const pixel = Math.max(1, bits >> 3);
  const width = Math.ceil((bits * numberOf(parameters, 'Columns', 1)) / 8);
  const rows = Math.ceil(bytes.length / (width + 1));
  const output = new Uint8Array(rows * width);
  for (let row = 0; row < rows; row += 1) {
    const predict = predictions[bytes[row * (width + 1)]!];
    if (!predict) throw damaged('a predictor has an unknown type');
    const [from, to] = [row * (width + 1) + 1, row * width];
    for (let at = 0; at < width; at += 1) {
      const left = at < pixel ? 0 : output[to + at - pixel]!;
      const up = row === 0 ? 0 : output[to - width + at]!;
      const upperLeft = at < pixel || row === 0 ? 0 : output[to - width + at - pixel]!;
      output[to + at] = (bytes[from + at] ?? 0) + predict(left, up, upperLeft);
    }
  }
  return output;
};
