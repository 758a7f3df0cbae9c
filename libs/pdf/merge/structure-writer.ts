import { type PDFDocument, PDFHexString, PDFString } from '@cantoo/pdf-lib';
import { name, textOf } from '../names-and-texts.ts';
import { finalReference, type ObjectCopier } from './object-copier.ts';
import type { PdfWriter } from './pdf-writer.ts';
import type { PartStructure, SharedStructure } from './structure.ts';

const languageTag = /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/;

const languageOf = ({ catalog }: PDFDocument): string | null => {
  const text = textOf(catalog.lookup(name('Lang'))) ?? '';
  return languageTag.test(text) ? text : null;
};

/** A leaf of a name or number tree, which is written already. */
type Leaf = { number: number };

const references = (numbers: readonly number[]): string => numbers.map((number) => `${number} 0 R`).join(' ');

/**
 * Writes one structure tree for all parts: the role Document, with a Part for each part (ISO 32000-1, 14.8.4.2). One
 * parent tree, one tree of ids and one role map.
 */
export const openStructureWriter = (writer: PdfWriter, shared: SharedStructure) => {
  const [structureRoot, documentElement] = [writer.reserve(), writer.reserve()];
  const partElements: number[] = [];
  const parentLeaves: Leaf[] = [];
  const idLeaves: Leaf[] = [];
  let language: string | null = null;

  /** Adds the structure of a part. `firstKey` is added to the keys of its parent tree. */
  const add = (
    document: PDFDocument,
    copier: ObjectCopier,
    { root, top, elements, ids, parents }: PartStructure,
    { title, firstKey }: { title: string; firstKey: number },
  ): void => {
    const { context } = document;
    if (root === null || top.length === 0) return;
    const lang = languageOf(document);
    language ??= lang;
    const whole = top.length === 1 && ['Document', 'Part'].includes(top[0]!.role) ? top[0]! : null;
    const element = whole?.dictionary ?? context.obj({ Type: 'StructElem', K: top.map(({ reference }) => reference) });
    element.set(name('S'), name('Part'));
    element.set(name('P'), finalReference(documentElement));
    element.set(name('T'), PDFHexString.fromText(title));
    if (lang !== null && !element.has(name('Lang'))) element.set(name('Lang'), PDFString.of(lang));
    if (whole) {
      for (const { reference } of elements) copier.writeReserved(reference);
      partElements.push(copier.reserve(whole.reference));
    } else {
      const number = writer.reserve();
      copier.replaceBy(root, number);
      for (const { reference } of elements) copier.writeReserved(reference);
      writer.write(number, copier.textOf(element));
      partElements.push(number);
    }
    if (parents.length > 0) {
      const [first, last] = [parents[0]!.key + firstKey, parents.at(-1)!.key + firstKey];
      const entries = parents.map(({ key, value }) => `${key + firstKey} ${copier.textOf(value)}`).join('\n');
      parentLeaves.push({ number: writer.append(`<</Limits [${first} ${last}]\n/Nums [${entries}]>>`) });
    }
    const inOrder = [...new Map(ids.map((one) => [one.id, one])).values()].toSorted((one, other) =>
      one.id < other.id ? -1 : 1,
    );
    if (inOrder.length > 0) {
      const [first, last] = [inOrder[0]!.id, inOrder.at(-1)!.id];
      const names = inOrder.map(({ id, element: at }) => `(${id}) ${copier.textOf(at)}`).join('\n');
      idLeaves.push({ number: writer.append(`<</Limits [(${first}) (${last})]\n/Names [${names}]>>`) });
    }
  };

  /** Writes the root; null if no part has a structure. `nextKey` is one more than the highest key. */
  const end = (nextKey: number): { root: number; language: string | null } | null => {
    if (partElements.length === 0) return null;
    const lang = language === null ? '' : `\n/Lang (${language})`;
    writer.write(
      documentElement,
      `<</Type /StructElem\n/S /Document\n/P ${structureRoot} 0 R${lang}\n/K [${references(partElements)}]>>`,
    );
    const treeOf = (leaves: readonly Leaf[]): number =>
      writer.append(`<</Kids [${references(leaves.map(({ number }) => number))}]>>`);
    const roles = [...shared.roles].map(([role, standard]) => `${name(role).toString()} ${name(standard).toString()}`);
    const classes = [...shared.classes].map(([key, text]) => `${key} ${text}`);
    const entries = [
      `/K [${documentElement} 0 R]`,
      `/ParentTree ${treeOf(parentLeaves)} 0 R`,
      `/ParentTreeNextKey ${nextKey}`,
      ...(idLeaves.length > 0 ? [`/IDTree ${treeOf(idLeaves)} 0 R`] : []),
      ...(roles.length > 0 ? [`/RoleMap <<${roles.join('\n')}>>`] : []),
      ...(classes.length > 0 ? [`/ClassMap <<${classes.join('\n')}>>`] : []),
    ];
    writer.write(structureRoot, `<</Type /StructTreeRoot\n${entries.join('\n')}>>`);
    return { root: structureRoot, language };
  };

  return { add, end };
};
