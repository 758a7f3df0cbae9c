import { page } from '../page.ts';
import { inert, type Prepared } from '../prepared.ts';
import { printTable } from '../table/print.ts';
import { languageOf } from '../text/language.ts';
import { parseJson } from './parse.ts';
import { tableOf } from './tabular.ts';
import { printTree } from './tree.ts';

/** JSON as a table where it is one, else as an indented outline. Throws a Problem. */
export const convertJson = (text: string): Prepared => {
  const value = parseJson(text);
  const table = tableOf(value);
  return inert(page({ title: 'Data', language: languageOf(text), sheets: ['table', 'tree'], body: table ? printTable(table) : printTree(value) }), 'made from JSON');
};
