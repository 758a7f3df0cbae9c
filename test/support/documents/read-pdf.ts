import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A run of text: its ends and baseline in millimetres from the left and upper edge; `size` is the font size in points. */
export type TextRun = { text: string; left: number; right: number; top: number; size: number };
/** `width` and `height` in millimetres; `text` is all runs in order. */
export type PdfPage = { width: number; height: number; text: string; runs: TextRun[] };

const millimetres = (points: number): number => (points / 72) * 25.4;

export const pdfBytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>['promise']>['getPage']>>;

const readPages = async <T>(base64: string, password: string, read: (page: Page) => Promise<T>): Promise<T[]> => {
  const data = new Uint8Array(pdfBytes(base64));
  const task = getDocument({ data, verbosity: 0, useSystemFonts: true, password });
  const document = await task.promise;
  try {
    return await Promise.all(
      Array.from({ length: document.numPages }, async (_, index) => read(await document.getPage(index + 1))),
    );
  } finally {
    await task.destroy();
  }
};

const readPage = async (page: Page): Promise<PdfPage> => {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const content = await page.getTextContent();
  const items = content.items.flatMap((item) => ('str' in item ? [item] : []));
  const runs = items
    .filter(({ str }) => str.trim() !== '')
    .map(({ str, transform, width }) => ({
      text: str,
      left: millimetres(transform[4] - left),
      right: millimetres(transform[4] - left + width),
      top: millimetres(top - transform[5]),
      size: Math.hypot(transform[2], transform[3]),
    }));
  const text = items.map(({ str, hasEOL }) => str + (hasEOL ? '\n' : '')).join('');
  return { width: millimetres(right - left), height: millimetres(top - bottom), text, runs };
};

/** Reads the pages of a PDF. The password is for an encrypted one. */
export const readPdf = (base64: string, password = ''): Promise<PdfPage[]> => readPages(base64, password, readPage);

/** The pages of a PDF with their fill colours, as `#rrggbb`. To read them takes as long as to read the text. */
export const readPdfWithColours = (base64: string): Promise<(PdfPage & { colours: string[] })[]> =>
  readPages(base64, '', async (page) => {
    const { fnArray, argsArray } = await page.getOperatorList();
    const colours = fnArray.flatMap((operator, index) =>
      operator === OPS.setFillRGBColor ? [String((argsArray[index] as unknown[])[0])] : [],
    );
    return { ...(await readPage(page)), colours };
  });

/** A link of a PDF: to a URL, or to a place in the PDF. */
export type PdfLink = { url: string } | { place: string };

/** The links of a PDF, in order. */
export const readLinks = async (base64: string): Promise<PdfLink[]> => {
  const task = getDocument({ data: new Uint8Array(pdfBytes(base64)), verbosity: 0 });
  const document = await task.promise;
  try {
    const pages = Array.from({ length: document.numPages }, (_, index) => document.getPage(index + 1));
    const annotations = await Promise.all(pages.map(async (page) => (await page).getAnnotations()));
    return annotations
      .flat()
      .map(({ url, dest }: { url?: string; dest?: unknown }) => (url ? { url } : { place: String(dest) }));
  } finally {
    await task.destroy();
  }
};

/** The first run that contains the text. Throws if there is none. */
export const findTextRun = ({ runs, text }: PdfPage, part: string): TextRun => {
  const run = runs.find((one) => one.text.includes(part));
  if (!run) throw new Error(`no "${part}" on the page, whose text is: ${text.slice(0, 500)}`);
  return run;
};

/** The bytes without dates, and without LibreOffice's ids that contain them, so that they depend only on the document. */
export const withoutDates = (base64: string): string =>
  pdfBytes(base64)
    .toString('latin1')
    .replaceAll(/\/(CreationDate|ModDate) ?\(D:[^)]*\)/g, '/$1')
    .replaceAll(/\/ID \[ <[0-9A-F]{32}>\s<[0-9A-F]{32}> \]\s\/DocChecksum \/[0-9A-F]{32}/g, '');

export const creationDateOf = (base64: string): string =>
  /\/CreationDate ?\(D:(\d{14})/.exec(pdfBytes(base64).toString('latin1'))?.[1] ?? 'none';

export type PdfStructure = {
  isTagged: boolean;
  /** The roles of the structure elements of all pages, in reading order, such as `H1` and `TD`. */
  roles: string[];
  alternativeTexts: string[];
  /** The titles of the bookmarks, indented by one space for each level. */
  outline: string[];
};

type StructureNode = { role?: string; alt?: string; children?: StructureNode[] };
const flatten = (node: StructureNode): StructureNode[] => [node, ...(node.children ?? []).flatMap(flatten)];
type OutlineItem = { title: string; items: OutlineItem[] };
const titlesOf = (items: readonly OutlineItem[], indent = ''): string[] =>
  items.flatMap(({ title, items: below }) => [indent + title, ...titlesOf(below, `${indent} `)]);

/** The structure and the bookmarks of a PDF. */
export const readStructure = async (base64: string): Promise<PdfStructure> => {
  const task = getDocument({ data: new Uint8Array(pdfBytes(base64)), verbosity: 0 });
  const document = await task.promise;
  try {
    const pages = Array.from({ length: document.numPages }, (_, index) => document.getPage(index + 1));
    const trees = await Promise.all(pages.map(async (page) => (await page).getStructTree()));
    const nodes = trees.flatMap((tree) => (tree ? flatten(tree as StructureNode) : []));
    return {
      isTagged: /\/MarkInfo ?<<[^>]*\/Marked true/.test(pdfBytes(base64).toString('latin1')),
      roles: nodes.flatMap(({ role }) => (role && role !== 'Root' ? [role] : [])),
      alternativeTexts: nodes.flatMap(({ alt }) => alt ?? []),
      outline: titlesOf((await document.getOutline()) ?? []),
    };
  } finally {
    await task.destroy();
  }
};
