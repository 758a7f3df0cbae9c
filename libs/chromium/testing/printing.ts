import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { renderOptions } from '#contracts/http/render-options.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { type Classification, classify } from '#libs/documents/html/classify.ts';
import { openPrinter, type PrintResult, type Printer, type PrinterOptions, type PrintRequest } from '../printer.ts';

export const browserExecutable = process.env['PUPPETEER_EXECUTABLE_PATH'] ?? '/usr/bin/chromium-headless-shell';
export const silentLogger = { info: () => {}, warn: () => {}, error: () => {} };

/** A printer without network, unless options give it one. */
export const openTestPrinter = (options: Partial<PrinterOptions> = {}): Promise<Printer> =>
  openPrinter({ executable: browserExecutable, pagesPerBrowser: 2, logger: silentLogger, ...options });

type PrintRequestOptions = Partial<Omit<PrintRequest, 'options' | 'limits' | 'classification'>> &
  Partial<Pick<Classification, 'scripts' | 'external'>> & {
    options?: Record<string, unknown>;
    limits?: Partial<PrintRequest['limits']>;
  };

/** A print request with default values: without scripts and network, whatever the document holds. */
export const requestFor = (
  html: string,
  { options, limits, scripts = false, external = false, ...rest }: PrintRequestOptions = {},
): PrintRequest => ({
  html,
  group: 'account',
  classification: { ...classify(html).classification, scripts, external },
  options: renderOptions.parse(options ?? {}),
  requestedAt: new Date('2026-02-03T04:05:06.789Z'),
  // Longer than in the service: a busy machine may need that long for what takes a second elsewhere.
  limits: { processingMs: 150_000, waitTimeoutMs: 150_000, scriptMs: 60_000, maxPages: null, ...limits },
  ...rest,
});

export const apiErrorFieldsOf = async (printed: Promise<PrintResult>) => {
  const error = await printed.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error.fields;
  throw error ?? new Error('The document was printed.');
};

export type PdfWord = {
  text: string;
  /** From the left and top of the page, in points. */ x: number;
  y: number;
  size: number;
};
export type PdfPage = { width: number; height: number; words: PdfWord[]; text: string };

/** The pages of a PDF in points, with their pieces of text. */
export const readPdf = async (pdf: Uint8Array): Promise<PdfPage[]> => {
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0, useSystemFonts: false }).promise;
  const pages: PdfPage[] = [];
  for (let pageNumber = 1; pageNumber <= document.numPages; pageNumber += 1) {
    const page = await document.getPage(pageNumber);
    const [, , width, height] = page.view as [number, number, number, number];
    const { items } = await page.getTextContent();
    const words = items.flatMap((item) =>
      'str' in item && item.str.trim()
        ? [
            {
              text: item.str,
              x: item.transform[4] as number,
              y: height - (item.transform[5] as number),
              size: Math.abs(item.transform[3] as number),
            },
          ]
        : [],
    );
    pages.push({
      width,
      height,
      words,
      text: words
        .map(({ text }) => text)
        .join(' ')
        .replace(/\s+/g, ' '),
    });
  }
  await document.loadingTask.destroy();
  return pages;
};
