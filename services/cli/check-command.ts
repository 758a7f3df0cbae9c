import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { describeSettings, loadSettings } from '#libs/config/settings.ts';
import { isRemote } from '#libs/engines/remote.ts';
import { type EngineShelf, openShelf } from '#libs/engines/open.ts';
import { filesOf } from '#libs/engines/pick.ts';
import { type BlobProblem, checkBlobs, openPromisedBlobs } from '#libs/integrity/promised-blobs.ts';
import { checkLog } from '#libs/integrity/check-log.ts';
import { integrityOf } from '#libs/sqlite/damage.ts';
import { present, UsageError } from '../process/command-context.ts';
import { wantsJson } from './arguments.ts';
import { print } from './output.ts';

/** `colophon config` */
export const addConfigCommand = (program: Command): void => {
  program
    .command('config')
    .description('every setting: its value now, where it comes from, and what it is for')
    .action((_: unknown, command: Command) => {
      const lines = describeSettings(process.env);
      const text = lines.map(({ variable, value, from, allowed, about }) => `${variable}=${value ?? ''}  (${from})\n  ${about} Allowed: ${allowed}.`).join('\n');
      print(command.optsWithGlobals().json === true, lines, text);
    });
};

type Databases = { file: string; problems: string[] }[];
type Contents = { log: { events: number; problems: string[] }; /** Null if the check ended early, so that no blob was checked. */ blobs: { checked: number; problems: BlobProblem[] } | null };

const isWithout = (store: object) => ({ positions: isRemote(store) ? ('any' as const) : ('without gaps' as const) });

const checkContents = async (shelf: EngineShelf): Promise<Contents> => {
  const [store, blobs] = await Promise.all([shelf.store(), shelf.blobs()]);
  await present({ missing: () => shelf.serversMissing() });
  const promised = openPromisedBlobs();
  const log = await checkLog(store, isWithout(store), (event) => promised.add(event));
  const { checked, problems } = await checkBlobs(blobs, promised.at(new Date()));
  // A service that runs may have erased some meanwhile.
  if (problems.length > 0) await checkLog(store, isWithout(store), (event) => promised.add(event), log.end);
  const still = promised.at(new Date());
  return { log: { events: log.events, problems: log.problems }, blobs: { checked, problems: problems.filter(({ sha256 }) => still.has(sha256)) } };
};

const contentsOf = async (shelf: EngineShelf): Promise<Contents> => {
  try {
    return await checkContents(shelf);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return { log: { events: 0, problems: [`The check ended early: ${(error as Error).message}`] }, blobs: null };
  } finally {
    await shelf.close();
  }
};

const linesOf = (databases: Databases, { log, blobs }: Contents): string[] => [
  ...databases.flatMap(({ file, problems }) => (problems.length === 0 ? `sound    ${file}` : problems.map((problem) => `DAMAGED  ${file}: ${problem}`))),
  `${log.problems.length === 0 ? 'sound  ' : 'DAMAGED'}  event log: ${log.events} events`,
  ...log.problems.map((problem) => `         ${problem}`),
  ...(blobs === null
    ? ['unknown  blobs: not checked, because the check ended early']
    : [`${blobs.problems.length === 0 ? 'sound  ' : 'DAMAGED'}  blobs: ${blobs.checked} that the event log names`, ...blobs.problems.map(({ sha256, problem }) => `         ${sha256} ${problem}`)]),
];

const check = async (json: boolean): Promise<void> => {
  const settings = loadSettings(process.env);
  const files = filesOf(settings);
  if (files.log !== null && !existsSync(files.log)) throw new UsageError(`There is no event log ${files.log}. Look at COLOPHON_DATA_DIR and EVENT_STORE_URL.`);
  const databases = Object.values(files).flatMap((file) => (file !== null && existsSync(file) ? { file, problems: integrityOf(file) } : []));
  const contents = await contentsOf(openShelf(settings));
  const ok = contents.blobs !== null && [...databases, contents.log, contents.blobs].every(({ problems }) => problems.length === 0);
  print(json, { ok, databases, ...contents }, linesOf(databases, contents).join('\n'));
  if (!ok) process.exitCode = 1;
};

/** `colophon check` */
export const addCheckCommand = (program: Command): void => {
  program
    .command('check')
    .description('check all stored data: every database file, every event of the log, every blob that the log names; exit code 1 if something is damaged or missing')
    .action((_: unknown, command: Command) => check(wantsJson(command)));
};
