import { deflateSync } from 'node:zlib';
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFRawStream,
  type PDFRef,
} from '@cantoo/pdf-lib';
import { ApiError } from '#contracts/http/api-error.ts';
import { savePdf } from '../load-and-save.ts';
import { readOperations } from '../content-stream.ts';
import { name, textOf } from '../names-and-texts.ts';
import { importAnnotations } from './annotations.ts';
import { SafeCopier } from './copier.ts';
import { openDestinations } from './destinations.ts';
import { damaged, invalidPdf, tooLarge } from './invalid-pdf.ts';
import { importLimits } from './limits.ts';
import { type IsHidden, readOptionalContent } from './optional-content.ts';
import { importOutline } from './outline.ts';
import { importPageLabels } from './page-labels.ts';
import { readPages, type SourcePage } from './pages.ts';
import { type ParsedPdf, parsePdf } from './parse.ts';
import { type Content, visibleContent } from './visible-content.ts';

const closing: Record<string, string> = { ']': '[', '>>': '<<' };
const operatorPattern = /^[A-Za-z0-9'"*]+$/;

/** Whether each array and dictionary of the operands is closed. */
const isBalanced = (operands: readonly string[]): boolean => {
  const open: string[] = [];
  for (const operand of operands)
    if (operand === '[' || operand === '<<') open.push(operand);
    else if (closing[operand] && open.pop() !== closing[operand]) return false;
  return open.length === 0;
};

/**
 * The content of a page so that other content can follow it: it leaves the graphics state as it was.
 * @throws ApiError invalid_pdf for content that is damaged
 */
export const encloseContent = (content: string): string => {
  let open = 0;
  let missing = 0;
  let last = 0;
  for (const { operator, operands, end } of readOperations(content)) {
    if (!operatorPattern.test(operator) || !isBalanced(operands) || operator === 'ID')
      throw damaged('the content of a page cannot be read');
    if (operator === 'q') open += 1;
    else if (operator === 'Q' && open > 0) open -= 1;
    else if (operator === 'Q') missing += 1;
    last = end;
  }
  // Operands without an operator may be a string that never ends.
  return `${'q\n'.repeat(missing + 1)}${content.slice(0, last)}\n${'Q\n'.repeat(open + 1)}`;
};

const maxTitleLength = 500;

export type ImportLimits = { maxPages: number | null };
export type ImportedPdf = { pdf: Uint8Array; pages: number };

/** The content of a page, without what is hidden. Its streams are one after the other. */
const readContent = (from: PDFContext, page: SourcePage, copier: SafeCopier, isHidden: IsHidden | null): Content => {
  const contents = page.dictionary.lookup(name('Contents'));
  const streams = contents instanceof PDFArray ? contents.asArray().map((one) => from.lookup(one)) : [contents];
  const parts: string[] = [];
  let length = 0;
  for (const stream of streams) {
    if (!stream) continue;
    if (!(stream instanceof PDFRawStream)) throw damaged('the content of a page cannot be read');
    const part = Buffer.from(copier.read(stream)).toString('latin1');
    length += part.length;
    if (length > importLimits.streamBytes) throw tooLarge('a page has more than 128 MiB of content');
    parts.push(part);
  }
  const resources = from.lookup(page.resources);
  const content = { content: parts.join('\n'), resources: resources instanceof PDFDict ? resources : from.obj({}) };
  return isHidden ? visibleContent(content, isHidden) : content;
};

/** The resources of a page with more XObjects. */
const resourcesWith = (
  { context: to }: PDFDocument,
  copier: SafeCopier,
  before: PDFDict,
  added: ReadonlyMap<string, PDFRef>,
): PDFDict => {
  const copied = copier.copy(before, 'resources');
  const resources = copied instanceof PDFDict ? copied : to.obj({});
  if (added.size === 0) return resources;
  // They may be shared with other pages, so that this page gets its own.
  const xObjects = copier.copy(before.lookup(name('XObject')), 'xObjects');
  const own = xObjects instanceof PDFDict ? xObjects : to.obj({});
  for (const [key, reference] of added) own.set(name(key), reference);
  resources.set(name('XObject'), own);
  return resources;
};

const importPage = (
  document: PDFDocument,
  copier: SafeCopier,
  page: SourcePage,
  { content: own, resources }: Content,
  annotations: ReturnType<typeof importAnnotations>,
): PDFDict => {
  const { context: to } = document;
  const dictionary = to.obj({ Type: 'Page', MediaBox: page.mediaBox });
  if (page.cropBox) dictionary.set(name('CropBox'), to.obj(page.cropBox));
  if (page.rotation !== 0) dictionary.set(name('Rotate'), to.obj(page.rotation));
  if (page.userUnit !== 1) dictionary.set(name('UserUnit'), to.obj(page.userUnit));
  const { content: drawn, xObjects } = annotations.drawn;
  dictionary.set(name('Resources'), resourcesWith(document, copier, resources, xObjects));
  const group = copier.copy(page.dictionary.get(name('Group')), 'data');
  if (group) dictionary.set(name('Group'), group);
  const content = encloseContent(own) + drawn;
  const stream = to.stream(deflateSync(Buffer.from(content, 'latin1')), { Filter: 'FlateDecode' });
  dictionary.set(name('Contents'), to.register(stream));
  if (annotations.links.length > 0)
    dictionary.set(name('Annots'), to.obj(annotations.links.map(({ reference }) => reference)));
  return dictionary;
};

const requireStaticForm = (catalog: PDFDict): void => {
  const form = catalog.lookup(name('AcroForm'));
  if (!(form instanceof PDFDict) || !form.has(name('XFA'))) return;
  const fields = form.lookup(name('Fields'));
  // The pages of a form that a viewer makes from XFA say only that the viewer cannot show it.
  if (catalog.has(name('NeedsRendering')) || !(fields instanceof PDFArray) || fields.size() === 0)
    throw invalidPdf('dynamic_form', 'The PDF is a dynamic form (XFA). Print it to a new PDF with Adobe Reader.');
};

/** The title that the PDF gives itself, by which a table of contents names it. */
const titleOf = ({ context }: ParsedPdf): string => {
  const information = context.lookup(context.trailerInfo.Info);
  const title = information instanceof PDFDict ? textOf(information.lookup(name('Title'))) : '';
  return (title ?? '')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxTitleLength);
};

const importParsed = async (source: ParsedPdf, limits: ImportLimits, budget: { bytesLeft: number }) => {
  const { context: from, catalog } = source;
  requireStaticForm(catalog);
  const pages = readPages(from, catalog, limits.maxPages);
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context: to } = document;
  const isHidden = readOptionalContent(from, catalog);
  const copier = new SafeCopier(from, to, budget, isHidden);
  const references = new Map<string, PDFRef>(pages.map(({ reference }) => [reference.tag, to.nextRef()]));
  const destinations = openDestinations(source, to, references);
  const treeReference = document.catalog.get(name('Pages'))!;
  const tree = document.catalog.Pages();
  for (const [at, page] of pages.entries()) {
    copier.pageResources = page.resources;
    const annotations = importAnnotations({ from, to, copier, destinations, isHidden }, page, at + 1);
    const content = readContent(from, page, copier, isHidden);
    const dictionary = importPage(document, copier, page, content, annotations);
    dictionary.set(name('Parent'), treeReference);
    to.assign(references.get(page.reference.tag)!, dictionary);
    await copier.finish();
  }
  const title = titleOf(source);
  if (title) to.trailerInfo.Info = to.register(to.obj({ Title: PDFHexString.fromText(title) }));
  tree.set(name('Kids'), to.obj([...references.values()]));
  tree.set(name('Count'), to.obj(pages.length));
  importOutline(source, document, destinations);
  importPageLabels(source, document, pages.length);
  const language = textOf(catalog.lookup(name('Lang')));
  if (language && /^[\w-]{1,40}$/.test(language)) document.setLanguage(language);
  return { pdf: await savePdf(document), pages: pages.length };
};

/**
 * Makes an existing PDF a part that is safe to merge: its pages with what they show, links, outline and page labels,
 * in a new file. What a viewer hides when it opens the PDF is left out. The part contains no scripts, actions,
 * attachments, forms and references to other files. The same input always gives the same bytes. Runs in a worker
 * process, which bounds its time and the memory of its objects.
 * @throws ApiError invalid_pdf
 */
export const importPdf = async (pdf: Uint8Array, limits: ImportLimits): Promise<ImportedPdf> => {
  const budget = { bytesLeft: importLimits.allStreamBytes };
  try {
    return await importParsed(await parsePdf(pdf, budget), limits, budget);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof RangeError) throw tooLarge('it needs more memory than is available');
    throw damaged('its objects do not fit together');
  }
};
