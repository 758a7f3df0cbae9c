import { PDFDict, PDFDocument, PDFHexString, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import { expect, it } from 'vitest';
import { formulaMark } from './formula-mark.ts';
import { completeStructure } from './structure.ts';

/** A document whose structure has these elements, each with its alternative text or none. */
const documentWith = async (elements: readonly [role: string, text?: string][]) => {
  const document = await PDFDocument.create();
  const { context } = document;
  const root = context.obj({ Type: 'StructTreeRoot' });
  document.catalog.set(PDFName.of('StructTreeRoot'), context.register(root));
  const kids = elements.map(([role, text]) => {
    const element = context.obj({ Type: 'StructElem', S: role });
    if (text !== undefined) element.set(PDFName.of('Alt'), PDFHexString.fromText(text));
    return context.register(element);
  });
  root.set(PDFName.of('K'), context.register(context.obj({ Type: 'StructElem', S: 'Document', K: kids })));
  return { document, elements: kids.map((kid) => context.lookup(kid, PDFDict)) };
};

it('An image or a formula without an alternative text is a violation, with its number', async () => {
  const { document } = await documentWith([['Figure', 'a'], ['Figure'], ['Figure'], ['Formula']]);
  expect(completeStructure(document, true).map(({ standard, element }) => [standard, element])).toEqual([
    ['ISO 14289-1, 7.3', 'Figure 2'],
    ['ISO 14289-1, 7.3', 'Figure 3'],
    ['ISO 14289-1, 7.7', 'Formula 1'],
  ]);
});

it('A figure with the mark of a formula becomes one', async () => {
  const { document, elements } = await documentWith([['Figure', `${formulaMark}x^2`]]);
  expect(completeStructure(document, true)).toEqual([]);
  const [formula] = elements;
  expect(formula!.lookup(PDFName.of('S'), PDFName).decodeText()).toBe('Formula');
  expect(formula!.lookup(PDFName.of('Alt'), PDFHexString).decodeText()).toBe('x^2');
});

it('Headings are numbered by their nesting, also those without a level', async () => {
  const { document, elements } = await documentWith(['H2', 'H', 'H', 'H4', 'H'].map((role): [string] => [role]));
  completeStructure(document, true);
  const roles = elements.map((element) => element.lookup(PDFName.of('S'), PDFName).decodeText());
  expect(roles).toEqual(['H1', 'H2', 'H2', 'H2', 'H3']);
});

it('No heading is below H6', async () => {
  const nested = ['H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'H'];
  const { document, elements } = await documentWith(nested.map((role): [string] => [role]));
  completeStructure(document, true);
  expect(elements.at(-1)!.lookup(PDFName.of('S'), PDFName).decodeText()).toBe('H6');
});

/** More than a call has room for as arguments. */
const manyParagraphs = 150_000;

it('An element can have any number of children', async () => {
  const document = await PDFDocument.create();
  const { context } = document;
  const root = context.register(context.obj({ Type: 'StructTreeRoot' }));
  document.catalog.set(PDFName.of('StructTreeRoot'), root);
  const newElement = (role: string, kids: PDFRef[]) =>
    context.register(context.obj({ Type: 'StructElem', S: role, K: kids }));
  const paragraph = newElement('P', []);
  const top = newElement(
    'Document',
    Array.from({ length: manyParagraphs }, () => paragraph),
  );
  context.lookup(root, PDFDict).set(PDFName.of('K'), top);
  expect(completeStructure(document, true)).toEqual([]);
});
