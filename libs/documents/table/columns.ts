import type { Table } from './cells.ts';

/** What a column asks for, in signs of average width: room for its longest word, and for its longest line. */
export type Demand = { word: number; line: number };

const sampledRows = 1000;
const longestWord = 26;
const longestLine = 60;
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/gu;

/** The demand of every column, told from the header and the first rows. */
export const demandsOf = ({ header, rows }: Table): Demand[] => {
  const demands = header.map((name) => demandOf(name));
  for (const row of rows.slice(0, sampledRows)) {
    row.forEach((cell, column) => {
      const demand = demands[column];
      if (demand && cell) widen(demand, demandOf(cell));
    });
  }
  return demands;
};

const demandOf = (text: string): Demand => {
  const cut = text.slice(0, 400);
  const line = Math.min(longestLine, Math.max(2, signs(cut)));
  const word = cut.split(/[\s/-]+/).reduce((longest, part) => Math.max(longest, signs(part)), 2);
  return { word: Math.min(longestWord, word, line), line };
};

// Wide letters take the room of two and can be broken anywhere; that they count whole as a word is to their favour.
const signs = (text: string): number => text.length + (/^[\x20-\x7e]*$/.test(text) ? 0 : (text.match(wide)?.length ?? 0));

const widen = (demand: Demand, by: Demand): void => {
  demand.word = Math.max(demand.word, by.word);
  demand.line = Math.max(demand.line, by.line);
};

/**
 * Columns that are printed side by side; `shares` are their widths in per cent; `signs` is how many signs of average
 * width they hold in a line.
 */
export type Section = { columns: number[]; shares: number[]; signs: number };

// An A4 page in portrait with the default margins holds this many signs in type of 6, 7.5 and 9.5 points.
const signsAtSmallest = 146;
const signsAtComfortable = 119;
const signsAtNormal = 94;
const padding = 2.4;

/**
 * Shares the width of the page out to the columns. What does not fit in the smallest type that can be read goes to a
 * further section, which repeats the first column, so that no column is lost and every row can still be told.
 */
export const sectionsOf = (demands: readonly Demand[]): Section[] => {
  const room = demands.map(({ word, line }) => Math.max(word, Math.min(line, 14)) + padding);
  return groupsOf(room).map((columns) => sectionOf(columns, demands, room));
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const groupsOf = (room: readonly number[]): number[][] => {
  const all = room.map((_, column) => column);
  const key = room[0] ?? 0;
  const rest = sum(room) - key;
  if (key + rest <= signsAtSmallest) return [all];
  // As many sections as are needed, all about as full.
  const target = rest / Math.ceil(rest / (signsAtSmallest - key));
  const groups: number[][] = [];
  let filled = Infinity;
  for (const column of all.slice(1)) {
    const wanted = room[column] ?? 0;
    if (filled >= target || key + filled + wanted > signsAtSmallest) {
      groups.push([0]);
      filled = 0;
    }
    groups.at(-1)?.push(column);
    filled += wanted;
  }
  return groups;
};

const sectionOf = (columns: number[], demands: readonly Demand[], room: readonly number[]): Section => {
  const base = columns.map((column) => room[column] ?? 0);
  const wishes = columns.map((column, index) => Math.max(0, (demands[column]?.line ?? 0) + padding - (base[index] ?? 0)));
  // A table that is wide anyway may take smaller type, so that long texts break into fewer lines.
  const spare = Math.max(0, Math.max(signsAtNormal, Math.min(signsAtComfortable, sum(base) * 1.25)) - sum(base));
  const granted = Math.min(1, spare / (sum(wishes) || 1));
  const widths = base.map((width, index) => width + (wishes[index] ?? 0) * granted);
  const signs = sum(widths);
  return { columns, shares: widths.map((width) => (100 * width) / signs), signs: Math.max(signs, signsAtNormal / 2) };
};
