import type { Parts } from './archive.ts';
import { decodeReferences, valuesOf } from './edit-tags.ts';
import { readXml } from './xml-encoding.ts';

// LibreOffice prints an error for a formula that refers to another workbook. Excel prints the value that is stored.

/** The formula of a cell with a stored value. */
const formulas = /<((?:[\w-]+:)?)f(\s[^<>]*)?(?:\/>|>([^<>]*)<\/\1f\s*>)(?=\s*<\1v[\s>])/g;
const names = /<(?:[\w-]+:)?definedName(\s[^<>]*)>([^<>]*)/g;

/**
 * A text, a quoted sheet, another workbook by its number in brackets (ECMA-376, part 1, 18.17.2.3), or a name. A number in
 * brackets after a name, or before a comma, colon or bracket, is a column of a table.
 */
const tokens = /"[^"]*"|'(?:(\[\d+\])?[^']*)'|(\[\d+\](?=[^\s,:[\]]))|[\p{L}_\\][\p{L}\p{N}_.\\?]*(?:\[\d+\])?/gu;

/** Whether a formula refers to another workbook: itself, or by one of these names (in lower case). */
const isExternal = (formula: string, externalNames: ReadonlySet<string>): boolean =>
  [...decodeReferences(formula).matchAll(tokens)].some(
    ([token, quoted, plain]) => (quoted ?? plain) !== undefined || externalNames.has(token.toLowerCase()),
  );

/** The names, in lower case, that a workbook gives to cells of other workbooks. */
export const externalNamesOf = (parts: Parts): ReadonlySet<string> => {
  const workbooks = [...parts].filter(([path]) => /^xl\/workbook[^/]*\.xml$/i.test(path));
  const defined = workbooks.flatMap(([, content]) => [...(readXml(content) ?? '').matchAll(names)]);
  const external = defined.filter(([, , formula]) => isExternal(formula!, new Set()));
  return new Set(external.flatMap(([, attributes]) => valuesOf(attributes!, 'name')).map((name) => name.toLowerCase()));
};

/** A sheet whose cells have their stored values in place of formulas that refer to other workbooks. */
export const withStoredValues = (sheet: string, externalNames: ReadonlySet<string>): string => {
  if (externalNames.size === 0 && !/\[\d+\]/.test(sheet)) return sheet;
  // Other cells can share the formula of a cell, by its number.
  const shared = new Set<string>();
  const withoutFormulas = sheet.replace(formulas, (whole, _, attributes = '', formula = '') => {
    if (!isExternal(formula, externalNames)) return whole;
    for (const number of valuesOf(attributes, 'si')) shared.add(number);
    return '';
  });
  if (shared.size === 0) return withoutFormulas;
  return withoutFormulas.replace(formulas, (whole, _, attributes = '') =>
    valuesOf(attributes, 'si').some((number) => shared.has(number)) ? '' : whole,
  );
};
