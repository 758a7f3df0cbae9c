import { setTimeout as sleep } from 'node:timers/promises';
import { endlessInputs, heavyInputs, refusedInputs } from '../fixtures/bad-input.ts';
import { printHeading, quantile, printTarget } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

const small = JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: '<p>a small document</p>' });

type SmallRender = { what: string; ms: number };

/** Renders small documents one after the other until `over`. Returns the duration of each and what ran beside it. */
const renderSmallDocuments = async (
  { request }: Bench,
  beside: { what: string; over: boolean },
): Promise<SmallRender[]> => {
  const renders: SmallRender[] = [];
  while (!beside.over) {
    const { what } = beside;
    const start = performance.now();
    requireStatus(await request('POST', '/api/v1/render', small));
    renders.push({ what, ms: performance.now() - start });
    await sleep(10);
  }
  return renders;
};

/** The latency of small renders of another caller while bad and heavy input is sent. */
export const badInput = async (): Promise<void> => {
  printHeading('Small renders while bad and heavy input is sent');
  await withBenchService({}, async (bench) => {
    for (let warm = 0; warm < 20; warm += 1) requireStatus(await bench.request('POST', '/api/v1/render', small));
    const beside = { what: 'nothing', over: false };
    const rendering = renderSmallDocuments(bench, beside);
    for (const { what, request } of [...refusedInputs, ...heavyInputs, ...endlessInputs]) {
      beside.what = what;
      const { status } = await bench.request('POST', '/api/v1/render', JSON.stringify({ mode: 'CONVERT', ...request }));
      if (status >= 500) console.log(`  ${what}: ${status}`);
    }
    beside.over = true;
    const times = await rendering;
    for (const { what, ms } of times.toSorted((a, b) => b.ms - a.ms).slice(0, 5))
      console.log(`  ${ms.toFixed(0)} ms beside ${what}`);
    console.log(
      `  ${times.length} small renders, p50 ${quantile(
        times.map(({ ms }) => ms),
        0.5,
      ).toFixed(1)} ms`,
    );
    printTarget(
      'slowest small render beside bad input',
      Math.max(...times.map(({ ms }) => ms)),
      'at most',
      1000,
      ' ms',
    );
  });
};
