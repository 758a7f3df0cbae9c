import { setTimeout as sleep } from 'node:timers/promises';
import { printHeading, quantile, printTarget } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

/** The durations of sequential requests until `heavy` ends, in milliseconds. */
export const measureLatency = async ({ request }: Bench, path: string, heavy: Promise<unknown>): Promise<number[]> => {
  const times: number[] = [];
  let over = false;
  void heavy.finally(() => (over = true));
  while (!over) {
    const start = performance.now();
    requireStatus(await request('GET', path));
    times.push(performance.now() - start);
    await sleep(5);
  }
  return times;
};

const largeHtml = (): string => {
  const row =
    '<tr><td>Item of a long list</td><td class="n">12.50</td><td>Some more text that fills the cell</td></tr>';
  const rows = row.repeat(Math.floor((9 * 1024 * 1024) / row.length));
  const head = '<!doctype html><title>Large</title><style>td{padding:2px}</style>';
  return `${head}<p>One page of text, and many hidden rows.</p><table hidden>${rows}</table>`;
};

export const latencyBesideHeavyRender = async (): Promise<void> => {
  printHeading('GET /api/v1/account while a 9 MB HTML document is rendered');
  await withBenchService({}, async (bench) => {
    const body = JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: largeHtml() });
    for (let warm = 0; warm < 20; warm += 1) requireStatus(await bench.request('GET', '/api/v1/account'));
    const heavy = bench
      .request('POST', '/api/v1/render', body)
      .then(({ status }) => console.log(`  the large document: ${status}`));
    const times = await measureLatency(bench, '/api/v1/account', heavy);
    console.log(`  ${times.length} requests, p50 ${quantile(times, 0.5).toFixed(1)} ms`);
    printTarget('slowest response beside a 9 MB document', Math.max(...times), 'at most', 100, ' ms');
  });
};
