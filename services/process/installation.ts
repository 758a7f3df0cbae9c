import { pause } from '#libs/concurrency/pause.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { isServerFailure } from '#libs/engines/decorators.ts';
import { AddressError, isRemoteEngine } from '#libs/engines/remote.ts';
import { enginesWithInstallationId } from '#application/installation/engines-with-installation-id.ts';
import { type ConfiguredEngine, ensureInstallationIds } from '#application/installation/installation-ids.ts';
import { ensureInstallationSecret } from '#application/installation/secret.ts';
import type { ProcessContext } from './process-context.ts';
import type { ProcessRole } from './running-role.ts';

/** The engines that each role uses, in addition to the event log. */
const enginesByRole: Record<ProcessRole, readonly ('blobs' | 'bus' | 'reads')[]> = {
  api: ['blobs', 'bus', 'reads'],
  renderer: ['blobs', 'bus'],
  delivery: ['blobs', 'bus', 'reads'],
  relay: ['bus', 'reads'],
  projector: ['reads'],
  sweeper: ['blobs', 'reads'],
};

const actor = { kind: 'service', name: 'start' } as const;
const retryIntervalMs = 500;

const openEnginesWithInstallationId = async ({
  roles,
  engines,
  settings,
}: ProcessContext): Promise<ConfiguredEngine[]> => {
  const parts = new Set(roles.flatMap((role) => enginesByRole[role]));
  const [blobs, bus, reads] = await Promise.all([
    parts.has('blobs') ? engines.blobs() : undefined,
    parts.has('bus') ? engines.bus() : undefined,
    parts.has('reads') ? engines.reads() : undefined,
  ]);
  return enginesWithInstallationId({ blobs, bus, reads }, settings);
};

/** Whether the error can come from an unavailable server, so that a retry can succeed. */
const isTransient = (error: unknown, engines: readonly object[]): boolean =>
  !(error instanceof SettingsError || error instanceof AddressError) &&
  isServerFailure(error) &&
  engines.some(isRemoteEngine);

/**
 * Ensures that this process has the secret and the engines of one installation. Waits for unavailable engines.
 * Calls `onSecret` when the secret is available.
 * @throws SettingsError when they belong to another installation; the last error when `signal` aborts
 */
export const ensureInstallation = async (
  context: ProcessContext,
  signal: AbortSignal,
  onSecret: () => void,
): Promise<void> => {
  const { engines, settings, now, report } = context;
  const [store, enginesWithId] = await Promise.all([engines.store(), openEnginesWithInstallationId(context)]);
  for (;;) {
    try {
      const installation = await ensureInstallationSecret({ store, now }, settings, actor);
      onSecret();
      return await ensureInstallationIds(installation, enginesWithId, actor);
    } catch (error) {
      if (signal.aborted || !isTransient(error, [store, ...enginesWithId.map(({ engine }) => engine)])) throw error;
      report(
        { missing: engines.missing(), error: String(error) },
        'checking the installation of the engines failed and is retried',
      );
      await pause(retryIntervalMs, signal);
    }
  }
};
