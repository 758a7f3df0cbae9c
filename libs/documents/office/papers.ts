import { toMillimetres } from '#contracts/http/lengths.ts';

/** A length of a workbook with its unit, such as `11in`, in millimetres; 0 if it is none. `pi` and `pc` are the same. */
export const mmOf = (length = ''): number => toMillimetres(length.trim().replace(/pi$/, 'pc')) || 0;

type Paper = readonly [width: number, height: number];

const inches = (width: number, height: number): Paper => [width * 25.4, height * 25.4];
export const a4: Paper = [210, 297];

/**
 * Width and height in millimetres by the number of the paper (ECMA-376, part 1, 18.3.1.63), as LibreOffice understands
 * them.
 */
export const papers: ReadonlyMap<number, Paper> = new Map([
  [1, inches(8.5, 11)],
  [2, inches(8.5, 11)],
  [3, inches(11, 17)],
  [4, inches(17, 11)],
  [5, inches(8.5, 14)],
  [6, inches(5.5, 8.5)],
  [7, inches(7.25, 10.5)],
  [8, [297, 420]],
  [9, a4],
  [10, a4],
  [11, [148, 210]],
  [12, [257, 364]],
  [13, [182, 257]],
  [14, inches(8.5, 13)],
  [15, [215, 275]],
  [16, inches(10, 14)],
  [17, inches(11, 17)],
  [18, inches(8.5, 11)],
  [20, inches(4.125, 9.5)],
  [24, inches(17, 22)],
  [25, inches(22, 34)],
  [26, inches(34, 44)],
  [27, [110, 220]],
  [28, [162, 229]],
  [29, [324, 458]],
  [30, [229, 324]],
  [33, [250, 353]],
  [34, [176, 250]],
  [39, inches(14.875, 11)],
  [40, inches(8.5, 12)],
  [41, inches(8.5, 13)],
  [42, [250, 353]],
  [50, inches(9.5, 12)],
  [51, inches(9.5, 15)],
  [52, inches(11.69, 18)],
  [53, [235, 322]],
  [54, inches(8.5, 11)],
  [55, a4],
  [60, [210, 330]],
  [63, [322, 445]],
  [66, [420, 594]],
  [67, [297, 420]],
  [70, [105, 148]],
  [75, inches(11, 8.5)],
  [76, [420, 297]],
  [77, [297, 210]],
  [78, [210, 148]],
] satisfies [number, Paper][]);
