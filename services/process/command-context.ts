import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '#contracts/events/metadata.ts';
import { pathsOf, restrictPermissions } from '#libs/engines/file-permissions.ts';
import { type Engines, openEngines } from '#libs/engines/open.ts';
import type { Log } from '#application/handling/handle.ts';
import { markedEngines } from '#application/installation/marked-engines.ts';
import { settleMarks } from '#application/installation/marks.ts';
import { settleSecret } from '#application/installation/secret.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { projections } from '#libs/projections/all.ts';
import { olderLog } from '#libs/projections/older-log.ts';
import { knownForMs, notKnownAnyMore } from '#libs/read-store/known.ts';
import { loadSettings, type Settings } from '#libs/config/settings.ts';

/** The command cannot be done, and its user can change that. */
export class UsageError extends Error {}

export type Context = { settings: Settings; engines: Engines; log: Log; actor: Actor };

/** The person who gave the command, as the machine knows them. */
const person = (): Actor => ({ kind: 'person', name: userInfo().username });

const longestWaitMs = 15_000;
const silentWaitMs = 2_000;

/** Engines that are servers connect in their own time. @throws UsageError with what they lack */
export const present = async ({ missing }: Pick<Engines, 'missing'>): Promise<void> => {
  const begun = performance.now();
  let told = false;
  while (missing().length > 0) {
    const waitedMs = performance.now() - begun;
    if (waitedMs > longestWaitMs) throw new UsageError(missing().join('\n'));
    if (!told && waitedMs > silentWaitMs) {
      told = true;
      process.stderr.write(`Waiting for up to ${longestWaitMs / 1000} s: ${missing().join(' ')}\n`);
    }
    await sleep(20);
  }
};

/**
 * Changes something about callers. An API may know a caller as it was for a moment, so this answers only when none does
 * any more: what a command says of the change is true then.
 */
export const changeCallers = async <T>({ store, reads }: Pick<Engines, 'store' | 'reads'>, change: () => Promise<T>): Promise<T> => {
  const changed = await change();
  await catchUp(store, reads, projections);
  await notKnownAnyMore(knownForMs);
  return changed;
};

/** Whether a command may run on an event log that is older than what was built from it: what it appended there would never be seen. */
type OlderLog = 'refused' | 'allowed';

/** Runs a command against the engines of the settings, whichever installation they belong to. */
export const withAnyEngines = async <T>(work: (context: Context) => Promise<T>): Promise<T> => {
  const settings = loadSettings(process.env);
  restrictPermissions(pathsOf(settings, settings.secret === undefined));
  const engines = await openEngines(settings);
  try {
    await present(engines);
    return await work({ settings, engines, log: { store: engines.store, now: () => new Date() }, actor: person() });
  } finally {
    await engines.close();
  }
};

/**
 * Runs a command against the engines of one installation, with read models that show all that is in the log before and after it.
 * @throws SettingsError where engines or secret are another installation's, UsageError where the log is older than the read models are
 */
export const withEngines = <T>(work: (context: Context) => Promise<T>, older: OlderLog = 'refused'): Promise<T> =>
  withAnyEngines(async (context) => {
    const { settings, engines, log, actor } = context;
    const { store, reads } = engines;
    await settleMarks(await settleSecret(log, settings, actor), markedEngines(engines, settings), actor);
    const wrong = older === 'refused' ? await olderLog(engines) : null;
    if (wrong !== null) throw new UsageError(wrong);
    await catchUp(store, reads, projections);
    const result = await work(context);
    await catchUp(store, reads, projections);
    return result;
  });
