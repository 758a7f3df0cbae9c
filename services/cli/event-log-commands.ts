import type { CliCommand } from './cli-command.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, streams } from '#contracts/names.ts';
import { eventView } from '#application/audit/event-view.ts';
import { completedRenderOf } from '#application/renders/completed-render.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { projections } from '#libs/projections/all.ts';
import { describeOlderEventLog, rebuildFromOlderEventLog } from '#libs/projections/older-event-log.ts';
import { rebuildReadModel } from '#libs/projections/rebuild.ts';
import { RebuildSuperseded } from '#libs/read-store/port.ts';
import { withEngines, UsageError } from '../process/command-context.ts';
import { wantsJson } from './arguments.ts';
import { print, writeOutput } from './output.ts';

const onOlderEventLog = { olderEventLog: 'allowed' } as const;

const exampleId = '01K6ZC5B8Q4XJ0N9T2V7RWHE3M';

/** With `isRaw`, the data is that of the event log. */
const formatEvent = (event: RecordedEvent, isRaw: boolean): string => {
  const { type, revision, time, actor, data } = eventView(event);
  const actorText = actor.kind === 'key' ? actor.id : actor.kind === 'person' ? (actor.id ?? actor.name) : actor.name;
  return (
    `${time}  ${type}  revision ${revision}, position ${event.position}, by ${actor.kind} ${actorText}\n` +
    `  ${JSON.stringify(isRaw ? event.data : data)}`
  );
};

/** The streams of a resource by the prefix of its id in the API. */
const streamsByPrefix = {
  render: [streams.render],
  job: [streams.render, streams.delivery],
  tpl: [streams.template],
  acc: [streams.account],
  key: [streams.apiKey],
} as const;
const prefixes = Object.keys(streamsByPrefix) as (keyof typeof streamsByPrefix)[];

/** The streams of `render_<id>` and other ids of the API; a stream name is returned unchanged. */
const streamsOf = (idOrStream: string): string[] => {
  for (const prefix of prefixes) {
    const id = bareId(prefix, idOrStream);
    if (id !== undefined) return streamsByPrefix[prefix].map((streamOf) => streamOf(id));
  }
  return [idOrStream];
};

const showEvents = (idOrStream: string, isRaw: boolean, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { store } }) => {
    const read = await Promise.all(streamsOf(idOrStream).map((stream) => store.read(stream)));
    const events = read.flat().toSorted((a, b) => a.position - b.position);
    if (events.length === 0)
      throw new UsageError(
        `There are no events of ${idOrStream}. Pass an id of the API, such as ` +
          `${prefixes.map((prefix) => `${prefix}_<id>`).join(', ')}, or the name of a stream, such as render-<id>.`,
      );
    print(json, isRaw ? events : events.map(eventView), events.map((event) => formatEvent(event, isRaw)).join('\n'));
  }, onOlderEventLog);

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
  }, onOlderEventLog);

type LoadedPage = NonNullable<EventData['RenderCompleted']['page']>;

const describePage = (page: LoadedPage | undefined): string =>
  page ? `${page.url} (status ${page.status})` : 'not recorded';

const pageNote = (same: boolean, recorded: LoadedPage | undefined, now: LoadedPage | undefined): string =>
  `recorded page ${describePage(recorded)}\npage now      ${describePage(now)}` +
  (same ? '' : '\nThe page was loaded again, and pages change. Other bytes do not mean damage.');

type VerifyOptions = { output?: string };

const runVerify = (prefixedId: string, { output }: VerifyOptions, json: boolean): Promise<void> =>
  withEngines(async ({ settings, engines }) => {
    const id = bareId('render', prefixedId) ?? bareId('job', prefixedId);
    const events = id ? await engines.store.read(streams.render(id)) : [];
    const recorded = completedRenderOf(events);
    if (!recorded)
      throw new UsageError(
        events.length === 0
          ? `There is no render ${prefixedId}.`
          : `${prefixedId} has no PDF to compare: it did not complete.`,
      );
    const { requested, completed } = recorded;
    const [{ loadInstallationSecrets }, { createLogger }, { openRenderDependencies }, { renderAgain }] =
      await Promise.all([
        import('#libs/secrets/secret-file.ts'),
        import('#libs/telemetry/logger.ts'),
        import('../process/render-dependencies.ts'),
        import('#application/renders/render-again.ts'),
      ]);
    const opened = await openRenderDependencies(
      settings,
      engines.blobs,
      createLogger({ ...settings, logLevel: 'silent' }),
    );
    const dependencies = {
      ...opened,
      // Only a PDF with passwords needs them.
      get secrets() {
        return loadInstallationSecrets(settings);
      },
    };
    try {
      const page = requested.source.mode === 'CONVERT' ? requested.source.page : undefined;
      const { rendered, sha256, thumbnail, isSame, isSameThumbnail } = await renderAgain(dependencies, recorded).catch(
        (error: unknown) => {
          // Such as a page that is gone, or passwords whose secret is gone. Neither is an error of the service.
          throw error instanceof ApiError ? new UsageError(`${prefixedId}: ${error.message}`) : error;
        },
      );
      if (output !== undefined) await writeOutput(output, rendered.pdf);
      const same = isSame && isSameThumbnail;
      const result = {
        id: prefixedId,
        same,
        recorded_sha256: completed.pdf.sha256,
        sha256,
        ...(thumbnail
          ? { recorded_thumbnail_sha256: completed.thumbnail?.sha256 ?? null, thumbnail_sha256: thumbnail.sha256 }
          : {}),
        recorded_engine: completed.engine,
        engine: rendered.engine,
        ...(page ? { recorded_page: completed.page, page: rendered.page } : {}),
      };
      const engines =
        completed.engine === rendered.engine
          ? `by the same program (${rendered.engine})`
          : `first by ${completed.engine}, now by ${rendered.engine}`;
      print(
        json,
        result,
        (output === undefined ? '' : `The PDF is in ${output}.\n`) +
          `${prefixedId}: rendered again, ${resultNote(isSame, isSameThumbnail)}, ${engines}.\n` +
          `recorded ${completed.pdf.sha256}\nnow      ${sha256}` +
          (page ? `\n${pageNote(same, completed.page, rendered.page)}` : ''),
      );
      if (!same && !page) process.exitCode = 1;
    } finally {
      await dependencies.close();
    }
  }, onOlderEventLog);

const resultNote = (isSame: boolean, isSameThumbnail: boolean): string => {
  if (!isSame) return 'NOT the same bytes';
  return isSameThumbnail ? 'the same bytes' : 'the same bytes, but NOT the same thumbnail';
};

/** `colophon events`, `rebuild`, `verify` */
export const addEventLogCommands = (program: CliCommand): void => {
  program
    .command('events')
    .argument('<id>', 'an id of the API, such as render_<id>, or the name of a stream, such as render-<id>')
    .description('show the events of a render, job, template, account or key as the API does, oldest first')
    .option('--raw', 'show the events as they are in the event log')
    .examples(`events render_${exampleId}`, `events job_${exampleId} --json`)
    .action((idOrStream: string, { raw = false }: { raw?: boolean }, command: CliCommand) =>
      showEvents(idOrStream, raw, wantsJson(command)),
    );
  program
    .command('rebuild [model]')
    .description(
      'rebuild one read model, or all, from the event log; the current one serves until the new one has caught up',
    )
    .examples('rebuild', 'rebuild renders')
    .action((model: string | undefined, _: unknown, command: CliCommand) => runRebuild(model, wantsJson(command)));
  program
    .command('verify <render_id>')
    .description(
      'render a PDF again and compare it with the recorded hash; exit code 1 if it differs, ' +
        'except for web pages, which can change',
    )
    .option('-o, --output <file>', 'write the new PDF to this file')
    .examples(`verify render_${exampleId}`, `verify render_${exampleId} --output invoice.pdf`)
    .action((id: string, options: VerifyOptions, command: CliCommand) => runVerify(id, options, wantsJson(command)));
};
