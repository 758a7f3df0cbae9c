import type { Table } from './table.ts';

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
