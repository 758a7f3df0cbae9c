import { existsSync } from 'node:fs';
import type { CliCommand } from './cli-command.ts';
import { findSecretProblem } from '#application/installation/secret.ts';
import { describeSettings, loadSettings, type Settings, SettingsError } from '#libs/config/settings.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { type EngineFactory, createEngineFactory } from '#libs/engines/engine-factory.ts';
import { databaseFilesOf } from '#libs/engines/engine-selection.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import {
  type BlobProblem,
  blobsOfManifests,
  checkBlobs,
  createReferencedBlobs,
} from '#libs/integrity/referenced-blobs.ts';
import { checkEventLog } from '#libs/integrity/check-event-log.ts';
import { describeOlderEventLog } from '#libs/projections/older-event-log.ts';
import { checkIntegrity } from '#libs/sqlite/damage.ts';
import { requireEventLog, waitForEngines, UsageError } from '../process/command-context.ts';
import { wantsJson } from './arguments.ts';
import { print } from './output.ts';

/** `colophon config` */
export const addConfigCommand = (program: CliCommand): void => {
  program
    .command('config')
    .description(
      'show every setting: its value, the source of the value, and its description; exit code 1 if a value is not allowed',
    )
    .examples('config', 'config --json')
    .action((_: unknown, command: CliCommand) => {
      const descriptions = describeSettings(process.env);
      const text = descriptions
        .map(
          ({ variable, value, source, allowedValues, description }) =>
            `${variable}=${value ?? ''}  (${source})\n  ${description} Allowed: ${allowedValues}.`,
        )
        .join('\n');
      const json = descriptions.map(({ allowedValues, ...rest }) => ({ ...rest, allowed_values: allowedValues }));
      print(wantsJson(command), json, text);
      const problem = settingsProblem();
      if (problem === null) return;
      process.stderr.write(`A start would refuse these settings:\n${problem}\n`);
      process.exitCode = 1;
    });
};

/** Why a start would refuse the settings; null if it would not. */
const settingsProblem = (): string | null => {
  try {
    loadSettings(process.env);
    return null;
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
};

type DatabaseChecks = { file: string; problems: string[] }[];
/** With null for what is unknown, because the check ended early. */
type ContentChecks = {
  secret: { problems: string[] } | null;
  eventLog: { events: number | null; problems: string[] };
  blobs: { checked: number; problems: BlobProblem[] } | null;
};

const eventLogCheckOptions = (store: object) => ({
  positions: isRemoteEngine(store) ? ('any' as const) : ('contiguous' as const),
});

/** The reason that a secret cannot be read is a problem of the secret. */
const secretProblems = async (store: EventStore, settings: Settings): Promise<string[]> => {
  try {
    const problem = await findSecretProblem({ store, now: () => new Date() }, settings);
    return problem === null ? [] : [problem];
  } catch (error) {
    return [(error as Error).message];
  }
};

const checkContents = async (
  engines: EngineFactory,
  settings: Settings,
  hasReadModels: boolean,
): Promise<ContentChecks> => {
  const [store, blobs, reads] = await Promise.all([
    engines.store(),
    engines.blobs(),
    hasReadModels ? engines.reads() : null,
  ]);
  await waitForEngines({ missing: () => engines.serversMissing() });
  const referenced = createReferencedBlobs();
  const result = await checkEventLog(store, eventLogCheckOptions(store), (event) => referenced.addEvent(event));
  const ofParts = await blobsOfManifests(blobs, referenced.manifests());
  const hashes = () => {
    const { required, optional } = referenced.hashesAt(new Date());
    return { required: required.union(ofParts), optional };
  };
  const { checked, problems } = await checkBlobs(blobs, hashes());
  // A running service can have erased some in the meantime.
  if (problems.length > 0)
    await checkEventLog(store, eventLogCheckOptions(store), (event) => referenced.addEvent(event), result.endPosition);
  const older = reads && (await describeOlderEventLog({ store, reads }));
  const current = hashes();
  const currentHashes = current.required.union(current.optional);
  // A damaged event log cannot say which secret it needs.
  const secret = result.problems.length > 0 ? null : { problems: await secretProblems(store, settings) };
  return {
    secret,
    eventLog: { events: result.eventCount, problems: [...result.problems, ...(older === null ? [] : [older])] },
    blobs: { checked, problems: problems.filter(({ sha256 }) => currentHashes.has(sha256)) },
  };
};

const checkContentsOrReport = async (
  engines: EngineFactory,
  settings: Settings,
  hasReadModels: boolean,
): Promise<ContentChecks> => {
  try {
    return await checkContents(engines, settings, hasReadModels);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return {
      secret: null,
      eventLog: { events: null, problems: [`The check ended early: ${(error as Error).message}`] },
      blobs: null,
    };
  } finally {
    await engines.close();
  }
};

const countOf = (events: number | null): string => (events === null ? 'not read to its end' : `${events} events`);

const formatReport = (databases: DatabaseChecks, { secret, eventLog, blobs }: ContentChecks): string[] => [
  ...databases.flatMap(({ file, problems }) =>
    problems.length === 0 ? `ok       ${file}` : problems.map((problem) => `DAMAGED  ${file}: ${problem}`),
  ),
  `${eventLog.problems.length === 0 ? 'ok     ' : 'DAMAGED'}  event log: ${countOf(eventLog.events)}`,
  ...eventLog.problems.map((problem) => `         ${problem}`),
  ...(blobs === null
    ? ['unknown  blobs: not checked, because the check ended early']
    : [
        `${blobs.problems.length === 0 ? 'ok     ' : 'DAMAGED'}  blobs: ${blobs.checked} that the event log refers to`,
        ...blobs.problems.map(({ sha256, problem }) => `         ${sha256} ${problem}`),
      ]),
  secret === null
    ? 'unknown  secret: not checked, because the event log is damaged or could not be read'
    : `${secret.problems.length === 0 ? 'ok     ' : 'DAMAGED'}  secret: ${secret.problems[0] ?? 'the one of this installation'}`,
];

const runCheck = async (json: boolean): Promise<void> => {
  const settings = loadSettings(process.env);
  requireEventLog(settings);
  const files = databaseFilesOf(settings);
  const databases = Object.values(files).flatMap((file) =>
    file !== null && existsSync(file) ? { file, problems: checkIntegrity(file) } : [],
  );
  // Damaged read models are not opened: that would set their file aside.
  const hasReadModels =
    files.readModels === null ||
    databases.some(({ file, problems }) => file === files.readModels && problems.length === 0);
  const contents = await checkContentsOrReport(createEngineFactory(settings), settings, hasReadModels);
  const ok =
    contents.blobs !== null &&
    contents.secret !== null &&
    [...databases, contents.eventLog, contents.blobs, contents.secret].every(({ problems }) => problems.length === 0);
  print(
    json,
    { ok, databases, event_log: contents.eventLog, blobs: contents.blobs, secret: contents.secret },
    formatReport(databases, contents).join('\n'),
  );
  if (!ok) process.exitCode = 1;
};

/** `colophon check` */
export const addCheckCommand = (program: CliCommand): void => {
  program
    .command('check')
    .description(
      'check all stored data: every database file, every event, every blob that the event log refers to, the secret; ' +
        'exit code 1 if something is damaged or missing',
    )
    .examples('check', 'check --json')
    .action((_: unknown, command: CliCommand) => runCheck(wantsJson(command)));
};
