import { PDFArray, type PDFContext, PDFDict, type PDFObject, PDFRef } from '@cantoo/pdf-lib';
import { keyOf, name } from '../names-and-texts.ts';

/** Whether content of an optional content group or membership dictionary is hidden when a viewer opens the PDF. */
export type IsHidden = (membership: PDFObject | undefined) => boolean;

const itemsOf = (value: PDFObject | undefined): PDFObject[] => (value instanceof PDFArray ? value.asArray() : []);

const dictionaryIn = (dictionary: PDFObject | undefined, key: string): PDFDict | null => {
  const value = dictionary instanceof PDFDict ? dictionary.lookup(name(key)) : undefined;
  return value instanceof PDFDict ? value : null;
};

/** The groups that are off when a viewer opens the PDF (ISO 32000-1, 8.11.4.3 and 8.11.4.4). */
const readGroupsThatAreOff = (context: PDFContext, properties: PDFDict): ReadonlySet<PDFObject> => {
  const defaults = dictionaryIn(properties, 'D');
  const listIn = (dictionary: PDFDict | null, key: string): PDFObject[] => itemsOf(dictionary?.lookup(name(key)));
  const isOffAtFirst = defaults?.lookup(name('BaseState')) === name('OFF');
  const off = new Set(isOffAtFirst ? listIn(properties, 'OCGs') : []);
  for (const group of listIn(defaults, 'ON')) off.delete(group);
  for (const group of listIn(defaults, 'OFF')) off.add(group);
  for (const application of listIn(defaults, 'AS').map((item) => context.lookup(item))) {
    if (!(application instanceof PDFDict) || application.lookup(name('Event')) !== name('View')) continue;
    if (!listIn(application, 'Category').some((category) => keyOf(context.lookup(category)) === 'View')) continue;
    for (const group of listIn(application, 'OCGs')) {
      const view = dictionaryIn(dictionaryIn(context.lookup(group), 'Usage') ?? undefined, 'View');
      const state = keyOf(view?.lookup(name('ViewState')));
      if (state === 'ON') off.delete(group);
      if (state === 'OFF') off.add(group);
    }
  }
  return off;
};

const isAnyOn = (states: readonly boolean[]): boolean => states.includes(true);
const isAnyOff = (states: readonly boolean[]): boolean => states.includes(false);
/** The policies of a membership dictionary. `AnyOn` is the default. */
const policies = new Map([
  ['AllOn', (states: readonly boolean[]) => !isAnyOff(states)],
  ['AnyOff', isAnyOff],
  ['AllOff', (states: readonly boolean[]) => !isAnyOn(states)],
]);

/**
 * Reads which optional content ("layers") a viewer hides when it opens the PDF (ISO 32000-1, 8.11): not what it hides in
 * print or at a zoom. Null if the PDF has no optional content.
 */
export const readOptionalContent = (context: PDFContext, catalog: PDFDict): IsHidden | null => {
  const properties = dictionaryIn(catalog, 'OCProperties');
  if (!properties) return null;
  const off = readGroupsThatAreOff(context, properties);
  const results = new Map<PDFArray, boolean>();

  const isTrue = (expression: PDFArray): boolean => {
    const known = results.get(expression);
    if (known !== undefined) return known;
    // For an expression that contains itself.
    results.set(expression, true);
    const [operator, ...operands] = expression.asArray();
    const states = operands.map((operand) => {
      const value = context.lookup(operand);
      return value instanceof PDFArray ? isTrue(value) : !off.has(operand);
    });
    const key = keyOf(context.lookup(operator));
    const result = key === 'Not' ? isAnyOff(states) : key === 'Or' ? isAnyOn(states) : !isAnyOff(states);
    results.set(expression, result);
    return result;
  };

  return (membership) => {
    if (membership instanceof PDFRef && off.has(membership)) return true;
    const dictionary = context.lookup(membership);
    if (!(dictionary instanceof PDFDict) || dictionary.lookup(name('Type')) !== name('OCMD')) return false;
    const expression = dictionary.lookup(name('VE'));
    if (expression instanceof PDFArray) return !isTrue(expression);
    const groups = dictionary.lookup(name('OCGs'));
    const listed = groups instanceof PDFArray ? groups.asArray() : [dictionary.get(name('OCGs'))];
    const states = listed.flatMap((group) => (context.lookup(group) instanceof PDFDict ? [!off.has(group!)] : []));
    const policy = policies.get(keyOf(dictionary.lookup(name('P'))) ?? '') ?? isAnyOn;
    return states.length > 0 && !policy(states);
  };
};
