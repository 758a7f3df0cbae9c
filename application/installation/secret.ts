import type { Actor } from '#contracts/events/metadata.ts';
import type { InstallationEvent } from '#contracts/events/installation.ts';
import { streams } from '#contracts/names.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { installation, type InstallationCommand, type InstallationState } from '#libs/domain/installation.ts';
import { type Aggregate, newCause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import { createSecretFile, readSecretFile, secretFilePath, confirmSecretFile } from '#libs/secrets/secret-file.ts';
import {
  configuredSecrets,
  fingerprintOf,
  type SecretSettings,
  type InstallationSecret,
} from '#libs/secrets/installation-secret.ts';

export type InstallationAggregate = Aggregate<InstallationState, InstallationCommand, InstallationEvent>;
export type CreatedInstallation = Extract<InstallationState, { status: 'CREATED' }>;

export const loadInstallation = async (eventLog: EventLog): Promise<InstallationAggregate> =>
  (await loadAggregate(eventLog, installation, streams.installation())).aggregate;

/** What it is once it has been created. */
export const requireCreated = ({ state }: InstallationAggregate): CreatedInstallation => {
  if (state.status !== 'CREATED') throw new Error('the installation has not been created');
  return state;
};

const acceptSecretConsequence =
  'Every account then has another webhook secret, download links of the former secret are no longer valid, and callbacks under way that were sealed with it fail';

const missingSecretError = ({ dataDir }: SecretSettings, expected: string): SettingsError =>
  new SettingsError(
    `The secret of this installation is missing: ${secretFilePath(dataDir)} does not exist or is incomplete, COLOPHON_SECRET is not set, and the event eventLog has the fingerprint ${expected} of a secret. ` +
      `Restore secret.key from the backup, or set COLOPHON_SECRET. If it is lost for good, "colophon installation accept-secret" makes a new one. ${acceptSecretConsequence}.`,
  );

const wrongSecretError = (settings: SecretSettings, found: string, expected: string): SettingsError =>
  new SettingsError(
    `${settings.secret === undefined ? `The secret in ${secretFilePath(settings.dataDir)}` : 'COLOPHON_SECRET'} is not the secret of this installation: its fingerprint is ${found}, but the event eventLog has ${expected}. ` +
      'Set or restore the right one; to replace it, name the former one in COLOPHON_PREVIOUS_SECRETS. ' +
      `If the former one is lost or has leaked, "colophon installation accept-secret" accepts this one. ${acceptSecretConsequence}.`,
  );

/**
 * Makes sure that this process has the installation's secret. At the first start ever it creates the installation, and its secret where there is none; each step may be repeated
 * after a crash, and of several processes at once one wins. A new secret with the former one among the previous ones is a rotation.
 * @throws SettingsError where the secret is missing or another one
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

/** Takes the secret that this process has, or a new one where it has none, for the installation's from now on. Answers with its fingerprint. */
export const acceptSecret = async (eventLog: EventLog, settings: SecretSettings, actor: Actor): Promise<string> => {
  const aggregate = await loadInstallation(eventLog);
  const state = requireCreated(aggregate);
  const here: InstallationSecret | null =
    configuredSecrets(settings).current ?? confirmSecretFile(settings.dataDir, state.secretFingerprint);
  const to = fingerprintOf(here ?? createSecretFile(settings.dataDir));
  await aggregate.execute({ type: 'rotateSecret', from: state.secretFingerprint, to }, newCause(actor, null));
  if (settings.secret === undefined) confirmSecretFile(settings.dataDir, requireCreated(aggregate).secretFingerprint);
  return to;
};
