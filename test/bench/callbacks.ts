import { setTimeout as pause } from 'node:timers/promises';
import { bareId, readModels } from '#contracts/names.ts';
import { startTcpServer } from '#libs/egress/testing/test-servers.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { waitUntil } from '../support/wait-until.ts';
import { accept } from './requests.ts';
import { recordCompletedRenders } from './recorded-renders.ts';
import { printHeading, quantile, printTarget } from './report.ts';
import { type Bench, withBenchService } from './service.ts';

const withReceivers = async (use: (bench: Bench, receivers: WebhookReceivers) => Promise<void>): Promise<void> => {
  const receivers = await openWebhookReceivers();
  try {
    await withBenchService(receivers.settings, (bench) => use(bench, receivers));
  } finally {
    await receivers.close();
  }
};

const waitForCount = async (count: () => number, expected: number): Promise<void> => {
  while (count() < expected) await pause(5);
};

/** Callbacks a second to one receiver that responds at once, from the first to the last. */
export const callbackRate = async (count: number): Promise<void> => {
  printHeading('Callbacks to a receiver that responds at once');
  await withReceivers(async ({ installation, accountId }, receivers) => {
    const times: number[] = [];
    const receiver = await receivers.openReceiver(() => (times.push(performance.now()), 200));
    await recordCompletedRenders(
      installation,
      bareId('acc', accountId)!,
      Array.from({ length: count }, () => receiver.url),
    );
    await waitForCount(() => times.length, count);
    printTarget('callbacks', (1000 * (count - 1)) / (times.at(-1)! - times[0]!), 'at least', 500, ' /s');
  });
};

/** Milliseconds from RenderCompleted to the arrival at a receiver, one job after the other. */
const delays = async (bench: Bench, receivers: WebhookReceivers, jobs: number): Promise<number[]> => {
  const arrived = new Map<string, number>();
  const receiver = await receivers.openReceiver(({ body }) => (arrived.set(String(body.id), Date.now()), 200));
  const delaysMs: number[] = [];
  for (let index = 0; index < jobs; index += 1) {
    const { id } = JSON.parse((await accept(bench, index, { webhook_url: receiver.url })).toString()) as { id: string };
    await waitForCount(() => (arrived.has(id) ? 1 : 0), 1);
    // The callback may arrive before the read model shows the end.
    const endedAt = await waitUntil('the read model shows the end', () =>
      withInstallationEngines(
        bench.installation,
        async ({ reads }) =>
          ((await reads.get(readModels.renders, bareId('render', id)!)) as RenderDocument | null)?.endedAt,
      ),
    );
    delaysMs.push(arrived.get(id)! - Date.parse(endedAt));
  }
  return delaysMs;
};

/** The delay of callbacks, alone and beside receivers that never respond. */
export const callbackDelay = async (jobs: number, silent: number): Promise<void> => {
  printHeading('From RenderCompleted to the callback');
  await withReceivers(async (bench, receivers) => {
    await delays(bench, receivers, 5);
    printTarget('median delay', quantile(await delays(bench, receivers, jobs), 0.5), 'at most', 20, ' ms');
    const silentReceivers = await Promise.all(
      Array.from({ length: silent }, async () => receivers.closeWithReceivers(await startTcpServer(() => undefined))),
    );
    const reached = (): number => silentReceivers.filter((server) => server.connectionCount() > 0).length;
    await recordCompletedRenders(
      bench.installation,
      bareId('acc', bench.accountId)!,
      silentReceivers.map(({ port }) => `https://127.0.0.1:${port}/`),
    );
    await waitForCount(reached, silent);
    printTarget(
      `longest delay beside ${silent} silent receivers`,
      Math.max(...(await delays(bench, receivers, 10))),
      'at most',
      1_000,
      ' ms',
    );
  });
};
