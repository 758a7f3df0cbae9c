import { join } from 'node:path';
import { ulid } from 'ulid';
import { bareId, streams } from '#contracts/names.ts';
import { renderOptions } from '#contracts/http/render-options.ts';
import { projections } from '#libs/projections/all.ts';
import { openDatabase } from '#libs/sqlite/database.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { openTestInstallation } from '../support/service/installation.ts';
import { printHeading, quantile, printTarget } from './report.ts';
import { recordedEventsOf, projectEvents } from './seed.ts';

type Issued = { id: string; key: string };

const chunk = 50_000;

/** Fills the read models with renders of this month, and appends an event behind them to the event log. */
const seedRenders = async (
  installation: Parameters<typeof withInstallationEngines>[0],
  accountId: string,
  keyId: string,
  renders: number,
): Promise<void> => {
  const month = new Date().toISOString().slice(0, 8);
  const days = new Date().getUTCDate();
  const { header_html: _header, footer_html: _footer, ...options } = renderOptions.parse({});
  const limits = { processingMs: 30_000, scriptMs: 5_000, maxPages: 100, maxImages: 50, maxPdfBytes: null };
  const source = { mode: 'CONVERT', inputType: 'html', input: { sha256: 'ab'.repeat(32), size: 100 } };
  const data = {
    accountId,
    keyId,
    keyType: 'live',
    source,
    options,
    limits,
    headerFooter: { header: null, footer: null },
    templateTest: false,
    responseMode: { kind: 'wait' },
  };
  const durations = { queueMs: 1, prepareMs: 1, waitMs: 1, loadMs: 1, printMs: 5, totalMs: 9 };
  const completed = {
    attempt: 1,
    input: 'html',
    pdf: { sha256: 'cd'.repeat(32), size: 30_000 },
    responseMode: 'wait',
    keptUntil: null,
    pages: 1,
    durations,
    renderMode: 'static',
    renderModeReason: 'no script',
    browserVersion: 'none',
    warnings: [],
  };
  await withInstallationEngines(installation, async ({ reads, store }) => {
    const head = await store.head();
    for (let done = 0; done < renders; done += chunk) {
      const events = Array.from({ length: Math.min(chunk, renders - done) }, (_, index) => {
        const common = {
          stream: streams.render(ulid()),
          accountId,
          at: `${month}${String(1 + (index % days)).padStart(2, '0')}T00:00:00.000Z`,
        };
        return [
          { ...common, type: 'RenderRequested', data },
          { ...common, type: 'RenderCompleted', data: completed },
        ];
      });
      await projectEvents(reads, projections, recordedEventsOf(events.flat(), head + 2 * done));
    }
    const database = openDatabase(join(installation.dataDir, 'log.db'), 'normal');
    const [last] = recordedEventsOf(
      [{ stream: 'bench-seed', type: 'Seeded', accountId, data: {} }],
      head + 2 * renders,
    );
    database.run(
      'INSERT INTO events (position, stream, revision, id, type, version, data, metadata) VALUES (?, ?, 0, ?, ?, 1, ?, ?)',
      last!.position,
      last!.stream,
      last!.id,
      last!.type,
      '{}',
      JSON.stringify(last!.metadata),
    );
    database.close();
  });
};

/** Sequential GET /usage over HTTP, for an account with many renders in the current month. */
export const usage = async (renders: number, requests: number): Promise<void> => {
  printHeading(`GET /usage, ${renders} renders in the month`);
  const installation = await openTestInstallation({ LOG_LEVEL: 'warn' });
  try {
    const { id: account } = await installation.runJsonCommand<Issued>(
      'account',
      'create',
      '--name',
      'bench',
      '--plan',
      'enterprise',
    );
    const { id: keyId, key } = await installation.runJsonCommand<Issued>(
      'key',
      'create',
      '--account',
      account,
      '--type',
      'live',
    );
    await seedRenders(installation, bareId('acc', account)!, bareId('key', keyId)!, renders);
    const service = await installation.start();
    const measureRequest = async (): Promise<number> => {
      const start = performance.now();
      const response = await fetch(`${service.url}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
      const { quota } = (await response.json()) as { quota: { used: number } };
      if (quota.used !== renders) throw new Error(`${quota.used} renders were counted instead of ${renders}`);
      return performance.now() - start;
    };
    const times: number[] = [];
    for (let request = 0; request < requests; request += 1) times.push(await measureRequest());
    const measured = times.slice(Math.floor(requests / 10));
    console.log(
      `  ${measured.length} requests, p50 ${quantile(measured, 0.5).toFixed(2)} ms, p99 ${quantile(measured, 0.99).toFixed(2)} ms`,
    );
    printTarget('GET /usage, median', quantile(measured, 0.5), 'at most', 5, ' ms');
    await service.stop('SIGTERM');
  } finally {
    await installation.remove();
  }
};
