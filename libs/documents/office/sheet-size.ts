import { valuesOf } from './edit-tags.ts';

/** Width and height in points. */
export type SheetSize = { width: number; height: number };

const emuPerPoint = 12_700;
const numberOf = (tag: string | undefined, name: string): number | undefined => {
  const value = Number(valuesOf(tag ?? '', name)[0] ?? Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
};
const isHidden = (tag: string): boolean => /\shidden=["'](?:1|true)["']/.test(tag);

/** The width in points of a column of this number of digits (ECMA-376, part 1, 18.3.1.13; digits of 7 pixels). */
const widthOf = (digits: number): number => Math.trunc(digits * 7 + 5) * 0.75;

/** The number of a column by its letters: `A` is 1. */
const columnOf = (letters: string): number =>
  letters.split('').reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/** The lengths of columns or rows by their numbers, in points. */
type Lengths = { standard: number; own: Map<number, number> };

/** Returns the length of the first columns or rows, by how many these are. */
const summed = ({ standard, own }: Lengths): ((count: number) => number) => {
  const numbers = [...own.keys()].toSorted((one, other) => one - other);
  const sums = [0];
  for (const number of numbers) sums.push(sums.at(-1)! + own.get(number)! - standard);
  return (count) => {
    let [low, high] = [0, numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle]! <= count) low = middle + 1;
      else high = middle;
    }
    return standard * count + sums[low]!;
  };
};

const maxColumns = 16_384;

const columnsOf = (xml: string): Lengths => {
  const format = /<(?:[\w-]+:)?sheetFormatPr\b[^<>]*>/.exec(xml)?.[0];
  const own = new Map<number, number>();
  let left = maxColumns;
  for (const [tag] of xml.matchAll(/<(?:[\w-]+:)?col\s[^<>]*>/g)) {
    const width = isHidden(tag) ? 0 : widthOf(numberOf(tag, 'width') ?? 8.43);
    const [first, last] = [numberOf(tag, 'min') ?? 1, Math.min(maxColumns, numberOf(tag, 'max') ?? 1)];
    for (let column = first; column <= last && left > 0; column += 1) {
      own.set(column, width);
      left -= 1;
    }
    if (left === 0) break;
  }
  return { standard: widthOf(numberOf(format, 'defaultColWidth') ?? 8.43), own };
};

/** The rows with their heights, and how many rows and columns have cells. */
const readCells = (xml: string): { rows: Lengths; extent: { columns: number; rows: number } } => {
  const format = /<(?:[\w-]+:)?sheetFormatPr\b[^<>]*>/.exec(xml)?.[0];
  const own = new Map<number, number>();
  const extent = { columns: 0, rows: 0 };
  let [row, column] = [0, 0];
  for (const [tag, name] of xml.matchAll(/<(?:[\w-]+:)?(row|c)(?=[\s/>])[^<>]*>/g)) {
    if (name === 'row') {
      row = numberOf(tag, 'r') ?? row + 1;
      column = 0;
      const height = isHidden(tag) ? 0 : numberOf(tag, 'ht');
      if (height !== undefined) own.set(row, height);
    } else {
      const letters = /\sr=["']([A-Z]{1,3})/.exec(tag)?.[1];
      column = letters === undefined ? column + 1 : columnOf(letters);
      extent.columns = Math.max(extent.columns, column);
      extent.rows = Math.max(extent.rows, row);
    }
  }
  return { rows: { standard: numberOf(format, 'defaultRowHeight') ?? 15, own }, extent };
};

type Corner = { columns: number; rows: number };
/**
 * Where the images and charts of a drawing end, by columns and rows, and those that have a size (in points) in place of
 * their second corner.
 */
export type Corners = Corner & { sized: (Corner & SheetSize)[] };

/** No more images with a size are measured: each is, for every sheet that has the drawing. */
const maxSized = 1_000;

/** The corners of the images and charts of a drawing, which are in cells. */
export const cornersOf = (drawing: string): Corners => {
  const corners: Corners = { columns: 0, rows: 0, sized: [] };
  let [columns, last]: [number, Corner] = [0, { columns: 0, rows: 0 }];
  for (const [tag, name, text] of drawing.matchAll(/<(?!a:)(?:[\w-]+:)?(col|row|ext)(?=[\s/>])[^<>]*>([^<>]*)/g)) {
    if (name === 'col') columns = (Number(text) || 0) + 1;
    else if (name === 'row') {
      last = { columns, rows: (Number(text) || 0) + 1 };
      corners.columns = Math.max(corners.columns, last.columns);
      corners.rows = Math.max(corners.rows, last.rows);
    } else if (corners.sized.length < maxSized) {
      const points = (side: string): number => (numberOf(tag, side) ?? 0) / emuPerPoint;
      corners.sized.push({ ...last, width: points('cx'), height: points('cy') });
    }
  }
  return corners;
};

/**
 * How large the content of a sheet is about, as printed at its full size. `xml` is the sheet, `corners` are those of its
 * images and charts.
 */
export const sizeOfSheet = (xml: string, corners: Corners): SheetSize => {
  const { rows, extent } = readCells(xml);
  const [width, height] = [summed(columnsOf(xml)), summed(rows)];
  const size = {
    width: width(Math.max(extent.columns, corners.columns)),
    height: height(Math.max(extent.rows, corners.rows)),
  };
  for (const sized of corners.sized) {
    size.width = Math.max(size.width, width(sized.columns) + sized.width);
    size.height = Math.max(size.height, height(sized.rows) + sized.height);
  }
  return size;
};
