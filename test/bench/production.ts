import { setTimeout as pause } from 'node:timers/promises';
import { bareId, readModels } from '#contracts/names.ts';
import { readExample } from '#libs/templating/examples.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { openServersEnvironment } from '../support/environment.ts';
import { parseExposition } from '../support/telemetry/exposition.ts';
import { invoice } from './fixtures/invoice.ts';
import { measure } from './raw-limit.ts';
import { median, printFigure, printHeading, quantile, printMeasurement, printTarget } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

type Renders = (documents: number, concurrency: number) => ReturnType<typeof measure>;

const rendersOf = async (bench: Bench): Promise<Renders> => {
  const { template, sample } = await readExample('invoice');
  const { id } = JSON.parse(
    requireStatus(await bench.request('POST', '/api/v1/templates', JSON.stringify(template)), 201).toString(),
  ) as { id: string };
  const body = JSON.stringify({ mode: 'RENDER', template_id: id, data: sample });
  return (documents, concurrency) =>
    measure(documents, concurrency, async () => requireStatus(await bench.request('POST', '/api/v1/render', body)));
};

type Counts = Map<number, number>;

/** The histogram of the projector's delay: for each bound in seconds, the number of steps within it. */
const delaysOf = async ({ request }: Bench): Promise<Counts> => {
  const samples = parseExposition(requireStatus(await request('GET', '/metrics')).toString());
  const steps = samples.filter(
    ({ metric, labels }) =>
      metric === 'colophon_subscription_delay_seconds_bucket' && labels['subscription'] === 'projector',
  );
  return new Map(steps.map(({ labels, value }) => [labels['le'] === '+Inf' ? Infinity : Number(labels['le']), value]));
};

/** A quantile of the steps between two histograms in milliseconds, interpolated between its bounds. */
const within = (share: number, before: Counts, after: Counts): number => {
  const bounds = [...after.keys()].toSorted((one, other) => one - other);
  const grown = (bound: number): number => (after.get(bound) ?? 0) - (before.get(bound) ?? 0);
  const wanted = grown(Infinity) * share;
  const index = bounds.findIndex((bound) => grown(bound) >= wanted);
  const [lower, upper] = [bounds[index - 1] ?? 0, bounds[index]!];
  const [atLower, atUpper] = [index > 0 ? grown(lower) : 0, grown(upper)];
  return (
    1_000 *
    (upper === Infinity ? Infinity : lower + ((upper - lower) * (wanted - atLower)) / Math.max(1, atUpper - atLower))
  );
};

/**
 * Renders the shipped invoice on servers and on the embedded engines alternately. With few documents, because FerretDB
 * reads whole collections where MongoDB uses an index: from some 600 on, it alone decides every figure.
 */
export const serversThroughput = async (documents: number, turns: number): Promise<void> => {
  printHeading(
    'POST /render, RENDER of the shipped invoice, on KurrentDB (stand-in), NATS and MongoDB (FerretDB), beside the embedded engines',
  );
  const environment = await openServersEnvironment();
  try {
    await withBenchService({}, (embedded) =>
      withBenchService(environment.settings as Record<string, string>, async (served) => {
        const [ofEmbedded, ofServed] = [await rendersOf(embedded), await rendersOf(served)];
        const [shares, added]: [number[], number[]] = [[], []];
        for (let turn = 0; turn < turns; turn += 1) {
          const [one, other] = [await ofEmbedded(documents, 4), await ofServed(documents, 4)];
          printMeasurement('embedded', one);
          printMeasurement('on servers', other);
          shares.push(other.documentsPerSecond / one.documentsPerSecond);
          const [oneAlone, otherAlone] = [
            await ofEmbedded(Math.ceil(documents / 3), 1),
            await ofServed(Math.ceil(documents / 3), 1),
          ];
          printMeasurement('embedded', oneAlone);
          printMeasurement('on servers', otherAlone);
          added.push(otherAlone.p50Ms - oneAlone.p50Ms);
        }
        printFigure('throughput on servers, share of that on the embedded engines', median(shares));
        printTarget('added at the median', quantile(added, 0.5), 'at most', 15, ' ms');
        const before = await delaysOf(served);
        await ofServed(documents * 6, 4);
        printTarget(
          'projector lag under full load, p99',
          within(0.99, before, await delaysOf(served)),
          'at most',
          100,
          ' ms',
        );
      }),
    );
  } finally {
    await environment.close();
  }
};

/** Two renderer processes beside one process for the other roles. */
export const rendererBalance = async (jobs: number): Promise<void> => {
  printHeading('The balance between two renderers');
  const environment = await openServersEnvironment();
  try {
    await withBenchService(
      { ...(environment.settings as Record<string, string>), RENDER_BACKLOG: '1000000' },
      async ({ installation, request, accountId }) => {
        const renderers = [await installation.start('renderer'), await installation.start('renderer')];
        for (let index = 0; index < jobs; index += 1)
          requireStatus(
            await request(
              'POST',
              '/api/v1/render/async',
              JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: invoice(index) }),
            ),
          );
        const shares = await withInstallationEngines(installation, async ({ store, reads }) => {
          while (
            (await reads.count(readModels.renders, { accountId: bareId('acc', accountId)!, status: 'DONE' })) < jobs
          )
            await pause(100);
          const byWorker = new Map<string, number>();
          for (
            let after = 0, batch = await store.readAll(0, 1_000);
            batch.length > 0;
            after = batch.at(-1)!.position, batch = await store.readAll(after, 1_000)
          ) {
            for (const { type, data } of batch) {
              if (type === 'RenderStarted')
                byWorker.set(
                  (data as { worker: string }).worker,
                  (byWorker.get((data as { worker: string }).worker) ?? 0) + 1,
                );
            }
          }
          return [...byWorker.values()];
        });
        console.log(`  ${shares.join(' and ')} of ${jobs}`);
        printTarget(
          'difference between the two renderers, share of the larger one',
          shares.length === 2 ? 1 - Math.min(...shares) / Math.max(...shares) : 1,
          'at most',
          0.1,
        );
        for (const renderer of renderers) await renderer.stop('SIGTERM');
      },
      ['api', 'relay', 'projector', 'delivery', 'sweeper'],
    );
  } finally {
    await environment.close();
  }
};
