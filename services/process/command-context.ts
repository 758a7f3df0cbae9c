import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '#contracts/events/metadata.ts';
import { storedPathsOf, restrictPermissions } from '#libs/engines/file-permissions.ts';
import { type Engines, openEngines } from '#libs/engines/engine-factory.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { enginesWithInstallationId } from '#application/installation/engines-with-installation-id.ts';
import { ensureInstallationIds } from '#application/installation/installation-ids.ts';
import { ensureInstallationSecret } from '#application/installation/secret.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { projections } from '#libs/projections/all.ts';
import { describeOlderEventLog } from '#libs/projections/older-event-log.ts';
import { cacheMs, waitForCacheExpiry } from '#libs/read-store/read-cache.ts';
import { loadSettings, type Settings } from '#libs/config/settings.ts';

/** The command cannot be done, and its user can change that. */
export class UsageError extends Error {}

export type CommandContext = { settings: Settings; engines: Engines; eventLog: EventLog; actor: Actor };

/** The person who gave the command, as the machine knows them. */
const currentPerson = (): Actor => ({ kind: 'person', name: userInfo().username });

const engineTimeoutMs = 15_000;
const waitNoticeDelayMs = 2_000;

/** Engines that are servers connect in their own time. @throws UsageError with what they lack */
export const waitForEngines = async ({ missing }: Pick<Engines, 'missing'>): Promise<void> => {
  const begun = performance.now();
  let told = false;
  while (missing().length > 0) {
    const waitedMs = performance.now() - begun;
    if (waitedMs > engineTimeoutMs) throw new UsageError(missing().join('\n'));
    if (!told && waitedMs > waitNoticeDelayMs) {
      told = true;
      process.stderr.write(`Waiting for up to ${engineTimeoutMs / 1000} s: ${missing().join(' ')}\n`);
    }
    await sleep(20);
  }
};

/**
 * Changes something about callers. An API may know a caller as it was for a moment, so this answers only when none does
 * any more: what a command says of the change is true then.
 */
export const changeCallersAndWait = async <T>(
  { store, reads }: Pick<Engines, 'store' | 'reads'>,
  change: () => Promise<T>,
): Promise<T> => {
  const changed = await change();
  await catchUp(store, reads, projections);
  await waitForCacheExpiry(cacheMs);
  return changed;
};

/** Whether a command may run on an event log that is older than what was built from it: what it appended there would never be seen. */
type OlderEventLogPolicy = 'refused' | 'allowed';

/** Runs a command against the engines of the settings, whichever installation they belong to. */
export const withUncheckedEngines = async <T>(
  work: (context: CommandContext) => Promise<T>,
  settings: Settings = loadSettings(process.env),
): Promise<T> => {
  restrictPermissions(storedPathsOf(settings, settings.secret === undefined));
  const engines = await openEngines(settings);
  try {
    await waitForEngines(engines);
    return await work({
      settings,
      engines,
      eventLog: { store: engines.store, now: () => new Date() },
      actor: currentPerson(),
    });
  } finally {
    await engines.close();
  }
};

/**
 * Runs a command against the engines of one installation, with read models that show all that is in the log before and after it.
 * @throws SettingsError where engines or secret are another installation's, UsageError where the log is older than the read models are
 */
export const withEngines = <T>(
  work: (context: CommandContext) => Promise<T>,
  older: OlderEventLogPolicy = 'refused',
  settings?: Settings,
): Promise<T> =>
  withUncheckedEngines(async (context) => {
    const { engines, eventLog, actor } = context;
    const { store, reads } = engines;
    await ensureInstallationIds(
      await ensureInstallationSecret(eventLog, context.settings, actor),
      enginesWithInstallationId(engines, context.settings),
      actor,
    );
    const wrong = older === 'refused' ? await describeOlderEventLog(engines) : null;
    if (wrong !== null) throw new UsageError(wrong);
    await catchUp(store, reads, projections);
    const result = await work(context);
    await catchUp(store, reads, projections);
    return result;
  }, settings);
