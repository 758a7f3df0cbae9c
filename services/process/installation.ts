import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError } from '#libs/config/settings.ts';
import { isServerFailure } from '#libs/engines/decorators.ts';
import { AddressError, isRemoteEngine } from '#libs/engines/remote.ts';
import { settingOf } from '#application/installation/engines-with-installation-id.ts';
import {
  type EngineWithInstallationId,
  type ConfiguredEngine,
  type InstallationEngineKind,
  ensureInstallationIds,
} from '#application/installation/installation-ids.ts';
import { ensureInstallationSecret } from '#application/installation/secret.ts';
import type { ProcessContext } from './process-context.ts';
import type { Role } from './running-role.ts';

/** What each role works with, beside the event log. */
const enginePartsByRole: Record<Role, readonly InstallationEngineKind[]> = {
  api: ['blobs', 'bus', 'read models'],
  renderer: ['blobs', 'bus'],
  delivery: ['blobs', 'bus', 'read models'],
  relay: ['bus', 'read models'],
  projector: ['read models'],
  sweeper: ['blobs', 'read models'],
};

const actor = { kind: 'service', name: 'start' } as const;
const retryIntervalMs = 500;

const openEnginesWithInstallationId = async ({
  roles,
  engines,
  settings,
}: ProcessContext): Promise<ConfiguredEngine[]> => {
  const openers: Record<InstallationEngineKind, () => Promise<object>> = {
    blobs: () => engines.blobs(),
    bus: () => engines.bus(),
    'read models': () => engines.reads(),
  };
  const parts = new Set(roles.flatMap((role) => enginePartsByRole[role]));
  const opened = await Promise.all(
    [...parts].map(async (kind) => ({ kind, setting: settingOf(kind, settings), engine: await openers[kind]() })),
  );
  return opened.flatMap(({ engine, ...one }) =>
    'installationId' in engine ? [{ ...one, engine: engine as EngineWithInstallationId }] : [],
  );
};

/** Whether an engine may have been away, so that it is worth asking again. */
const isTransient = (error: unknown, engines: readonly object[]): boolean =>
  !(error instanceof SettingsError || error instanceof AddressError) &&
  isServerFailure(error) &&
  engines.some(isRemoteEngine);

/**
 * Makes sure that this process has the secret and the engines of one installation; waits for engines that are away. `onSecret` is called as soon as it has the secret.
 * @throws SettingsError where they belong to another installation; whatever went wrong once `signal` aborts
 */
export const ensureInstallation = async (
  house: ProcessContext,
  signal: AbortSignal,
  onSecret: () => void,
): Promise<void> => {
  const { engines, settings, now, report } = house;
  const [store, marked] = await Promise.all([engines.store(), openEnginesWithInstallationId(house)]);
  for (;;) {
    try {
      const installation = await ensureInstallationSecret({ store, now }, settings, actor);
      onSecret();
      return await ensureInstallationIds(installation, marked, actor);
    } catch (error) {
      if (signal.aborted || !isTransient(error, [store, ...marked.map(({ engine }) => engine)])) throw error;
      report(
        { missing: engines.missing(), error: String(error) },
        'it could not be seen whether the engines are those of this installation; it is tried again',
      );
      await sleep(retryIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
};
