import { PDFDict, PDFDocument, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import { expect, it } from 'vitest';
import { completeStructure } from './structure.ts';

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
