/**
 * The first character of the alternative text of a formula. The browser prints formulas as figures; by it, the structure
 * tells them apart. The character is invisible.
 */
export const formulaMark = '\u2061';
