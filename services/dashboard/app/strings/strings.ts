import { en } from './en.ts';

export type Strings = typeof en;

/** The texts in the language of the page. Another language is another object of this type. */
export const strings: Strings = en;
