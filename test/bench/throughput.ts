import { readExample } from '#libs/templating/examples.ts';
import { expand } from '#libs/templating/expand.ts';
import { invoice } from './fixtures/invoice.ts';
import { type Measurement, measure, rawLimit, rawScriptLimit } from './raw-limit.ts';
import { printHeading, printMeasurement, printTarget } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

const executable = process.env.PUPPETEER_EXECUTABLE_PATH ?? '/usr/bin/chromium-headless-shell';

type Best = { limit: Measurement; service: Measurement };
const faster = (a: Measurement | undefined, b: Measurement): Measurement =>
  a && a.documentsPerSecond >= b.documentsPerSecond ? a : b;

/** Bare loop and service by turns, so that both meet the same weather; the best of each. */
const compare = async (
  name: string,
  concurrencies: readonly number[],
  limit: (concurrency: number) => Promise<Measurement>,
  service: (concurrency: number) => Promise<Measurement>,
): Promise<Best> => {
  let best: Partial<Best> = {};
  for (const concurrency of concurrencies) {
    const [bare, own] = [await limit(concurrency), await service(concurrency)];
    printMeasurement('bare loop', bare);
    printMeasurement(name, own);
    best = { limit: faster(best.limit, bare), service: faster(best.service, own) };
  }
  return best as Best;
};

const withScript = (index: number): string => `${invoice(index)}<script>document.title = 'Invoice ${index}'</script>`;
const withFrames = (index: number): string =>
  `${invoice(index)}<script>requestAnimationFrame(() => (document.title = 'Invoice ${index}'))</script>`;

const convert =
  (documentOf: (index: number) => string) =>
  (bench: Bench, documents: number, concurrency: number): Promise<Measurement> =>
    measure(documents, concurrency, async (_, index) =>
      requireStatus(
        await bench.request(
          'POST',
          '/api/v1/render',
          JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: documentOf(index) }),
        ),
      ),
    );

const promiseOf = ({ limit, service }: Best, what: string, share: number): void => {
  printTarget(
    `${what}, share of the bare loop's best`,
    service.documentsPerSecond / limit.documentsPerSecond,
    'at least',
    share,
  );
};

export const convertThroughput = async (documents: number): Promise<void> => {
  printHeading('POST /render, CONVERT of a one-page invoice without script');
  const best = await withBenchService({}, (bench) =>
    compare(
      'POST /render',
      [1, 2, 3, 4],
      (concurrency) => rawLimit({ executable, documents, concurrency }),
      (concurrency) => convert(invoice)(bench, documents, concurrency),
    ),
  );
  promiseOf(best, 'CONVERT over HTTP', 0.6);
  printTarget('CONVERT over HTTP, p99 in multiples of p50', best.service.p99Ms / best.service.p50Ms, 'at most', 3);
};

export const scriptThroughput = async (documents: number): Promise<void> => {
  printHeading('POST /render, CONVERT of the same invoice with a script');
  const best = await withBenchService({}, (bench) =>
    compare(
      'POST /render',
      [1, 2, 3, 4],
      (concurrency) => rawScriptLimit({ executable, documents, concurrency }, withScript),
      (concurrency) => convert(withScript)(bench, documents, concurrency),
    ),
  );
  promiseOf(best, 'Script lane over HTTP', 0.9);
};

/** Scripts that ask for screen frames cost both sides more; shown beside, so that the lane is not told by its best case alone. */
export const frameThroughput = async (documents: number): Promise<void> => {
  printHeading('POST /render, CONVERT of the same invoice with a script that waits for a screen frame');
  const best = await withBenchService({}, (bench) =>
    compare(
      'POST /render',
      [1, 2, 3, 4],
      (concurrency) => rawScriptLimit({ executable, documents, concurrency }, withFrames),
      (concurrency) => convert(withFrames)(bench, documents, concurrency),
    ),
  );
  promiseOf(best, 'Script lane with frames over HTTP', 0.9);
};

export const templateThroughput = async (documents: number): Promise<void> => {
  printHeading('POST /render, RENDER of the shipped invoice');
  const { template, sample } = await readExample('invoice');
  const expanded = expand({
    content: template.content,
    contentHash: 'bench',
    data: sample,
    variables: template.variables,
    locale: 'en',
    timeZone: 'UTC',
    maxOutputBytes: 1e7,
  });
  const best = await withBenchService({}, async (bench) => {
    const { id } = JSON.parse(
      requireStatus(await bench.request('POST', '/api/v1/templates', JSON.stringify(template)), 201).toString(),
    ) as { id: string };
    const body = JSON.stringify({ mode: 'RENDER', template_id: id, data: sample });
    return compare(
      'POST /render',
      [1, 2, 3, 4],
      (concurrency) => rawLimit({ executable, documents, concurrency }, () => expanded),
      (concurrency) =>
        measure(documents, concurrency, async () => requireStatus(await bench.request('POST', '/api/v1/render', body))),
    );
  });
  promiseOf(best, 'RENDER over HTTP', 0.6);
};
