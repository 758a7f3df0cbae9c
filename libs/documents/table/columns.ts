import { defaultTextWidthMm } from '../input.ts';
import type { Table } from './cells.ts';

/**
 * The width that a column needs for its longest word and its longest line, in characters. `unbroken` keeps words and
 * short lines whole if there is room, in characters of average width.
 */
export type ColumnDemand = { word: number; line: number; unbroken: number };

const sampledRows = 1000;
const maxWordWidth = 26;
const maxLineWidth = 60;
/** Lines up to this width should not be broken. */
const shortLineWidth = 14;
/** How much wider the bold letters of the header are. */
const boldRatio = 1.08;
const wideCharacters =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/gu;

/** Measures every column by the header and the first rows. */
export const measureColumns = ({ header, rows }: Table): ColumnDemand[] => {
  const demands = header.map((name) => measureText(name, boldRatio));
  for (const row of rows.slice(0, sampledRows)) {
    row.forEach((cell, column) => {
      const demand = demands[column];
      if (demand && cell) widen(demand, measureText(cell));
    });
  }
  return demands;
};

const measureText = (text: string, letterRatio = 1): ColumnDemand => {
  const sample = text.slice(0, 400);
  const line = Math.min(maxLineWidth, Math.max(2, textWidth(sample)));
  const word = sample.split(/[\s/-]+/).reduce((longest, part) => Math.max(longest, textWidth(part)), 2);
  const parts = sample.split(/\s+/).flatMap((part) => (part.length > maxWordWidth ? part.split(/[/-]+/) : [part]));
  const unbroken = (line <= shortLineWidth ? [sample] : parts).reduce(
    (longest, part) => Math.max(longest, letterRatio * (textWidth(part) + widerLetters(part))),
    2,
  );
  return { word: Math.min(maxWordWidth, word, line), line, unbroken: Math.min(maxWordWidth, unbroken) };
};

// Wide characters count as two and may break anywhere, so counting them as one word is generous.
const textWidth = (text: string): number =>
  text.length + (/^[\x20-\x7e]*$/.test(text) ? 0 : (text.match(wideCharacters)?.length ?? 0));

/** How much wider capitals, m and w are than as many average letters. */
const widerLetters = (text: string): number =>
  0.65 * (text.match(/[mwMW%@]/g)?.length ?? 0) + 0.25 * (text.match(/[A-LN-VX-Z]/g)?.length ?? 0);

const widen = (demand: ColumnDemand, other: ColumnDemand): void => {
  demand.word = Math.max(demand.word, other.word);
  demand.line = Math.max(demand.line, other.line);
  demand.unbroken = Math.max(demand.unbroken, other.unbroken);
};

/**
 * Columns printed side by side. `shares` are their widths in per cent; `characters` is the number of average characters
 * in a line.
 */
export type TableSection = { columns: number[]; shares: number[]; characters: number };

/** The characters in a line at the smallest readable size (6 points), at a comfortable one (7.5) and at 9.5 points. */
type LineLengths = { smallest: number; comfortable: number; normal: number };
const defaultLineLengths: LineLengths = { smallest: 146, comfortable: 119, normal: 94 };
/** The padding of a cell in characters. */
export const cellPadding = 2.4;

/** The characters in a line, by the width of the text in millimetres. */
export const lineLengthsFor = (textWidthMm: number = defaultTextWidthMm): LineLengths => {
  const ratio = Math.max(textWidthMm, 10) / defaultTextWidthMm;
  const { smallest, comfortable, normal } = defaultLineLengths;
  return { smallest: smallest * ratio, comfortable: comfortable * ratio, normal: normal * ratio };
};

/**
 * Divides the page width among the columns. Columns that do not fit at the smallest readable size go to further
 * sections, which repeat the first column to identify the rows. `textWidthMm` is the width of the page in millimetres.
 */
export const splitIntoSections = (demands: readonly ColumnDemand[], textWidthMm?: number): TableSection[] => {
  const lengths = lineLengthsFor(textWidthMm);
  // On narrow paper, words break so that the first column and another one fit.
  const maxWidth = lengths.smallest / 2;
  const minWidths = demands.map(({ word, line }) =>
    Math.min(maxWidth, Math.max(word, Math.min(line, shortLineWidth)) + cellPadding),
  );
  return groupColumns(minWidths, lengths).map((columns) => createSection(columns, demands, minWidths, lengths));
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const groupColumns = (minWidths: readonly number[], { smallest }: LineLengths): number[][] => {
  const all = minWidths.map((_, column) => column);
  const keyWidth = minWidths[0] ?? 0;
  const rest = sum(minWidths) - keyWidth;
  if (keyWidth + rest <= smallest) return [all];
  // As few sections as possible, about equally full.
  const target = rest / Math.ceil(rest / (smallest - keyWidth));
  const groups: number[][] = [];
  let filled = Infinity;
  for (const column of all.slice(1)) {
    const width = minWidths[column] ?? 0;
    if (filled >= target || keyWidth + filled + width > smallest) {
      groups.push([0]);
      filled = 0;
    }
    groups.at(-1)?.push(column);
    filled += width;
  }
  return groups;
};

const createSection = (
  columns: number[],
  demands: readonly ColumnDemand[],
  minWidths: readonly number[],
  { smallest, comfortable, normal }: LineLengths,
): TableSection => {
  const minimal = columns.map((column) => minWidths[column] ?? 0);
  // Short words need more width in bold or with wide letters. They get it if the columns still fit.
  const whole = columns.map((column, index) =>
    Math.max(minimal[index]!, Math.min(demands[column]!.unbroken, shortLineWidth) + cellPadding),
  );
  const base = sum(whole) <= smallest ? whole : minimal;
  const missing = (widths: readonly number[], need: 'unbroken' | 'line'): number[] =>
    widths.map((width, index) => Math.max(0, demands[columns[index]!]![need] + cellPadding - width));
  // A wide table may use smaller type, so that long texts break into fewer lines.
  const maxWidth = Math.max(normal, Math.min(comfortable, sum(base) * 1.25));
  const extend = (widths: readonly number[], extraWidths: readonly number[]): number[] => {
    const ratio = Math.min(1, Math.max(0, maxWidth - sum(widths)) / (sum(extraWidths) || 1));
    return widths.map((width, index) => width + extraWidths[index]! * ratio);
  };
  const unbroken = extend(base, missing(base, 'unbroken'));
  const widths = extend(unbroken, missing(unbroken, 'line'));
  const totalWidth = sum(widths);
  return {
    columns,
    shares: widths.map((width) => (100 * width) / totalWidth),
    characters: Math.max(totalWidth, normal / 2),
  };
};
