import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { bareId, streams } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { projections } from '#libs/projections/all.ts';
import { describeOlderEventLog, rebuildFromOlderEventLog } from '#libs/projections/older-event-log.ts';
import { rebuildReadModel } from '#libs/projections/rebuild.ts';
import { RebuildSuperseded } from '#libs/read-store/port.ts';
import { createLogger } from '#libs/telemetry/logger.ts';
import { withEngines, UsageError } from '../process/command-context.ts';
import { wantsJson } from './arguments.ts';
import { print } from './output.ts';

const formatEvent = ({ position, revision, type, data, metadata }: RecordedEvent): string =>
  `${metadata.occurredAt}  ${type}  revision ${revision}, position ${position}, by ${metadata.actor.kind} ` +
  `${'id' in metadata.actor ? metadata.actor.id : metadata.actor.name}\n  ${JSON.stringify(data)}`;

const showEvents = (stream: string, json: boolean): Promise<void> =>
  withEngines(async ({ engines }) => {
    const events = await engines.store.read(stream);
    if (events.length === 0)
      throw new UsageError(
        `There are no events in ${stream}. Stream names are render-<id>, delivery-<id>, template-<id>, ` +
          'account-<id> and apiKey-<id>; the id is the part after the underscore of an API id such as render_<id>.',
      );
    print(json, events, events.map(formatEvent).join('\n'));
  }, 'allowed');

/** Another rebuild replaced this one: report that without a stack trace. */
const throwAsUsageError = (error: unknown): never => {
  throw error instanceof RebuildSuperseded ? new UsageError(`${error.message}.`) : error;
};

const runRebuild = (model: string | undefined, json: boolean): Promise<void> =>
  withEngines(async ({ engines }) => {
    const { store, reads } = engines;
    const chosen = projections.filter((projection) => model === undefined || projection.model === model);
    if (chosen.length === 0)
      throw new UsageError(
        `There is no read model ${model}. Read models: ${projections.map((projection) => projection.model).join(', ')}.`,
      );
    const olderEventLogProblem = await describeOlderEventLog(engines);
    if (olderEventLogProblem !== null && model !== undefined)
      throw new UsageError(
        `${olderEventLogProblem} Run "colophon rebuild" without a model, because all must be rebuilt.`,
      );
    if (olderEventLogProblem !== null) await rebuildFromOlderEventLog(engines);
    else for (const projection of chosen) await rebuildReadModel(store, reads, projection).catch(throwAsUsageError);
    await reads.dropUnusedGenerations();
    const rebuilt = chosen.map((projection) => projection.model);
    const note =
      olderEventLogProblem === null
        ? ''
        : ' The event log was older than the read models: the relay continues at the end of the event log.';
    print(
      json,
      { rebuilt, older_event_log: olderEventLogProblem !== null },
      `Rebuilt from the event log: ${rebuilt.join(', ')}.${note}`,
    );
  }, 'allowed');

const runVerify = (prefixedId: string, json: boolean): Promise<void> =>
  withEngines(async ({ settings, engines }) => {
    const id = bareId('render', prefixedId) ?? bareId('job', prefixedId);
    const events = id ? await engines.store.read(streams.render(id)) : [];
    const completed = events.find((event) => event.type === 'RenderCompleted')?.data;
    const requested = events.find((event) => event.type === 'RenderRequested');
    if (!completed || !requested)
      throw new UsageError(
        events.length === 0
          ? `There is no render ${prefixedId}.`
          : `${prefixedId} has no PDF to compare: it did not complete.`,
      );
    const [{ openRenderDependencies }, { renderPdf }] = await Promise.all([
      import('../process/render-dependencies.ts'),
      import('#application/renders/render-pdf.ts'),
    ]);
    const dependencies = await openRenderDependencies(
      settings,
      engines.blobs,
      createLogger({ ...settings, logLevel: 'silent' }),
    );
    try {
      const rendered = await renderPdf(dependencies, requested.data, new Date(requested.metadata.occurredAt));
      const sha256 = createHash('sha256').update(rendered.pdf).digest('hex');
      const same = sha256 === completed.pdf.sha256;
      const result = {
        id: prefixedId,
        same,
        recorded_sha256: completed.pdf.sha256,
        sha256,
        recorded_engine: completed.browserVersion,
        engine: rendered.browserVersion,
      };
      const browsers =
        completed.browserVersion === rendered.browserVersion
          ? `by the same browser (${rendered.browserVersion})`
          : `first by ${completed.browserVersion}, now by ${rendered.browserVersion}`;
      print(
        json,
        result,
        `${prefixedId}: rendered again, ${same ? 'the same bytes' : 'NOT the same bytes'}, ${browsers}.\n` +
          `recorded ${completed.pdf.sha256}\nnow      ${sha256}`,
      );
      if (!same) process.exitCode = 1;
    } finally {
      await dependencies.close();
    }
  }, 'allowed');

/** `colophon events`, `rebuild`, `verify` */
export const addEventLogCommands = (program: Command): void => {
  program
    .command('events <stream>')
    .description('show the events of a stream such as render-<id>, oldest first')
    .action((stream: string, _: unknown, command: Command) => showEvents(stream, wantsJson(command)));
  program
    .command('rebuild [model]')
    .description(
      'rebuild one read model, or all, from the event log; the current one serves until the new one has caught up',
    )
    .action((model: string | undefined, _: unknown, command: Command) => runRebuild(model, wantsJson(command)));
  program
    .command('verify <render_id>')
    .description('render a PDF again and compare it with the recorded hash; exit code 1 if it differs')
    .action((id: string, _: unknown, command: Command) => runVerify(id, wantsJson(command)));
};
