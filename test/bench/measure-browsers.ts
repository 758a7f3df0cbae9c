import { measurePrinter } from './measure-printer.ts';
import { rawLimit, rawScriptLimit, type Measurement } from './raw-limit.ts';

const executable = process.env.PUPPETEER_EXECUTABLE_PATH ?? '/usr/bin/chromium-headless-shell';
const [staticDocuments, scriptedDocuments] = [1500, 150];

const printLine = (name: string, { concurrency, documentsPerSecond, p50Ms, p99Ms }: Measurement) =>
  console.log(
    `${name.padEnd(28)} ${concurrency} at once  ${documentsPerSecond.toFixed(1).padStart(7)} documents/s   ` +
      `p50 ${p50Ms.toFixed(1)} ms   p99 ${p99Ms.toFixed(1)} ms`,
  );

/** Measures bare loop and printer alternately. Prints every figure and the ratio of the best ones. */
const compare = async (
  name: string,
  concurrencies: number[],
  raw: (concurrency: number) => Promise<Measurement>,
  printer: (concurrency: number) => Promise<Measurement>,
) => {
  const best = { raw: 0, printer: 0 };
  for (const concurrency of concurrencies) {
    const [limit, reached] = [await raw(concurrency), await printer(concurrency)];
    printLine(`${name}, bare loop`, limit);
    printLine(`${name}, printer`, reached);
    best.raw = Math.max(best.raw, limit.documentsPerSecond);
    best.printer = Math.max(best.printer, reached.documentsPerSecond);
  }
  console.log(`${name}: the printer reaches ${(best.printer / best.raw).toFixed(2)} of the bare loop's best`);
};

await compare(
  'static',
  [1, 2, 3, 4],
  (concurrency) => rawLimit({ executable, documents: staticDocuments, concurrency }),
  (concurrency) => measurePrinter({ executable, documents: staticDocuments, concurrency }),
);
await compare(
  'scripted',
  [1, 2, 3],
  (concurrency) => rawScriptLimit({ executable, documents: scriptedDocuments, concurrency }),
  (concurrency) => measurePrinter({ executable, documents: scriptedDocuments, concurrency }, 'scripted'),
);
