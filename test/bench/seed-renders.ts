import { join } from 'node:path';
import { ulid } from 'ulid';
import { streams } from '#contracts/names.ts';
import { projections } from '#libs/projections/all.ts';
import { openDatabase } from '#libs/sqlite/database.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { recordedEventsOf, projectEvents } from './seed.ts';

const chunk = 50_000;

/**
 * Fills the read models with renders of this month, and appends an event behind them to the event log. One of
 * `failedEvery` has failed; as a rule none has. The service must not run meanwhile.
 */
export const seedRenders = async (
  installation: Parameters<typeof withInstallationEngines>[0],
  accountId: string,
  keyId: string,
  renders: number,
  failedEvery = Infinity,
): Promise<void> => {
  const month = new Date().toISOString().slice(0, 8);
  const days = new Date().getUTCDate();
  const limits = { processingMs: 30_000, scriptMs: 5_000, maxPages: 100, maxImages: 50, maxPdfBytes: null };
  const source = { mode: 'CONVERT', inputType: 'html', input: { sha256: 'ab'.repeat(32), size: 100 } };
  const data = {
    accountId,
    keyId,
    keyType: 'live',
    source,
    options: {},
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
    engine: 'none',
    warnings: [],
  };
  const failed = {
    attempt: 1,
    error: { name: 'conversion_failed', message: 'The document could not be converted.', extra: {} },
    responseMode: 'wait',
    totalMs: 9,
    quotaRefundDate: null,
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
        const hasFailed = (done + index) % failedEvery === failedEvery - 1;
        return [
          { ...common, type: 'RenderRequested', data },
          hasFailed
            ? { ...common, type: 'RenderFailed', data: failed }
            : { ...common, type: 'RenderCompleted', data: completed },
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
