import { PDFDict, type PDFDocument, PDFHexString, PDFName } from '@cantoo/pdf-lib';
import { elementsInOrder, readTree } from './structure-tree.ts';

const name = (text: string): PDFName => PDFName.of(text);

/** LibreOffice names headings by the styles of the document. */
const headingRole = (role: string): string | null => {
  const level = /^Heading (\d{1,2})$/i.exec(role)?.[1];
  return level === undefined ? null : `H${Math.min(6, Math.max(1, Number(level)))}`;
};

/** The standard role of a name. LibreOffice also maps roles to themselves, which is not allowed (ISO 14289-1, 7.1). */
const standardRole = (role: string, roles: PDFDict | undefined): string => {
  const mapped = roles?.get(name(role));
  return headingRole(role) ?? (mapped instanceof PDFName ? mapped.decodeText() : role);
};

/**
 * Completes the structure as LibreOffice writes it: elements get their standard roles, notes their ids, and pages the
 * tab order of the structure (ISO 14289-1, 7.4, 7.9, 7.18.3). The browser's structures have no role map and stay as they are.
 */
export const completeOfficeStructure = (document: PDFDocument): void => {
  const root = document.catalog.lookup(name('StructTreeRoot'));
  if (!(root instanceof PDFDict)) return;
  const roles = root.lookupMaybe(name('RoleMap'), PDFDict);
  let notes = 0;
  for (const element of elementsInOrder(readTree(document, root))) {
    element.dictionary.set(name('S'), name(standardRole(element.role, roles)));
    if (element.role !== 'Note' || element.dictionary.has(name('ID'))) continue;
    notes += 1;
    element.dictionary.set(name('ID'), PDFHexString.fromText(`note-${notes}`));
  }
  root.delete(name('RoleMap'));
  for (const page of document.getPages()) if (page.node.has(name('Tabs'))) page.node.set(name('Tabs'), name('S'));
};
