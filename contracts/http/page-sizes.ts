import { z } from 'zod';

/** In millimetres. */
export type Size = { width: number; height: number };

const millimetres = (width: number, height: number): Size => ({ width, height });
const inches = (width: number, height: number): Size =>
  millimetres(Math.round(width * 254) / 10, Math.round(height * 254) / 10);

/** Portrait: ISO 216, JIS P 0138 and ANSI Y14.1, with the names of CSS Paged Media 3 (5.1). */
export const pageSizeTable = {
  A0: millimetres(841, 1189),
  A1: millimetres(594, 841),
  A2: millimetres(420, 594),
  A3: millimetres(297, 420),
  A4: millimetres(210, 297),
  A5: millimetres(148, 210),
  A6: millimetres(105, 148),
  A7: millimetres(74, 105),
  A8: millimetres(52, 74),
  A9: millimetres(37, 52),
  A10: millimetres(26, 37),
  B0: millimetres(1000, 1414),
  B1: millimetres(707, 1000),
  B2: millimetres(500, 707),
  B3: millimetres(353, 500),
  B4: millimetres(250, 353),
  B5: millimetres(176, 250),
  B6: millimetres(125, 176),
  B7: millimetres(88, 125),
  B8: millimetres(62, 88),
  B9: millimetres(44, 62),
  B10: millimetres(31, 44),
  'JIS-B4': millimetres(257, 364),
  'JIS-B5': millimetres(182, 257),
  Letter: inches(8.5, 11),
  Legal: inches(8.5, 14),
  Executive: inches(7.25, 10.5),
  Ledger: inches(11, 17),
  Tabloid: inches(11, 17),
} as const;

export type PageSizeName = keyof typeof pageSizeTable;
export const pageSizes = Object.keys(pageSizeTable) as [PageSizeName, ...PageSizeName[]];

const pageSizesByLowerCase = new Map<string, PageSizeName>(pageSizes.map((name) => [name.toLowerCase(), name]));

const canonicalName = (name: unknown): unknown =>
  (typeof name === 'string' ? pageSizesByLowerCase.get(name.toLowerCase()) : undefined) ?? name;

/** Accepts any letter case. The value has the usual one. */
export const pageSizeName = z.preprocess(canonicalName, z.enum(pageSizes));
