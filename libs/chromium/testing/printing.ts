import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { renderOptions } from '#contracts/http/render-options.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { type Classification, classify } from '#libs/documents/html/classify.ts';
import { openPrinter, type PrintResult, type Printer, type PrinterOptions, type PrintRequest } from '../printer.ts';

export const browserExecutable = process.env['PUPPETEER_EXECUTABLE_PATH'] ?? '/usr/bin/chromium-headless-shell';
export const silentLogger = { info: () => {}, warn: () => {}, error: () => {} };

/** A printer with no way out unless one is given. */
export const openTestPrinter = (settings: Partial<PrinterOptions> = {}): Promise<Printer> =>
  openPrinter({ executable: browserExecutable, pagesPerBrowser: 2, logger: silentLogger, ...settings });

type PrintRequestOptions = Partial<Omit<PrintRequest, 'options' | 'limits' | 'classification'>> &
  Partial<Pick<Classification, 'scripts' | 'external'>> & {
    options?: Record<string, unknown>;
    limits?: Partial<PrintRequest['limits']>;
  };

/** A request for the document, with defaults for all that is not said: without scripts and network, whatever it holds. */
export const requestFor = (
  html: string,
  { options, limits, scripts = false, external = false, ...rest }: PrintRequestOptions = {},
): PrintRequest => ({
  html,
  classification: { ...classify(html).classification, scripts, external },
  options: renderOptions.parse(options ?? {}),
  requestedAt: new Date('2026-02-03T04:05:06.789Z'),
  limits: { processingMs: 25_000, waitTimeoutMs: 25_000, scriptMs: 5000, maxPages: null, ...limits },
  ...rest,
});

/** The fault that the document ends with; fails where it is printed, or ends otherwise. */
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
  /** From the left and the top of the sheet, in points. */ x: number;
  y: number;
  size: number;
};
export type PdfPage = { width: number; height: number; words: PdfWord[]; text: string };

/** What a reader of the PDF sees: each sheet in points, with its pieces of text. */
export const readPdf = async (pdf: Uint8Array): Promise<PdfPage[]> => {
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0, useSystemFonts: false }).promise;
  const pages: PdfPage[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
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
