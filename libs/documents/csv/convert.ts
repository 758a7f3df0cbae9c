import { page } from '../page.ts';
import { inert, type Prepared } from '../prepared.ts';
import { printTable } from '../table/print.ts';
import { languageOf } from '../text/language.ts';
import { parseCsv } from './parse.ts';

/** CSV as a table with a repeated header row. Throws a Problem. */
export const convertCsv = (text: string): Prepared =>
  inert(page({ title: 'Table', language: languageOf(text), sheets: ['table'], body: printTable(parseCsv(text)) }), 'made from CSV');
