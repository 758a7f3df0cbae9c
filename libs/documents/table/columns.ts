import type { Table } from './cells.ts';

/** What a column asks for, in signs of average width: room for its longest word, and for its longest line. */
export type ColumnDemand = { word: number; line: number };

const sampledRows = 1000;
const maxWordWidth = 26;
const maxLineWidth = 60;
const wideCharacters =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/gu;

/** The demand of every column, told from the header and the first rows. */
export const measureColumns = ({ header, rows }: Table): ColumnDemand[] => {
  const demands = header.map((name) => measureText(name));
  for (const row of rows.slice(0, sampledRows)) {
    row.forEach((cell, column) => {
      const demand = demands[column];
      if (demand && cell) widen(demand, measureText(cell));
    });
  }
  return demands;
};

const measureText = (text: string): ColumnDemand => {
  const cut = text.slice(0, 400);
  const line = Math.min(maxLineWidth, Math.max(2, textWidth(cut)));
  const word = cut.split(/[\s/-]+/).reduce((longest, part) => Math.max(longest, textWidth(part)), 2);
  return { word: Math.min(maxWordWidth, word, line), line };
};

// Wide letters take the room of two and can be broken anywhere; that they count whole as a word is to their favour.
const textWidth = (text: string): number =>
  text.length + (/^[\x20-\x7e]*$/.test(text) ? 0 : (text.match(wideCharacters)?.length ?? 0));

const widen = (demand: ColumnDemand, by: ColumnDemand): void => {
  demand.word = Math.max(demand.word, by.word);
  demand.line = Math.max(demand.line, by.line);
};

/**
 * Columns that are printed side by side; `shares` are their widths in per cent; `signs` is how many signs of average
 * width they hold in a line.
 */
export type TableSection = { columns: number[]; shares: number[]; characters: number };

// An A4 page in portrait with the default margins holds this many signs in type of 6, 7.5 and 9.5 points.
const charactersAtSmallest = 146;
const charactersAtComfortable = 119;
const charactersAtNormal = 94;
const padding = 2.4;

/**
 * Shares the width of the page out to the columns. What does not fit in the smallest type that can be read goes to a
 * further section, which repeats the first column, so that no column is lost and every row can still be told.
 */
export const splitIntoSections = (demands: readonly ColumnDemand[]): TableSection[] => {
  const room = demands.map(({ word, line }) => Math.max(word, Math.min(line, 14)) + padding);
  return groupColumns(room).map((columns) => createSection(columns, demands, room));
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const groupColumns = (room: readonly number[]): number[][] => {
  const all = room.map((_, column) => column);
  const key = room[0] ?? 0;
  const rest = sum(room) - key;
  if (key + rest <= charactersAtSmallest) return [all];
  // As many sections as are needed, all about as full.
  const target = rest / Math.ceil(rest / (charactersAtSmallest - key));
  const groups: number[][] = [];
  let filled = Infinity;
  for (const column of all.slice(1)) {
    const wanted = room[column] ?? 0;
    if (filled >= target || key + filled + wanted > charactersAtSmallest) {
      groups.push([0]);
      filled = 0;
    }
    groups.at(-1)?.push(column);
    filled += wanted;
  }
  return groups;
};

const createSection = (columns: number[], demands: readonly ColumnDemand[], room: readonly number[]): TableSection => {
  const base = columns.map((column) => room[column] ?? 0);
  const wishes = columns.map((column, index) =>
    Math.max(0, (demands[column]?.line ?? 0) + padding - (base[index] ?? 0)),
  );
  // A table that is wide anyway may take smaller type, so that long texts break into fewer lines.
  const spare = Math.max(
    0,
    Math.max(charactersAtNormal, Math.min(charactersAtComfortable, sum(base) * 1.25)) - sum(base),
  );
  const granted = Math.min(1, spare / (sum(wishes) || 1));
  const widths = base.map((width, index) => width + (wishes[index] ?? 0) * granted);
  const signs = sum(widths);
  return {
    columns,
    shares: widths.map((width) => (100 * width) / signs),
    characters: Math.max(signs, charactersAtNormal / 2),
  };
};
