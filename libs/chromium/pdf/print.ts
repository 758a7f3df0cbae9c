import { ApiError } from '#contracts/http/api-error.ts';
import { maxResponseBytes } from '../cdp/connection.ts';
import { ResponseTooLarge, CommandFailed } from '../cdp/errors.ts';
import type { Page } from '../browsers/page.ts';
import { printParameters, type HeaderFooterTemplates } from './parameters.ts';
import type { PrintRequest } from '../print-request.ts';

const literalStrings = /\((?:\\[\s\S]|[^\\()])*\)/g;

/**
 * Reads the offsets of the objects from the cross-reference table (ISO 32000-1, 7.5.4), which Skia writes uncompressed.
 */
const openPdfObjects = (pdf: Buffer) => {
  const tail = pdf.toString('latin1', Math.max(0, pdf.length - 1024));
  const table = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1]);
  const firstEntry = pdf.indexOf('\n', pdf.indexOf('\n', table) + 1) + 1;
  const trailer = tail.slice(tail.lastIndexOf('trailer'));
  const offsetOf = (object: number) =>
    Number(pdf.toString('latin1', firstEntry + object * 20, firstEntry + object * 20 + 10));
  const bytesOf = (object: number) => ({ start: offsetOf(object), end: pdf.indexOf('\nendobj', offsetOf(object)) });
  const reference = (name: string, dictionary: string) => {
    const number = new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary)?.[1];
    if (number === undefined) throw new Error(`The PDF has no /${name} where it should be.`);
    return Number(number);
  };
  const dictionary = (object: number) => {
    const { start, end } = bytesOf(object);
    return pdf.toString('latin1', start, end).replace(literalStrings, '()');
  };
  return { trailer, bytesOf, reference, dictionary };
};

export const countPages = (pdf: Buffer): number => {
  const { trailer, reference, dictionary } = openPdfObjects(pdf);
  const tree = dictionary(reference('Pages', dictionary(reference('Root', trailer))));
  const count = /\/Count (\d+)/.exec(tree)?.[1];
  if (count === undefined) throw new Error('The page tree of the PDF has no count.');
  return Number(count);
};

const pdfDate = (date: Date) => `D:${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}+00'00'`;

/**
 * Sets both dates of the PDF in place (to the second, UTC; ISO 32000-1, 7.9.4). The length and all offsets stay the
 * same.
 */
export const setPdfDates = (pdf: Buffer, date: Date): void => {
  const { trailer, reference, bytesOf } = openPdfObjects(pdf);
  const { start, end } = bytesOf(reference('Info', trailer));
  const text = pdfDate(date);
  for (const name of ['CreationDate', 'ModDate']) {
    // Search from the end: the title is before the dates and may contain any text.
    const value = pdf.subarray(start, end).lastIndexOf(`/${name} (D:`) + start + name.length + 3;
    if (value < start + name.length + 3 || pdf.toString('latin1', value + text.length, value + text.length + 1) !== ')')
      throw new Error(`The PDF has no /${name} of the usual length.`);
    pdf.write(text, value, 'latin1');
  }
};

const base64SizeMb = (base64Bytes: number): number => Math.round((base64Bytes * 75) / 2 ** 20) / 100;

const rethrowPrintError = (error: unknown): never => {
  if (error instanceof ResponseTooLarge) {
    const sizes = {
      max_size_mb: Math.floor(base64SizeMb(maxResponseBytes)),
      generated_size_mb: base64SizeMb(error.bytes),
    };
    throw ApiError.of(
      'pdf_too_large',
      `The PDF has ${sizes.generated_size_mb} MB; no PDF may have more than ${sizes.max_size_mb} MB.`,
      sizes,
    );
  }
  if (error instanceof CommandFailed && /print parameters|content area|page size|margin/i.test(error.message))
    throw ApiError.of('conversion_failed', 'Margins, header and footer leave no room for the text.', {
      details: { reason: 'no_room' },
    });
  throw error;
};

/**
 * Prints the loaded document. The bytes depend only on the document, the options and the browser's version.
 * @throws ApiError conversion_failed if there are too many pages
 */
export const printPage = async (
  { session }: Page,
  { options, requestedAt, limits }: PrintRequest,
  templates: HeaderFooterTemplates,
): Promise<{ pdf: Buffer; pages: number }> => {
  const { data } = await session.send('Page.printToPDF', printParameters(options, templates)).catch(rethrowPrintError);
  const pdf = Buffer.from(data, 'base64');
  const pages = countPages(pdf);
  if (limits.maxPages !== null && pages > limits.maxPages)
    throw ApiError.of('conversion_failed', `The document has ${pages} pages; ${limits.maxPages} are allowed.`, {
      details: { pages, limit: limits.maxPages },
    });
  setPdfDates(pdf, requestedAt);
  return { pdf, pages };
};
