import { renderOptions } from '#contracts/http/render-options.ts';
import { classify } from '#libs/documents/html/classify.ts';
import { openPrinter } from '#libs/chromium/printer.ts';
import { invoice } from './fixtures/invoice.ts';
import { measure, type Measurement, type RawSettings } from './raw-limit.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Prints the same documents with the printer: render modes, deadlines, dates, page count. */
export const measurePrinter = async (
  { executable, documents, concurrency }: RawSettings,
  renderMode: 'static' | 'scripted' = 'static',
): Promise<Measurement> => {
  const printer = await openPrinter({ executable, pagesPerBrowser: concurrency, logger: silent });
  const options = renderOptions.parse({});
  const limits = { processingMs: 30_000, waitTimeoutMs: 30_000, scriptMs: 5000, maxPages: 100 };
  try {
    return await measure(documents, concurrency, (_, index) => {
      const html =
        renderMode === 'scripted'
          ? `${invoice(index)}<script>document.title = 'Invoice ${index}'</script>`
          : invoice(index);
      return printer.print({
        html,
        classification: classify(html).classification,
        group: 'bench',
        options,
        requestedAt: new Date(),
        limits,
      });
    });
  } finally {
    await printer.close();
  }
};
