import fc from 'fast-check';
import { type PDFContext, PDFDocument, PDFHexString, PDFNumber, type PDFRef } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { name, textOf } from './names-and-texts.ts';
import { completeStructure } from './structure.ts';
import { kidsOf, readTree, type StructureElement } from './structure-tree.ts';
import { inOrder } from './trees.ts';

/** An element with a title; numbers are marked content. */
type Tree = { role: string; title?: string; language?: string; kids: (Tree | number)[] };

const node = (role: string, ...kids: Tree['kids']): Tree => ({ role, kids });

const addElement = (context: PDFContext, { role, title, language, kids }: Tree, parent: PDFRef): PDFRef => {
  const reference = context.nextRef();
  const element = context.obj({ Type: 'StructElem', S: role, P: parent });
  element.set(
    name('K'),
    context.obj(kids.map((kid) => (typeof kid === 'number' ? kid : addElement(context, kid, reference)))),
  );
  if (title !== undefined) element.set(name('T'), PDFHexString.fromText(title));
  if (language !== undefined) element.set(name('Lang'), PDFHexString.fromText(language));
  context.assign(reference, element);
  return reference;
};

/** The top elements of a document with this structure when it has been completed. */
const complete = async (...trees: Tree[]): Promise<StructureElement[]> => {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context } = document;
  const reference = context.nextRef();
  const root = context.obj({ Type: 'StructTreeRoot', K: [addElement(context, node('Document', ...trees), reference)] });
  context.assign(reference, root);
  document.catalog.set(name('StructTreeRoot'), reference);
  completeStructure(document, true);
  return readTree(document, root);
};

/** The structure as text: `Table(TR(TD TD))`. */
const textOfTree = ({ role, dictionary, children }: StructureElement): string => {
  const kids = kidsOf(dictionary).map((kid) =>
    kid instanceof PDFNumber ? kid.toString() : textOfTree(children.find(({ reference }) => reference === kid)!),
  );
  const language = textOf(dictionary.get(name('Lang')));
  return `${role}${language === null ? '' : `:${language}`}${kids.length > 0 ? `(${kids.join(' ')})` : ''}`;
};
const completed = async (...trees: Tree[]): Promise<string> => {
  const [top] = await complete(...trees);
  return top!.children.map(textOfTree).join(' ');
};

const text = node('P');
const cell = node('TD');

describe('Elements that are not in their table or list', () => {
  it.each<[string, Tree, string]>([
    ['a row', node('TR', cell), 'Div(Div)'],
    ['a header cell', node('TH', text), 'Div(P)'],
    ['a group of rows', node('TBody', node('TR', cell)), 'Div(Div(Div))'],
    ['a row in a row', node('Table', node('TR', node('TR', cell))), 'Table(TR(TD(Div(Div))))'],
    ['a cell in a cell', node('Table', node('TR', node('TD', cell))), 'Table(TR(TD(Div)))'],
    ['a list item', node('LI', node('Lbl'), node('LBody')), 'Div(Span Div)'],
  ])('become groups: %s', async (_, tree, expected) => {
    expect(await completed(tree)).toBe(expected);
  });
});

describe('What a table or a list may not contain', () => {
  it.each<[string, Tree, string]>([
    ['a cell in a table', node('Table', cell, cell), 'Table(TR(TD TD))'],
    ['a cell in a group', node('Table', node('TBody', cell)), 'Table(TBody(TR(TD)))'],
    ['text in a row', node('Table', node('TR', text, cell, text)), 'Table(TR(TD(P) TD TD(P)))'],
    ['a table in a table', node('Table', node('Table', node('TR', cell))), 'Table(TR(TD(Table(TR(TD)))))'],
    ['text in a list', node('L', node('LI', text), text), 'L(LI(LBody(P)) LI(LBody(P)))'],
  ])('gets the elements that are missing: %s', async (_, tree, expected) => {
    expect(await completed(tree)).toBe(expected);
  });

  it('is a caption before the first row, and a row after it', async () => {
    const rows = [text, text, node('TR', cell), text];
    expect(await completed(node('Table', ...rows))).toBe('Table(Caption(P P) TR(TD) TR(TD(P)))');
  });

  it('is no item or cell if it is a background', async () => {
    expect(await completed(node('L', 0, node('LI', 1, node('Lbl'), node('LBody'))))).toBe('L(0 LI(1 Lbl LBody))');
    expect(await completed(node('Table', 0, node('TR', 1, cell)))).toBe('Table(0 TR(1 TD))');
  });

  it('is left out if it has no meaning, but keeps its language', async () => {
    const row = { ...node('NonStruct', node('NonStruct', node('TR', node('NonStruct', cell)))), language: 'fr' };
    expect(await completed(node('Table', row, node('NonStruct', node('TR', cell))))).toBe('Table(TR:fr(TD) TR(TD))');
  });
});

it('A table and a list have one caption, and begin with it', async () => {
  const caption = node('Caption', text);
  const row = node('TR', cell);
  expect(await completed(node('Table', row, caption, row, caption))).toBe('Table(Caption(P Div(P)) TR(TD) TR(TD))');
  const item = node('LI', node('LBody'));
  expect(await completed(node('L', item, caption, item))).toBe('L(Caption(P) LI(LBody) LI(LBody))');
});

describe('Any structure', () => {
  const roles = ['L', 'LI', 'Lbl', 'LBody', 'Table', 'THead', 'TBody', 'TFoot', 'TR', 'TH', 'TD', 'Caption'];
  const treesOf = (depth: number): fc.Arbitrary<Tree> =>
    fc.record({
      role: fc.constantFrom(...roles, 'P', 'NonStruct', 'Art'),
      kids: depth === 0 ? fc.constant([]) : fc.array(treesOf(depth - 1), { maxLength: 4 }),
    });

  const kidsByRole: Record<string, string[]> = {
    L: ['LI', 'L', 'Caption'],
    LI: ['Lbl', 'LBody'],
    Table: ['Caption', 'TR', 'THead', 'TBody', 'TFoot'],
    THead: ['TR'],
    TBody: ['TR'],
    TFoot: ['TR'],
    TR: ['TH', 'TD'],
  };
  const parentsByRole: Record<string, string[]> = {};
  for (const [parent, kids] of Object.entries(kidsByRole))
    for (const kid of kids) (parentsByRole[kid] ??= []).push(parent);

  /** Numbers the elements in reading order. */
  const numbered = (tree: Tree): Tree => {
    let count = 0;
    const copy = ({ role, kids }: Tree): Tree => {
      count += 1;
      return { role, title: `${role} ${count}`, kids: kids.map((kid) => copy(kid as Tree)) };
    };
    return copy(tree);
  };
  const titlesOf = (tree: Tree): string[] => [tree.title!, ...tree.kids.flatMap((kid) => titlesOf(kid as Tree))];

  it('is complete: every element is in an element that may contain it, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(treesOf(5), async (random) => {
        const tree = numbered(random);
        const top = await complete(tree);
        const elements = [...inOrder(top)];
        for (const { role, reference, dictionary, children } of elements) {
          const allowed = kidsByRole[role];
          for (const [at, child] of children.entries()) {
            const parents = parentsByRole[child.role];
            expect(allowed ?? [child.role]).toContain(child.role);
            if (child.role === 'Caption') expect(allowed === undefined || at === 0).toBe(true);
            else if (parents && child.role !== 'L') expect(parents).toContain(role);
            expect(child.dictionary.get(name('P'))).toBe(reference);
          }
          expect(kidsOf(dictionary)).toEqual(children.map((child) => child.reference));
        }
        const titles = elements.flatMap(({ dictionary }) => textOf(dictionary.get(name('T'))) ?? []);
        const isKept = (title: string): boolean => !title.startsWith('NonStruct');
        expect(titles.filter(isKept).toSorted()).toEqual(titlesOf(tree).filter(isKept).toSorted());
        // Only captions change their place.
        if (!titles.some((title) => title.startsWith('Caption')))
          expect(titles.filter(isKept)).toEqual(titlesOf(tree).filter(isKept));
      }),
    );
  });
});
