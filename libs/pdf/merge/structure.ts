import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFString,
} from '@cantoo/pdf-lib';
import { name, textOf } from '../names-and-texts.ts';
import { inOrder, treeNodes } from '../trees.ts';
import { attributesOf, readTree, type StructureElement } from '../structure-tree.ts';

/** Entries of the parent tree: a key, and an element or the elements of a page. */
export type ParentEntry = { key: number; value: PDFObject };

/** What the whole document has once for all parts. Role maps and class maps by their final names. */
export type SharedStructure = { roles: Map<string, string>; classes: Map<string, string> };
export const emptySharedStructure = (): SharedStructure => ({ roles: new Map(), classes: new Map() });

/** The structure of a part. `top` are its elements below the root, and `ids` those with an id, which is unique already. */
export type PartStructure = {
  root: PDFRef | null;
  top: StructureElement[];
  elements: StructureElement[];
  ids: { id: string; element: PDFRef }[];
  parents: ParentEntry[];
  /** One more than the highest key of the parent tree. */
  keys: number;
};

/** An id that no other part has, in ASCII, so that the ids of all parts are in the order of the parts. */
const uniqueId = (part: number, id: string): PDFString =>
  PDFString.of(
    `part${String(part).padStart(5, '0')}.${id.replaceAll(/[^\w.-]/gu, (character) => `~${character.codePointAt(0)!.toString(16)}~`)}`,
  );

/** Makes the ids of elements, and the header cells that name them, unique. */
const renameIds = (part: number, elements: readonly StructureElement[]): PartStructure['ids'] => {
  const changed = new Set<PDFDict>();
  return elements.flatMap(({ reference, dictionary }) => {
    for (const attributes of attributesOf({ dictionary })) {
      const headers = attributes.lookup(name('Headers'));
      if (!(headers instanceof PDFArray) || changed.has(attributes)) continue;
      changed.add(attributes);
      const renamed = headers.asArray().flatMap((header) => {
        const id = textOf(dictionary.context.lookup(header));
        return id === null ? [] : [uniqueId(part, id)];
      });
      attributes.set(name('Headers'), dictionary.context.obj(renamed));
    }
    const id = textOf(dictionary.lookup(name('ID')));
    if (id === null) return [];
    const unique = uniqueId(part, id);
    dictionary.set(name('ID'), unique);
    return [{ id: unique.asString(), element: reference }];
  });
};

/** The final role of each role that the role map of a part names. */
const readRoleMap = (root: PDFDict): Map<string, string> => {
  const map = root.lookup(name('RoleMap'));
  if (!(map instanceof PDFDict)) return new Map();
  const direct = new Map(
    map.entries().flatMap(([key, value]) => {
      const target = root.context.lookup(value);
      return target instanceof PDFName ? [[key.decodeText(), target.decodeText()] as const] : [];
    }),
  );
  return new Map(
    [...direct].map(([role, target]) => {
      let standard = target;
      for (const seen = new Set([role]); direct.has(standard) && !seen.has(standard); standard = direct.get(standard)!)
        seen.add(standard);
      return [role, standard];
    }),
  );
};

/** Adds the roles of a part to those of the document. A role with another meaning gets another name. */
const mergeRoles = (
  part: number,
  root: PDFDict,
  elements: readonly StructureElement[],
  { roles }: SharedStructure,
): void => {
  const renamed = new Map<string, string>();
  for (const [role, standard] of readRoleMap(root)) {
    const before = roles.get(role);
    const own = before === undefined || before === standard ? role : `${role}.${part}`;
    roles.set(own, standard);
    if (own !== role) renamed.set(role, own);
  }
  for (const element of elements) {
    const own = renamed.get(element.role);
    if (own !== undefined) element.dictionary.set(name('S'), name(own));
  }
};

/** The classes of a part get names of their own. `textOfClass` writes the attributes of a class. */
const mergeClasses = (
  part: number,
  root: PDFDict,
  elements: readonly StructureElement[],
  { classes }: SharedStructure,
  textOfClass: (attributes: PDFObject) => string,
): void => {
  const map = root.lookup(name('ClassMap'));
  if (!(map instanceof PDFDict)) return;
  const own = (key: PDFName): PDFName => name(`part${part}.${key.decodeText()}`);
  for (const [key, value] of map.entries()) classes.set(own(key).toString(), textOfClass(value));
  for (const { dictionary } of elements) {
    const used = dictionary.lookup(name('C'));
    if (used instanceof PDFName) dictionary.set(name('C'), own(used));
    else if (used instanceof PDFArray)
      dictionary.set(
        name('C'),
        dictionary.context.obj(used.asArray().map((one) => (one instanceof PDFName ? own(one) : one))),
      );
  }
};

/** The entries of the parent tree in the order of their keys (ISO 32000-1, 14.7.4.4). */
export const readParentTree = (document: PDFDocument, root: PDFDict): ParentEntry[] => {
  const entries = new Map<number, PDFObject>();
  for (const node of treeNodes(document.context, root.get(name('ParentTree')), 'Nums'))
    for (const [key, value] of node) {
      const array = document.context.lookup(value);
      if (key instanceof PDFNumber) entries.set(key.asNumber(), array instanceof PDFArray ? array : value);
    }
  return [...entries].map(([key, value]) => ({ key, value })).toSorted((one, other) => one.key - other.key);
};

/** Reads the structure of a part, and makes its ids, roles and classes unique in the whole document. */
export const readPartStructure = (
  document: PDFDocument,
  part: number,
  shared: SharedStructure,
  textOfClass: (attributes: PDFObject) => string,
): PartStructure => {
  const reference = document.catalog.get(name('StructTreeRoot'));
  const root = document.context.lookup(reference);
  if (!(root instanceof PDFDict) || !(reference instanceof PDFRef))
    return { root: null, top: [], elements: [], ids: [], parents: [], keys: 0 };
  const top = readTree(document, root);
  const elements = [...inOrder(top)];
  mergeRoles(part, root, elements, shared);
  mergeClasses(part, root, elements, shared, textOfClass);
  const parents = readParentTree(document, root);
  return {
    root: reference,
    top,
    elements,
    ids: renameIds(part, elements),
    parents,
    keys: (parents.at(-1)?.key ?? -1) + 1,
  };
};
