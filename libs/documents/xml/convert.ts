import { page } from '../page.ts';
import { inert, type Prepared } from '../prepared.ts';
import { languageOf } from '../text/language.ts';
import { parseXml } from './parse.ts';
import { printXml } from './tree.ts';

/** XML as indented, highlighted source. Throws a Problem. */
export const convertXml = (text: string): Prepared => inert(page({ title: 'XML', language: languageOf(text), sheets: ['tree'], body: printXml(parseXml(text)) }), 'made from XML');
