import { readFileSync } from 'node:fs';

const read = (name: string): string => readFileSync(new URL(`./${name}.css`, import.meta.url), 'utf8').trim();

/** The style sheets of converted documents. `base` is under all of them. */
export type Sheet = 'prose' | 'code' | 'table' | 'tree' | 'word';

const base = read('base');
const sheets: Record<Sheet, string> = { prose: read('prose'), code: read('code'), table: read('table'), tree: read('tree'), word: read('word') };

/** The CSS of a document that uses these sheets. */
export const styleOf = (used: readonly Sheet[]): string => [base, ...used.map((sheet) => sheets[sheet])].join('\n');
