import { invoice } from './fixtures/invoice.ts';
import { type Figure, measure, rawLimit } from './raw-limit.ts';
import { must, withService } from './service.ts';

const executable = process.env.PUPPETEER_EXECUTABLE_PATH ?? '/usr/bin/chromium-headless-shell';

const say = (name: string, { concurrency, documentsPerSecond, p50Ms, p99Ms }: Figure): void =>
  console.log(`${name.padEnd(30)} ${concurrency} at once  ${documentsPerSecond.toFixed(1).padStart(7)} documents/s   p50 ${p50Ms.toFixed(1)} ms   p99 ${p99Ms.toFixed(1)} ms`);

/** CONVERT of a one-page invoice over HTTP against the bare loop, by turns in one run. */
export const convertThroughput = async (documents: number): Promise<void> => {
  let best = { limit: 0, service: 0 };
  for (const concurrency of [1, 2, 3, 4, 6]) {
    if (concurrency <= 4) {
      const limit = await rawLimit({ executable, documents, concurrency });
      say('bare loop', limit);
      best = { ...best, limit: Math.max(best.limit, limit.documentsPerSecond) };
    }
    const service = await withService({}, ({ ask }) =>
      measure(documents, concurrency, async (_, index) => must(await ask('POST', '/api/v1/render', JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: invoice(index) })))),
    );
    say('POST /render, CONVERT', service);
    console.log(`  p99 is ${(service.p99Ms / service.p50Ms).toFixed(1)} times p50`);
    best = { ...best, service: Math.max(best.service, service.documentsPerSecond) };
  }
  console.log(`CONVERT over HTTP reaches ${(best.service / best.limit).toFixed(2)} of the bare loop's best (at least 0.6 is promised)`);
};

if (import.meta.main) await convertThroughput(Number(process.argv[2] ?? 1000));
