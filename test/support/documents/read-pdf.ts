import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A run of text: its ends and baseline in millimetres from the left and upper edge; `size` is the font size in points. */
export type TextRun = { text: string; left: number; right: number; top: number; size: number };
/** `width` and `height` in millimetres; `text` is all runs in order; `colours` are the fill colours, as `#rrggbb`. */
export type PdfPage = { width: number; height: number; text: string; runs: TextRun[]; colours: string[] };

const millimetres = (points: number): number => (points / 72) * 25.4;

export const pdfBytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** Reads the pages of a PDF. */
export const readPdf = async (base64: string): Promise<PdfPage[]> => {
  const task = getDocument({ data: new Uint8Array(pdfBytes(base64)), verbosity: 0, useSystemFonts: true });
  const document = await task.promise;
  try {
    return await Promise.all(
      Array.from({ length: document.numPages }, async (_, index) => readPage(await document.getPage(index + 1))),
    );
  } finally {
    await task.destroy();
  }
};

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>['promise']>['getPage']>>;

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
  const operators = await page.getOperatorList();
  const colours = operators.fnArray.flatMap((operator, index) =>
    operator === OPS.setFillRGBColor ? [String((operators.argsArray[index] as unknown[])[0])] : [],
  );
  const text = items.map(({ str, hasEOL }) => str + (hasEOL ? '\n' : '')).join('');
  return { width: millimetres(right - left), height: millimetres(top - bottom), text, runs, colours };
};

/** The first run that contains the text. Throws if there is none. */
export const findTextRun = ({ runs, text }: PdfPage, part: string): TextRun => {
  const run = runs.find((one) => one.text.includes(part));
  if (!run) throw new Error(`no "${part}" on the page, whose text is: ${text.slice(0, 500)}`);
  return run;
};

/** The bytes without both dates, so that they depend only on the document. */
export const withoutDates = (base64: string): string =>
  pdfBytes(base64)
    .toString('latin1')
    .replaceAll(/\/(CreationDate|ModDate) \(D:[^)]*\)/g, '/$1');

export const creationDateOf = (base64: string): string =>
  /\/CreationDate \(D:(\d{14})/.exec(pdfBytes(base64).toString('latin1'))?.[1] ?? 'none';
