import { PDFDict, type PDFDocument, PDFHexString } from '@cantoo/pdf-lib';
import type { ConformanceViolation } from '#contracts/http/conformance.ts';
import { formulaMark } from './formula-mark.ts';
import { name, textOf } from './names-and-texts.ts';
import { completeNesting } from './nesting.ts';
import { addMissingLinks, openLinks } from './structure-links.ts';
import { readTree, setRole, type StructureElement } from './structure-tree.ts';
import { inOrder } from './trees.ts';
import { completeTables } from './tables.ts';

/** Gives a formula that the browser printed as a figure its own role (ISO 14289-1, 7.7). */
const completeFormula = (element: StructureElement): void => {
  const text = textOf(element.dictionary.get(name('Alt')));
  if (!text?.startsWith(formulaMark)) return;
  element.dictionary.set(name('Alt'), PDFHexString.fromText(text.slice(formulaMark.length)));
  setRole(element, 'Formula');
};

const completeFigure = (element: StructureElement): void => {
  if (element.role === 'Figure') completeFormula(element);
  // An HTML figure contains an image, which has the alternative text, or is text.
  if (element.role === 'Figure' && element.children.length > 0) setRole(element, 'Div');
};

const completeElements = (document: PDFDocument, top: readonly StructureElement[]): void => {
  const completeLinks = openLinks(document);
  const pending = top.map((element) => ({ element, parentRole: '' }));
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { element, parentRole } = next;
    completeLinks(element);
    completeNesting(document, element, parentRole);
    completeFigure(element);
    // Callers decide how many children there are; a call has room for some 100,000 arguments.
    for (const child of element.children) pending.push({ element: child, parentRole: element.role });
  }
};

/** The standard roles in place of those that only PDF 2.0 has. */
const standardRoles = { Strong: 'Span', Em: 'Span', Title: 'P', Sub: 'Span', FENote: 'Note', Aside: 'Sect' };

/** A language tag by the syntax of BCP 47. */
const languageTag = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;

type Describe = (element: StructureElement) => string;

/** The browser prints a heading below level 6 without its level. */
const levelOf = (role: string): number => (role === 'H' ? 7 : Number(/^H([1-6])$/.exec(role)?.[1] ?? 0));

/**
 * Numbers headings by their nesting, from H1 on and without gaps (ISO 14289-1, 7.4.2). HTML may begin with an h2, or
 * leave levels out. There is no standard role below H6.
 */
const renumberHeadings = (elements: readonly StructureElement[]): void => {
  const open: number[] = [];
  for (const element of elements) {
    const level = levelOf(element.role);
    if (level === 0) continue;
    while (open.length > 0 && open.at(-1)! >= level) open.pop();
    open.push(level);
    setRole(element, `H${Math.min(6, open.length)}`);
  }
};

const needingText = new Map([
  [
    'Figure',
    {
      standard: 'ISO 14289-1, 7.3',
      message:
        'Give the image an alternative text: alt or aria-label in HTML, "Alt Text" in Word. If it is decoration, say ' +
        'so: alt="" in HTML, "Decorative" in Word.',
    },
  ],
  ['Formula', { standard: 'ISO 14289-1, 7.7', message: 'Give the formula an alternative text, or write it as text.' }],
]);

/** Images and formulas without an alternative text. Those of a page are numbered in reading order. */
const missingTexts = (elements: readonly StructureElement[], describe: Describe): ConformanceViolation[] => {
  const numbers = new Map<string, number>();
  return elements.flatMap((element) => {
    const reason = needingText.get(element.role);
    if (!reason) return [];
    const place = describe(element);
    const number = (numbers.get(place) ?? 0) + 1;
    numbers.set(place, number);
    return textOf(element.dictionary.get(name('Alt')))
      ? []
      : [
          {
            standard: reason.standard,
            element: place.replace(element.role, `${element.role} ${number}`),
            message: reason.message,
          },
        ];
  });
};

const languageViolations = (
  elements: readonly StructureElement[],
  namesLanguage: boolean,
  describe: Describe,
): ConformanceViolation[] => {
  const standard = 'ISO 14289-1, 7.2';
  return [
    ...(namesLanguage
      ? []
      : [{ standard, element: 'Document', message: 'Name the language, for example <html lang="en">.' }]),
    ...elements.flatMap((element) => {
      const own = textOf(element.dictionary.get(name('Lang')));
      return own === null || languageTag.test(own)
        ? []
        : {
            standard,
            element: describe(element),
            message: `Correct lang="${own.slice(0, 40)}": it is no language tag.`,
          };
    }),
  ];
};

/**
 * Completes the structure tree where HTML says less than PDF/UA requires. Returns what only the author of the document
 * can correct. `namesLanguage` says whether the HTML names its language; the browser names one in any case.
 */
export const completeStructure = (document: PDFDocument, namesLanguage: boolean): ConformanceViolation[] => {
  const root = document.catalog.lookupMaybe(name('StructTreeRoot'), PDFDict);
  if (!root)
    return [
      { standard: 'ISO 14289-1, 7.1', element: 'Document', message: 'Add text: the document has no content to read.' },
    ];
  const top = readTree(document, root);
  completeElements(document, top);
  const elements = [...inOrder(top)];
  renumberHeadings(elements);
  completeTables(document, elements);
  root.set(name('RoleMap'), document.context.obj(standardRoles));
  addMissingLinks(document, top);
  const pages = new Map(document.getPages().map(({ ref }, index) => [ref.toString(), index + 1]));
  const describe = (element: StructureElement): string => {
    const withPage = inOrder([element]).find(({ dictionary }) => dictionary.has(name('Pg')));
    const page = pages.get(withPage?.dictionary.get(name('Pg'))?.toString() ?? '');
    return page === undefined ? element.role : `${element.role} on page ${page}`;
  };
  return [...languageViolations(elements, namesLanguage, describe), ...missingTexts(elements, describe)];
};
