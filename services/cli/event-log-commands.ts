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
import { print } from './output.ts';

const formatEvent = ({ position, revision, type, data, metadata }: RecordedEvent): string =>
  `${metadata.occurredAt}  ${type}  revision ${revision}, position ${position}, by ${metadata.actor.kind} ${'id' in metadata.actor ? metadata.actor.id : metadata.actor.name}\n  ${JSON.stringify(data)}`;

const showEvents = (stream: string, json: boolean): Promise<void> =>
  withEngines(async ({ engines }) => {
    const events = await engines.store.read(stream);
    if (events.length === 0)
      throw new UsageError(
        `There are no events in ${stream}. Streams are called account-<id>, apiKey-<id>, render-<id>, with the id as it stands after the first underscore elsewhere.`,
      );
    print(json, events, events.map(formatEvent).join('\n'));
  }, 'allowed');

/** Another rebuild is no fault of this one. */
const throwAsUsageError = (error: unknown): never => {
  throw error instanceof RebuildSuperseded ? new UsageError(`${error.message}.`) : error;
};

const runRebuild = (model: string | undefined, json: boolean): Promise<void> =>
  withEngines(async ({ engines }) => {
    const { store, reads } = engines;
    const chosen = projections.filter((one) => model === undefined || one.model === model);
    if (chosen.length === 0)
      throw new UsageError(
        `There is no read model ${model}. There are: ${projections.map((one) => one.model).join(', ')}.`,
      );
    const wrong = await describeOlderEventLog(engines);
    if (wrong !== null && model !== undefined)
      throw new UsageError(`${wrong} Name no model: all of them have to be rebuilt.`);
    if (wrong !== null) await rebuildFromOlderEventLog(engines);
    else for (const one of chosen) await rebuildReadModel(store, reads, one).catch(throwAsUsageError);
    await reads.dropUnusedGenerations();
    const rebuilt = chosen.map((one) => one.model);
    const besides = wrong === null ? '' : ' The event log was older than they were: the relay goes on from its end.';
    print(json, { rebuilt, older_log: wrong !== null }, `Rebuilt from the log: ${rebuilt.join(', ')}.${besides}`);
  }, 'allowed');

const runVerify = (prefixed: string, json: boolean): Promise<void> =>
  withEngines(async ({ settings, engines }) => {
    const id = bareId('render', prefixed) ?? bareId('job', prefixed);
    const events = id ? await engines.store.read(streams.render(id)) : [];
    const completed = events.find((event) => event.type === 'RenderCompleted')?.data;
    const requested = events.find((event) => event.type === 'RenderRequested');
    if (!completed || !requested)
      throw new UsageError(
        events.length === 0
          ? `There is no render ${prefixed}.`
          : `${prefixed} has no PDF that could be compared: it did not complete.`,
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
      const again = await renderPdf(dependencies, requested.data, new Date(requested.metadata.occurredAt));
      const sha256 = createHash('sha256').update(again.pdf).digest('hex');
      const same = sha256 === completed.pdf.sha256;
      const result = {
        id: prefixed,
        same,
        recorded_sha256: completed.pdf.sha256,
        sha256,
        recorded_engine: completed.browserVersion,
        engine: again.engine,
      };
      const engines_ =
        completed.browserVersion === again.engine
          ? `on the same engine (${again.engine})`
          : `made then by ${completed.browserVersion}, now by ${again.engine}`;
      print(
        json,
        result,
        `${prefixed}: rendered again, ${same ? 'the same bytes' : 'NOT the same bytes'}, ${engines_}.\nrecorded ${completed.pdf.sha256}\nnow      ${sha256}`,
      );
      if (!same) process.exitCode = 1;
    } finally {
      await dependencies.close();
    }
  }, 'allowed');

const wantsJsonOutput = (command: Command): boolean => command.optsWithGlobals().json === true;

/** `colophon events`, `rebuild`, `verify` */
export const addEventLogCommands = (program: Command): void => {
  program
    .command('events <stream>')
    .description('the events of a stream, oldest first, such as render-<id>')
    .action((stream: string, _: unknown, command: Command) => showEvents(stream, wantsJsonOutput(command)));
  program
    .command('rebuild [model]')
    .description(
      'build one read model, or all, from the log again, beside what serves, which it replaces when it is as far',
    )
    .action((model: string | undefined, _: unknown, command: Command) => runRebuild(model, wantsJsonOutput(command)));
  program
    .command('verify <render_id>')
    .description('make a PDF again from the log and compare it with what was recorded; exit code 1 when it differs')
    .action((id: string, _: unknown, command: Command) => runVerify(id, wantsJsonOutput(command)));
};
