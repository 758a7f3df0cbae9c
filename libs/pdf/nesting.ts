import type { PDFDocument, PDFObject, PDFRef } from '@cantoo/pdf-lib';
import { name } from './names-and-texts.ts';
import { kidsOf, setRole, type StructureElement } from './structure-tree.ts';

/** The elements that an element may contain, and the element that gets what else it contains. */
type Content = { kids: readonly string[]; wrapper: string };

const groupOfRows: Content = { kids: ['TR'], wrapper: 'TR' };
/** ISO 14289-1, 7.5 and 7.6; ISO 32000-1, 14.8.4.3.3 and 14.8.4.3.4. */
const contents: ReadonlyMap<string, Content> = new Map([
  ['L', { kids: ['LI', 'L', 'Caption'], wrapper: 'LI' }],
  ['LI', { kids: ['Lbl', 'LBody'], wrapper: 'LBody' }],
  ['Table', { kids: ['TR', 'THead', 'TBody', 'TFoot', 'Caption'], wrapper: 'TR' }],
  ...['THead', 'TBody', 'TFoot'].map((role) => [role, groupOfRows] as const),
  ['TR', { kids: ['TH', 'TD'], wrapper: 'TD' }],
]);

/** What becomes of elements that are not in an element that may contain them. */
const rolesElsewhere: ReadonlyMap<string, string> = new Map([
  ['Lbl', 'Span'],
  ...['LI', 'LBody', 'TR', 'TH', 'TD', 'THead', 'TBody', 'TFoot'].map((role) => [role, 'Div'] as const),
]);

const setKids = ({ dictionary }: StructureElement, kids: readonly PDFObject[]): void => {
  dictionary.set(name('K'), dictionary.context.obj([...kids]));
};

const referencesOf = (elements: readonly StructureElement[]): PDFRef[] => elements.map(({ reference }) => reference);

const childrenByReference = ({ children }: StructureElement): Map<PDFObject, StructureElement> =>
  new Map(children.map((child) => [child.reference, child]));

/**
 * Puts child elements in these groups into new elements with a role. Others stay where they are, and marked content,
 * too: it is the background or the border of the element.
 */
const wrapKids = (
  document: PDFDocument,
  element: StructureElement,
  role: string,
  belongsInside: (kid: StructureElement) => boolean,
): void => {
  const { context } = document;
  const byReference = childrenByReference(element);
  const kids: PDFObject[] = [];
  const children: StructureElement[] = [];
  const wrappers: StructureElement[] = [];
  let open: StructureElement | null = null;
  for (const kid of kidsOf(element.dictionary)) {
    const child = byReference.get(kid);
    if (!child || !belongsInside(child)) {
      kids.push(kid);
      if (!child) continue;
      children.push(child);
      open = null;
      continue;
    }
    if (!open) {
      const dictionary = context.obj({ Type: 'StructElem', S: role, P: element.reference });
      const page = element.dictionary.get(name('Pg'));
      if (page) dictionary.set(name('Pg'), page);
      open = { reference: context.register(dictionary), dictionary, role, children: [] };
      wrappers.push(open);
      kids.push(open.reference);
      children.push(open);
    }
    child.dictionary.set(name('P'), open.reference);
    open.children.push(child);
  }
  for (const wrapper of wrappers) setKids(wrapper, referencesOf(wrapper.children));
  setKids(element, kids);
  element.children = children;
};

/** Whether an element has no meaning, and contains nothing but elements. */
const isTransparent = ({ role, dictionary, children }: StructureElement): boolean =>
  role === 'NonStruct' && children.length > 0 && children.length === kidsOf(dictionary).length;

/** Puts the children of elements without a meaning in their place. */
const dissolveKids = (element: StructureElement): void => {
  if (!element.children.some(isTransparent)) return;
  const byReference = childrenByReference(element);
  const kids: PDFObject[] = [];
  const children: StructureElement[] = [];
  const pending = kidsOf(element.dictionary).toReversed();
  for (let kid = pending.pop(); kid; kid = pending.pop()) {
    const child = byReference.get(kid);
    if (!child || !isTransparent(child)) {
      kids.push(kid);
      if (child) children.push(child);
      continue;
    }
    const language = child.dictionary.get(name('Lang'));
    for (const inner of child.children.toReversed()) {
      if (language && !inner.dictionary.has(name('Lang'))) inner.dictionary.set(name('Lang'), language);
      inner.dictionary.set(name('P'), element.reference);
      byReference.set(inner.reference, inner);
      pending.push(inner.reference);
    }
  }
  setKids(element, kids);
  element.children = children;
};

/** Makes the captions of a table or a list one caption, which is the first element of it. */
const gatherCaptions = (element: StructureElement): void => {
  const captions = element.children.filter(({ role }) => role === 'Caption');
  const [caption, ...others] = captions;
  if (!caption || (others.length === 0 && element.children[0] === caption)) return;
  for (const other of others) {
    setRole(other, 'Div');
    other.dictionary.set(name('P'), caption.reference);
  }
  setKids(caption, [...kidsOf(caption.dictionary), ...referencesOf(others)]);
  caption.children = [...caption.children, ...others];
  const moved = new Set<PDFObject>(referencesOf(captions));
  setKids(element, [caption.reference, ...kidsOf(element.dictionary).filter((kid) => !moved.has(kid))]);
  element.children = [caption, ...element.children.filter(({ reference }) => !moved.has(reference))];
};

/** Gives a caption to what is before the first row. The browser leaves out a `caption` that contains paragraphs. */
const wrapCaption = (document: PDFDocument, table: StructureElement): void => {
  const isPart = ({ role }: StructureElement): boolean => rolesElsewhere.has(role);
  let isBefore = table.children.some(isPart);
  wrapKids(document, table, 'Caption', (kid) => {
    if (isPart(kid)) isBefore = false;
    return isBefore && kid.role !== 'Caption';
  });
};

/**
 * Gives lists and tables the elements that the standard requires where HTML has none, and other roles to elements that
 * are not where they must be. Children of an element are completed after it. `parentRole` is empty at the top.
 */
export const completeNesting = (document: PDFDocument, element: StructureElement, parentRole: string): void => {
  const elsewhere = rolesElsewhere.get(element.role);
  if (elsewhere && !contents.get(parentRole)?.kids.includes(element.role)) setRole(element, elsewhere);
  const content = contents.get(element.role);
  if (!content) return;
  dissolveKids(element);
  if (element.role === 'Table') wrapCaption(document, element);
  if (content.kids.includes('Caption')) gatherCaptions(element);
  wrapKids(document, element, content.wrapper, ({ role }) => !content.kids.includes(role));
};
