import { readExample } from '#libs/templating/examples.ts';
import { expand } from '#libs/templating/expand.ts';
import { invoice } from './fixtures/invoice.ts';
import { type Measurement, measure, rawLimit, rawScriptLimit } from './raw-limit.ts';
import { median, printHeading, printMeasurement, printTarget } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

const executable = process.env.PUPPETEER_EXECUTABLE_PATH ?? '/usr/bin/chromium-headless-shell';
/** With fewer requests in flight than permits, a processor waits while documents are stored. */
const concurrencies = [1, 2, 4, 8] as const;
/** The p99 and the share of conforming PDFs are measured with this number of requests in flight. */
const latencyConcurrency = 4;

/** Targets of the service over HTTP: its share of the bare loop's throughput, and p99 in multiples of p50. */
const minShare = 0.8;
const minScriptShare = 0.95;
const maxP99Ratio = 2.5;

/** A tagged PDF/A-3b of the same invoice against a plain PDF. */
const minConformingShare = 0.5;

type Measure = (concurrency: number) => Promise<Measurement>;
/** One value for each turn. `p99Ratios` are those of the service with 4 requests in flight. */
type Comparison = { shares: number[]; p99Ratios: number[] };

const best = (measurements: readonly Measurement[]): number =>
  Math.max(...measurements.map(({ documentsPerSecond }) => documentsPerSecond));

/** Measures bare loop and service alternately, because the speed of a machine drifts within minutes. */
const compare = async (turns: number, bareLoop: Measure, service: Measure): Promise<Comparison> => {
  const comparison: Comparison = { shares: [], p99Ratios: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    const [bare, served]: [Measurement[], Measurement[]] = [[], []];
    for (const concurrency of concurrencies) {
      bare.push(await bareLoop(concurrency));
      served.push(await service(concurrency));
      printMeasurement('bare loop', bare.at(-1)!);
      printMeasurement('POST /render', served.at(-1)!);
    }
    comparison.shares.push(best(served) / best(bare));
    const { p50Ms, p99Ms } = served.find(({ concurrency }) => concurrency === latencyConcurrency)!;
    comparison.p99Ratios.push(p99Ms / p50Ms);
  }
  return comparison;
};

const printShare = ({ shares }: Comparison, what: string, target: number): void =>
  printTarget(`${what}, share of the bare loop's best`, median(shares), 'at least', target);
const printP99 = ({ p99Ratios }: Comparison, what: string): void =>
  printTarget(`${what}, p99 in multiples of p50 at 4 in flight`, median(p99Ratios), 'at most', maxP99Ratio);

const withScript = (index: number): string => `${invoice(index)}<script>document.title = 'Invoice ${index}'</script>`;
const withFrames = (index: number): string =>
  `${invoice(index)}<script>requestAnimationFrame(() => (document.title = 'Invoice ${index}'))</script>`;

const convert = (
  { request }: Bench,
  documents: number,
  concurrency: number,
  documentOf: (index: number) => string,
  options: object = {},
): Promise<Measurement> =>
  measure(documents, concurrency, async (_, index) =>
    requireStatus(
      await request(
        'POST',
        '/api/v1/render',
        JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: documentOf(index), ...options }),
      ),
    ),
  );

/** Each turn measures this number of documents at each concurrency. */
export const convertThroughput = async (documents: number, turns: number): Promise<void> => {
  printHeading('POST /render, CONVERT of a one-page invoice without script');
  const comparison = await withBenchService({}, (bench) =>
    compare(
      turns,
      (concurrency) => rawLimit({ executable, documents, concurrency }),
      (concurrency) => convert(bench, documents, concurrency, invoice),
    ),
  );
  printShare(comparison, 'CONVERT over HTTP', minShare);
  printP99(comparison, 'CONVERT over HTTP');
};

const compareScripts = (documents: number, turns: number, documentOf: (index: number) => string): Promise<Comparison> =>
  withBenchService({}, (bench) =>
    compare(
      turns,
      (concurrency) => rawScriptLimit({ executable, documents, concurrency }, documentOf),
      (concurrency) => convert(bench, documents, concurrency, documentOf),
    ),
  );

export const scriptThroughput = async (documents: number, turns: number): Promise<void> => {
  printHeading('POST /render, CONVERT of the same invoice with a script');
  printShare(await compareScripts(documents, turns, withScript), 'CONVERT with a script over HTTP', minScriptShare);
};

/** Screen frames make both sides slower, so this is measured besides the script that needs none. */
export const frameThroughput = async (documents: number, turns: number): Promise<void> => {
  printHeading('POST /render, CONVERT of the same invoice with a script that waits for a screen frame');
  const comparison = await compareScripts(documents, turns, withFrames);
  printShare(comparison, 'CONVERT with a script and screen frames over HTTP', minScriptShare);
};

export const templateThroughput = async (documents: number, turns: number): Promise<void> => {
  printHeading('POST /render, RENDER of the shipped invoice');
  const { template, sample } = await readExample('invoice');
  const expanded = expand({
    content: template.content,
    contentHash: 'bench',
    data: sample,
    variables: template.variables,
    labels: template.labels['en'],
    locale: 'en',
    timeZone: 'UTC',
    maxOutputBytes: 1e7,
  });
  const comparison = await withBenchService({}, async ({ request }) => {
    const { id } = JSON.parse(
      requireStatus(await request('POST', '/api/v1/templates', JSON.stringify(template)), 201).toString(),
    ) as { id: string };
    const body = JSON.stringify({ mode: 'RENDER', template_id: id, data: sample });
    return compare(
      turns,
      (concurrency) => rawLimit({ executable, documents, concurrency }, () => expanded),
      (concurrency) =>
        measure(documents, concurrency, async () => requireStatus(await request('POST', '/api/v1/render', body))),
    );
  });
  printShare(comparison, 'RENDER over HTTP', minShare);
  printP99(comparison, 'RENDER over HTTP');
};

/** Plain and conforming renders take turns at the same service. */
export const conformingThroughput = async (documents: number, turns: number): Promise<void> => {
  printHeading('POST /render, CONVERT of the same invoice to a plain PDF and to a tagged PDF/A-3b');
  const conforming = { conformance: 'pdf/a-3b', tagged: true };
  const shares = await withBenchService({}, async (bench) => {
    const measured: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const plain = await convert(bench, documents, latencyConcurrency, invoice);
      const tagged = await convert(bench, documents, latencyConcurrency, invoice, conforming);
      printMeasurement('plain', plain);
      printMeasurement('PDF/A-3b', tagged);
      measured.push(tagged.documentsPerSecond / plain.documentsPerSecond);
    }
    return measured;
  });
  printTarget('Tagged PDF/A-3b, share of the throughput of plain PDFs', median(shares), 'at least', minConformingShare);
};
