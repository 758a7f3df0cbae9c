import { accessSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '#contracts/events/metadata.ts';
import { storedPathsOf, restrictPermissions } from '#libs/engines/file-permissions.ts';
import { type Engines, type EngineUrls, openEngines } from '#libs/engines/engine-factory.ts';
import { databaseFilesOf } from '#libs/engines/engine-selection.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { enginesWithInstallationId } from '#application/installation/engines-with-installation-id.ts';
import { ensureInstallationIds } from '#application/installation/installation-ids.ts';
import { ensureInstallationSecret } from '#application/installation/secret.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { projections } from '#libs/projections/all.ts';
import { describeOlderEventLog } from '#libs/projections/older-event-log.ts';
import { cacheMs, waitForCacheExpiry } from '#libs/concurrency/read-cache.ts';
import { loadSettings, type Settings } from '#libs/config/settings.ts';
import { machineUser } from './machine-user.ts';

/** The command cannot run; the message tells the user what to change. */
export class UsageError extends Error {}

export type CommandContext = { settings: Settings; engines: Engines; eventLog: EventLog; actor: Actor };

/** The user of the machine who runs the command. */
const currentPerson = (): Actor => ({ kind: 'person', name: machineUser() });

const defaultEngineTimeoutMs = 15_000;
const waitNoticeDelayMs = 2_000;

/** Waits until all engines are connected. @throws UsageError with what is missing after `engineTimeoutMs` milliseconds */
export const waitForEngines = async (
  { missing }: Pick<Engines, 'missing'>,
  engineTimeoutMs = defaultEngineTimeoutMs,
): Promise<void> => {
  const startedAt = performance.now();
  let isNoticeShown = false;
  while (missing().length > 0) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > engineTimeoutMs) throw new UsageError(missing().join('\n'));
    if (!isNoticeShown && waitedMs > waitNoticeDelayMs) {
      isNoticeShown = true;
      process.stderr.write(`Waiting for up to ${engineTimeoutMs / 1000} s: ${missing().join(' ')}\n`);
    }
    await sleep(20);
  }
};

/**
 * Changes accounts or keys, then waits until the caches of all API processes have expired, so that the change is
 * in effect when the command reports it.
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

const exists = (file: string): boolean => {
  try {
    accessSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
};

/** An embedded event log must exist. @throws UsageError if it does not; the error of the system if it is not accessible */
export const requireEventLog = (urls: EngineUrls): void => {
  const { eventLog } = databaseFilesOf(urls);
  if (eventLog === null || exists(eventLog)) return;
  throw new UsageError(
    `There is no event log ${eventLog}. Set COLOPHON_DATA_DIR and EVENT_STORE_URL as for the service. ` +
      '"colophon start" and "colophon account create" create an event log.',
  );
};

type CommandOptions = {
  /** Whether a command that finds no embedded event log creates an installation. */
  missingEventLog?: 'refused' | 'created';
  /** Whether it can run on an event log that is older than the read models, which would never show what it appends. */
  olderEventLog?: 'refused' | 'allowed';
  settings?: Settings;
  /** How long the command waits until all engines are connected, in milliseconds. Default: 15 s. */
  engineTimeoutMs?: number;
};

/**
 * Runs a command on the configured engines without checking their installation.
 * @throws UsageError when there is no event log, unless it is created
 */
export const withUncheckedEngines = async <T>(
  work: (context: CommandContext) => Promise<T>,
  { missingEventLog = 'refused', settings = loadSettings(process.env), engineTimeoutMs }: CommandOptions = {},
): Promise<T> => {
  if (missingEventLog === 'refused') requireEventLog(settings);
  restrictPermissions(storedPathsOf(settings, settings.secret === undefined));
  const engines = await openEngines(settings);
  try {
    await waitForEngines(engines, engineTimeoutMs);
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
 * Runs a command on the engines of one installation, and brings the read models up to date before and after it.
 * @throws SettingsError when engines or secret belong to another installation
 * @throws UsageError when there is no event log, or it is older than the read models, unless the options say otherwise
 */
export const withEngines = <T>(
  work: (context: CommandContext) => Promise<T>,
  options: CommandOptions = {},
): Promise<T> =>
  withUncheckedEngines(async (context) => {
    const { engines, eventLog, actor } = context;
    const { store, reads } = engines;
    await ensureInstallationIds(
      await ensureInstallationSecret(eventLog, context.settings, actor),
      enginesWithInstallationId(engines, context.settings),
      actor,
    );
    const problem = options.olderEventLog === 'allowed' ? null : await describeOlderEventLog(engines);
    if (problem !== null) throw new UsageError(problem);
    await catchUp(store, reads, projections);
    const result = await work(context);
    await catchUp(store, reads, projections);
    return result;
  }, options);
