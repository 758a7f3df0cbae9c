import { PDFDict, type PDFDocument, PDFHexString, PDFName } from '@cantoo/pdf-lib';
import { conformanceNotMet } from '#contracts/http/api-error.ts';
import type { ConformanceViolation } from '#contracts/http/conformance.ts';
import { markPageArtifacts } from './artifacts.ts';
import type { Standards } from './catalog.ts';
import { hasLooseText } from './content-stream.ts';
import { completeUnicodeMaps, findMissingGlyphs } from './glyphs.ts';
import { leadsToPart } from './merge/destinations.ts';
import { name, textOf } from './names-and-texts.ts';
import { completeStructure } from './structure.ts';
import { pageContent } from './streams.ts';
import { readTree } from './structure-tree.ts';
import { inOrder } from './trees.ts';

/** `namesLanguage` says whether the document names its language; `title` is the title of the PDF. */
export type PagesToConform = {
  standards: Standards;
  namesLanguage: boolean;
  title: string | null;
};

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
const completeOfficeStructure = (document: PDFDocument): void => {
  const root = document.catalog.lookup(name('StructTreeRoot'));
  if (!(root instanceof PDFDict)) return;
  const roles = root.lookupMaybe(name('RoleMap'), PDFDict);
  let notes = 0;
  for (const element of inOrder(readTree(document, root))) {
    element.dictionary.set(name('S'), name(standardRole(element.role, roles)));
    if (element.role !== 'Note' || element.dictionary.has(name('ID'))) continue;
    notes += 1;
    element.dictionary.set(name('ID'), PDFHexString.fromText(`note-${notes}`));
  }
  root.delete(name('RoleMap'));
  for (const page of document.getPages()) if (page.node.has(name('Tabs'))) page.node.set(name('Tabs'), name('S'));
};

/** Describes links for readers, and lets them be printed (ISO 19005-3, 6.3.2; ISO 14289-1, 7.18). */
const describeAnnotations = (document: PDFDocument): void => {
  for (const page of document.getPages())
    for (const reference of page.node.Annots()?.asArray() ?? []) {
      const annotation = document.context.lookup(reference, PDFDict);
      annotation.set(name('F'), document.context.obj(4));
      const uri = textOf(annotation.lookupMaybe(name('A'), PDFDict)?.get(name('URI')));
      const description = uri === null || leadsToPart(uri) ? 'Link' : uri;
      if (!annotation.has(name('Contents'))) annotation.set(name('Contents'), PDFHexString.fromText(description));
    }
};

/** LibreOffice Calc puts headers and footers of a workbook into the structure, but not the cells. */
const lacksCells = (document: PDFDocument): boolean => {
  const creator = textOf(document.context.lookup(document.context.trailerInfo.Info, PDFDict).get(name('Creator')));
  return creator === 'Calc' && document.getPages().some((page) => hasLooseText(pageContent(page)));
};

const cellsWithoutStructure: ConformanceViolation = {
  standard: 'ISO 14289-1, 7.1',
  element: 'Document',
  message:
    'LibreOffice does not write the cells of a workbook into the structure that assistive technology reads. Send each ' +
    'sheet as CSV, which is printed as a tagged table, or leave out pdf/ua-1.',
};

/** What the PDF must be changed in by its author. Completes what the service can complete. */
const findViolations = (
  document: PDFDocument,
  { standards: { pdfa, isPdfUa }, namesLanguage, title }: PagesToConform,
): ConformanceViolation[] => {
  if (!isPdfUa) return pdfa ? findMissingGlyphs(document) : [];
  const untitled = {
    standard: 'ISO 14289-1, 7.1',
    element: 'Document',
    message: 'Give it a title: <title>, or metadata.title.',
  };
  const ofStructure = lacksCells(document) ? [cellsWithoutStructure] : completeStructure(document, namesLanguage);
  return [...(title ? [] : [untitled]), ...ofStructure, ...findMissingGlyphs(document)];
};

/**
 * Makes the pages and the structure of a PDF of the browser conform to standards.
 * @throws ApiError conformance_not_met
 */
export const conformPages = (document: PDFDocument, pages: PagesToConform): void => {
  if (pages.standards.isPdfUa) completeOfficeStructure(document);
  const violations = findViolations(document, pages);
  if (violations.length > 0) throw conformanceNotMet(violations);
  completeUnicodeMaps(document);
  if (pages.standards.isPdfUa) markPageArtifacts(document);
  describeAnnotations(document);
};
