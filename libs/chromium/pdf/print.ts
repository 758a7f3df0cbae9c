import { Problem } from '#contracts/http/problem.ts';
import { mostAnswerBytes } from '../cdp/connection.ts';
import { AnswerTooLong, CommandFailed } from '../cdp/errors.ts';
import type { Page } from '../browsers/page.ts';
import { pagesOf, stampDates } from './pdf.ts';
import { printParameters, type HeaderFooter } from './parameters.ts';
import type { PrintRequest } from '../request.ts';

const inMb = (base64Bytes: number): number => Math.round((base64Bytes * 75) / 2 ** 20) / 100;

const refused = (error: unknown): never => {
  if (error instanceof AnswerTooLong) {
    const sizes = { max_size_mb: Math.floor(inMb(mostAnswerBytes)), generated_size_mb: inMb(error.bytes) };
    throw Problem.of('pdf_too_large', `The PDF has ${sizes.generated_size_mb} MB; no PDF may have more than ${sizes.max_size_mb} MB.`, sizes);
  }
  if (error instanceof CommandFailed && /print parameters|content area|page size|margin/i.test(error.message))
    throw Problem.of('conversion_failed', 'Margins, header and footer leave no room for the text.', { details: { reason: 'no_room' } });
  throw error;
};

/** Prints what stands in the page. The bytes depend on the document, the options and the browser's version alone. Throws conversion_failed where there are too many pages. */
export const printPage = async ({ session }: Page, { options, requestedAt, limits }: PrintRequest, bands: HeaderFooter): Promise<{ pdf: Buffer; pages: number }> => {
  const { data } = await session.send('Page.printToPDF', printParameters(options, bands)).catch(refused);
  const pdf = Buffer.from(data, 'base64');
  const pages = pagesOf(pdf);
  if (limits.maxPages !== null && pages > limits.maxPages)
    throw Problem.of('conversion_failed', `The document has ${pages} pages; ${limits.maxPages} are allowed.`, { details: { pages, limit: limits.maxPages } });
  stampDates(pdf, requestedAt);
  return { pdf, pages };
};
