import type { Actor } from '#contracts/events/metadata.ts';
import type { InstallationEvent } from '#contracts/events/installation.ts';
import { streams } from '#contracts/names.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { installation, type InstallationCommand, type InstallationState } from '#libs/domain/installation.ts';
import { type Aggregate, newCause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import {
  confirmSecretFile,
  createSecretFile,
  findSecretFile,
  readSecretFile,
  secretFilePath,
} from '#libs/secrets/secret-file.ts';
import {
  configuredSecrets,
  fingerprintOf,
  type SecretSettings,
  type InstallationSecret,
  type InstallationSecrets,
} from '#libs/secrets/installation-secret.ts';

export type InstallationAggregate = Aggregate<InstallationState, InstallationCommand, InstallationEvent>;
export type CreatedInstallation = Extract<InstallationState, { status: 'CREATED' }>;

/** The only installation of an event log; its state is NONE before the first start. */
export const loadInstallation = async (eventLog: EventLog): Promise<InstallationAggregate> =>
  (await loadAggregate(eventLog, installation, streams.installation())).aggregate;

/** The installation of an event log that has one. @throws Error before the first start */
export const requireCreated = ({ state }: InstallationAggregate): CreatedInstallation => {
  if (state.status !== 'CREATED') throw new Error('the installation has not been created');
  return state;
};

const acceptSecretConsequence =
  'Then every account has a new webhook secret, old download links are invalid, and running webhook deliveries ' +
  'with secrets fail';

const missingSecretError = ({ dataDir }: SecretSettings, expected: string): SettingsError =>
  new SettingsError(
    `The secret of this installation is missing: ${secretFilePath(dataDir)} does not exist or is incomplete, ` +
      `COLOPHON_SECRET is not set, and the event log has the fingerprint ${expected} of a secret. ` +
      'Restore secret.key from the backup, or set COLOPHON_SECRET. If the secret is lost for good, ' +
      `"colophon installation accept-secret" creates a new one. ${acceptSecretConsequence}.`,
  );

const wrongSecretError = (settings: SecretSettings, found: string, expected: string): SettingsError =>
  new SettingsError(
    `${settings.secret === undefined ? `The secret in ${secretFilePath(settings.dataDir)}` : 'COLOPHON_SECRET'} ` +
      `is not the secret of this installation: its fingerprint is ${found}, but the event log has ${expected}. ` +
      'Set or restore the right secret. To replace it, set COLOPHON_PREVIOUS_SECRETS to the old one. If the old one is lost ' +
      `or has leaked, "colophon installation accept-secret" accepts this one. ${acceptSecretConsequence}.`,
  );

/**
 * Checks that this process has the secret of the installation. The first start creates the installation, and a secret
 * if none is set.
 * All steps are idempotent, and one of several concurrent processes wins. If the old secret is among the previous ones,
 * rotates it.
 * @throws SettingsError if the secret is missing or wrong
 */
export const ensureInstallationSecret = async (
  eventLog: EventLog,
  settings: SecretSettings,
  actor: Actor,
): Promise<InstallationAggregate> => {
  const aggregate = await loadInstallation(eventLog);
  const { current, previous } = configuredSecrets(settings);
  if (aggregate.state.status === 'NONE') {
    const secret = current ?? readSecretFile(settings.dataDir) ?? createSecretFile(settings.dataDir);
    await aggregate.execute(
      { type: 'create', installationId: newId(), secretFingerprint: fingerprintOf(secret) },
      newCause(actor, null),
    );
  }
  const expected = requireCreated(aggregate).secretFingerprint;
  const secret = current ?? confirmSecretFile(settings.dataDir, expected);
  if (!secret) throw missingSecretError(settings, expected);
  const found = fingerprintOf(secret);
  if (found === expected) return aggregate;
  if (!previous.some((one) => fingerprintOf(one) === expected)) throw wrongSecretError(settings, found, expected);
  await aggregate.execute({ type: 'rotateSecret', from: expected, to: found }, newCause(actor, null));
  return aggregate;
};

/** Why a start would refuse the secret; null if it would not. Changes nothing. */
export const findSecretProblem = async (eventLog: EventLog, settings: SecretSettings): Promise<string | null> => {
  const { state } = await loadInstallation(eventLog);
  if (state.status !== 'CREATED') return null;
  const expected = state.secretFingerprint;
  const { current, previous } = configuredSecrets(settings);
  const secret = current ?? findSecretFile(settings.dataDir, expected);
  if (!secret) return missingSecretError(settings, expected).message;
  const found = fingerprintOf(secret);
  return [found, ...previous.map(fingerprintOf)].includes(expected)
    ? null
    : wrongSecretError(settings, found, expected).message;
};

/** Whether the secret that was the current one at a position of the event log can still be used. */
export const isFormerSecretConfigured = async (
  { store }: EventLog,
  { current, previous }: InstallationSecrets,
  position: number,
): Promise<boolean> => {
  const events = await store.read(streams.installation());
  const next = events.find((event) => event.type === 'SecretRotated' && event.position > position);
  if (next?.type !== 'SecretRotated') return true;
  return [current, ...previous].some((secret) => fingerprintOf(secret) === next.data.from);
};

/** Makes the configured secret, or else a new one, the secret of the installation. Returns its fingerprint. */
export const acceptSecret = async (eventLog: EventLog, settings: SecretSettings, actor: Actor): Promise<string> => {
  const aggregate = await loadInstallation(eventLog);
  const state = requireCreated(aggregate);
  const configured: InstallationSecret | null =
    configuredSecrets(settings).current ?? confirmSecretFile(settings.dataDir, state.secretFingerprint);
  const to = fingerprintOf(configured ?? createSecretFile(settings.dataDir));
  await aggregate.execute({ type: 'rotateSecret', from: state.secretFingerprint, to }, newCause(actor, null));
  if (settings.secret === undefined) confirmSecretFile(settings.dataDir, requireCreated(aggregate).secretFingerprint);
  return to;
};
